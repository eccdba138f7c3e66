import Foundation
import TestSupport
import Testing

/// Commands that change the same clip at once: each says what it did itself.
@Suite(.serialized) struct RacingCommandTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `of several commands that undo at once, those say so that did`() throws {
        for _ in 0..<5 {
            try clips.run("add", "--title", "a")
            let before = try commits()
            let run = try clips.shell(
                "for i in 1 2 3 4; do $CLIPS undo 2>$TMPDIR/undo$i & done; wait; cat $TMPDIR/undo?; rm $TMPDIR/undo?"
            )
            let undid = run.output.split(separator: "\n").count { $0.contains("Undid: ") }
            #expect(try undid > 0 && undid == commits() - before, "\(run)")
        }
    }

    @Test func `a clip that is deleted meanwhile is not reported as unchanged`() throws {
        for number in 1...10 {
            try clips.run("add", "--title", "a")
            let run = try clips.shell(
                "$CLIPS delete \(number) 2>/dev/null & $CLIPS tag +new \(number); echo $?; wait")
            #expect(!run.errors.contains("unchanged"), "\(run)")
            #expect(run.errors.contains("Tagged clip") == (run.output == "0\n"), "\(run)")
        }
    }

    private func commits() throws -> Int {
        try clips.run("history", "--limit", "1000").output.split(separator: "\n").count
    }
}
