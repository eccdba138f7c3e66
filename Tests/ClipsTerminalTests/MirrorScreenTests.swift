import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal
@testable import Mirroring

/// The state of the mirror, and conflicts with other machines.
@Suite struct MirrorScreenTests {
    private static func conflict(_ lost: String, now: String? = "their title", isOwn: Bool = true)
        -> MirrorConflict
    {
        let layout = StoredObject.Layout(names: ["title"])
        let object = now.map {
            StoredObject(id: ClipModel.objectID(29), version: 2, layout: layout, values: [.text($0)])
        }
        return MirrorConflict(
            id: lost, entity: "Clip", uuid: "u", attribute: "title", value: .text(lost), isOwn: isOwn,
            machine: nil, date: noon - 60, object: object)
    }

    @Test func `the status line shows the mirror and the key for conflicts`() {
        var state = AppState.showing(3, Size(rows: 24, columns: 120))
        _ = state.handle(
            .message(.mirror("mirror: quota full, nothing lost, 312 waiting", conflicts: 0)), at: noon)
        #expect(state.statusLine.contains("live · mirror: quota full, nothing lost, 312 waiting"))
        _ = state.handle(.message(.mirror("", conflicts: 2)), at: noon)
        #expect(state.statusLine.contains("live · 2 conflicts: c") && !state.statusLine.contains("mirror"))
        _ = state.handle(.message(.mirror("", conflicts: 0)), at: noon)
        #expect(!state.statusLine.contains("conflict"))
    }

    @Test(
        arguments: [20, 30, 40, 60, 80, 200], ["mirror paused: no room is left", "mirror: 2 not readable"])
    func `a problem of the mirror is shown at each width`(columns: Int, problem: String) {
        var state = AppState.showing(3, Size(rows: 12, columns: columns))
        _ = state.handle(.message(.mirror(problem, conflicts: 2)), at: noon)
        #expect(state.statusLine.contains("mirror"), "\(state.statusLine)")
    }

    @Test(arguments: [Size(rows: 24, columns: 80), Size(rows: 12, columns: 40), Size(rows: 3, columns: 10)])
    func `conflicts are shown one by one, restored, kept, or postponed`(size: Size) throws {
        var state = AppState.showing(30, size)
        guard case .loadConflicts? = try state.press("c").last else {
            Issue.record("not requested")
            return
        }
        let lost = ["my title", "my second"].map { Self.conflict($0) } + [Self.conflict("x", now: nil)]
        state.answer(.loadConflicts, lost)
        let screen = state.lines.joined(separator: "\n")
        if size.rows >= 12 {
            for words in ["now     their title", "lost    my title", "this machine", "restore: the lost"] {
                #expect(screen.contains(words), "\(words) in\n\(screen)")
            }
        }
        guard case .work(.resolve(lost[0], restoring: true))? = try state.press("r").last,
            case .work(.resolve(lost[1], restoring: false))? = try state.press("k").last
        else {
            Issue.record("not resolved")
            return
        }
        // The clip was deleted, so that there is nothing to restore.
        #expect(try state.press("r").isEmpty && state.screen == .conflict)
        #expect(try state.press("<Esc>").isEmpty && state.screen == .list && state.questions.isEmpty)
        #expect(state.sync.conflicts == 1)
    }

    @Test func `a shown conflict follows the store, and is withdrawn once it is resolved elsewhere`() throws {
        var state = AppState.showing(30)
        try state.press("c")
        let lost = ["my title", "my second"].map { Self.conflict($0) }
        state.answer(.loadConflicts, lost)
        let effects = state.take(.transactions([transaction(1, deleting: [29])]))
        guard case .loadConflicts? = effects.last else {
            Issue.record("not read again: \(effects)")
            return
        }
        state.answer(.loadConflicts, [Self.conflict("my title", now: nil), lost[1]])
        #expect(state.screen == .conflict && !state.lines.contains { $0.contains("r  restore") })
        _ = state.handle(.message(.mirror("", conflicts: 1)), at: noon)
        state.answer(.loadConflicts, [lost[1]])
        #expect(state.lines.contains { $0.contains("lost    my second") })
        state.answer(.loadConflicts, [MirrorConflict]())
        #expect(state.screen == .list)
        #expect(state.lines.contains { $0.contains("about the title was resolved elsewhere") })
    }

    @Test func `keys typed before the conflicts are read choose between the values`() throws {
        var state = AppState.showing(3)
        #expect(try state.press("cr").count == 1)
        let lost = [Self.conflict("my title")]
        guard case .work(.resolve(lost[0], restoring: true))? = state.answer(.loadConflicts, lost).last else {
            Issue.record("not resolved: \(state.lines)")
            return
        }
        #expect(state.screen == .list)
        try state.press("c<Esc>")
        state.answer(.loadConflicts, lost)
        #expect(state.screen == .list && state.questions.isEmpty)
    }

    @Test func `without conflicts, the key says so`() throws {
        var state = AppState.showing(3)
        try state.press("c")
        state.answer(.loadConflicts, [MirrorConflict]())
        #expect(state.screen == .list && state.statusLine.contains("no conflicts with other machines"))
    }
}
