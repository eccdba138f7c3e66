import Foundation
import TestSupport
import Testing

/// Programs that are cut off in the middle.
@Suite(.serialized) struct InterruptionTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `an extension killed in the middle of writing leaves whole transactions and stops nobody`()
        throws
    {
        let input = clips.folder.path(of: "input")
        let lines = (0..<20_000).map { "{\"url\":\"https://example.org/\($0)\",\"title\":\"title \($0)\"}\n" }
            .joined()
        try lines.write(toFile: input, atomically: true, encoding: .utf8)
        var random = SystemRandomNumberGenerator()
        var killedInTheMiddle = 0
        for round in 0..<12 {
            let before = try count()
            let output = clips.folder.path(of: "ids")
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            let writer = try clips.start(
                ["extension", "--jsonl"], input: FileHandle(forReadingAtPath: input),
                output: FileHandle(forWritingAtPath: output))
            let wanted = Int.random(in: 1...6, using: &random) * 1000
            #expect(try eventually { try count() >= before + wanted || !writer.isRunning })
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
            let saved = try count() - before
            if saved < 20_000 { killedInTheMiddle += 1 }
            #expect(saved % 1000 == 0, "round \(round): \(saved)")
            // What was reported saved is there.
            let reported = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").count
            #expect(reported <= saved)
            #expect(try clips.sqlite3("PRAGMA integrity_check") == "ok")
            #expect(try clips.run("add", "--title", "after \(round)").status == 0)
            _ = try clips.sqlite3("DELETE FROM Clip WHERE title LIKE 'title %'")
        }
        #expect(killedInTheMiddle > 0)
        let history = try clips.run("history", "--json").output
        let inserts = history.split(separator: "\n").reduce(0) {
            $0 + $1.split(separator: "\"kind\":\"insert\"", omittingEmptySubsequences: false).count - 1
        }
        let deletes = history.split(separator: "\n").reduce(0) {
            $0 + $1.split(separator: "\"kind\":\"delete\"", omittingEmptySubsequences: false).count - 1
        }
        #expect(inserts - deletes == (try count()))
    }

    @Test func `a reader that goes away ends the list without a word`() throws {
        try clips.run("extension", "--jsonl", input: (0..<5000).map { "{\"title\":\"\($0)\"}\n" }.joined())
        let run = try Shell.run(
            "sh", ["-c", "'\(ClipsProgram.path)' list | head -n 1"], environment: clips.environment)
        #expect(run.errors == "" && run.output.hasSuffix("  4999\n"))
    }

    @Test func `output that cannot be written is an error with a sentence`() throws {
        try clips.run("add", "--title", "a")
        let run = try Shell.run(
            "sh", ["-c", "'\(ClipsProgram.path)' list > /dev/full"], environment: clips.environment)
        #expect(
            run.status == 1 && run.errors == "clips: The output cannot be written: No space left on device.\n"
        )
    }

    @Test func `a clip that meets a store kept busy is not lost without a word`() throws {
        try clips.run("add", "--title", "a")
        // A stranger holds the write lock for longer than anybody waits.
        let holder = try LineProcess("sqlite3", [clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 'held';") == "held")
        let run = try clips.run("add", "--title", "b", input: "a text that was hard to come by")
        #expect(run.status == 1)
        #expect(
            run.errors.contains("was locked for")
                && run.errors.contains("by sqlite3 (process \(holder.identifier))"), "\(run.errors)")
        #expect(try clips.run("list").status == 0)
        #expect(try holder.ask("COMMIT; SELECT 'released';") == "released")
        // The text waits in a file, and is saved from there.
        let path = try #require(
            run.errors.firstRange(of: /kept in [^;]+/).map { String(run.errors[$0].dropFirst(8)) })
        #expect(
            try clips.run("add", "--jsonl", input: String(contentsOfFile: path, encoding: .utf8)).status == 0)
        #expect(
            try clips.sqlite3("SELECT text FROM Clip WHERE title = 'b'") == "a text that was hard to come by")
    }

    private func count() throws -> Int { Int(try clips.sqlite3("SELECT count(*) FROM Clip")) ?? 0 }
}
