import Foundation
import LiveQuery
import PersistentStore
import Terminal
import Testing

@testable import ClipsCore
@testable import ClipsTerminal

/// The questions about changes of other windows.
@Suite struct UndoQuestionTests {
    private static func asking(_ change: String, _ size: Size = Size(rows: 24, columns: 80)) -> AppState {
        var state = AppState.showing(30, size)
        let foreign = ForeignChange(change: change, timestamp: noon - 4, source: .earlierRun)
        let step = UndoStep(token: transaction(1).token, summary: "")
        _ = try? state.press("u")
        state.answer(.describeUndo(step, .undo), foreign as Any)
        return state
    }

    @Test func `a change since the start of this run is of no earlier one`() {
        let mine = UndoStep.Origin(process: getpid(), timestamp: .now)
        // The start of a process is known to a second.
        let ended = UndoStep.Origin(process: .max, timestamp: .now + 2)
        let earlier = UndoStep.Origin(process: .max, timestamp: .now - 1e9)
        let sources = [mine, ended, earlier].map(ForeignChange.Source.init)
        #expect(sources == [.openWindow, .elsewhere, .earlierRun])
    }

    @Test func `a question about a change that others undo is withdrawn`() throws {
        var state = Self.asking("deleted “Title”")
        let effects = state.take(.transactions([transaction(2, inserting: [40])]))
        let reading = try #require(effects.first { if case .describeUndo = $0 { true } else { false } })
        var change = ForeignChange(change: "deleted “Title”", timestamp: noon - 4, source: .earlierRun)
        state.answer(reading, change as Any)
        #expect(state.menu != nil)
        change.isVoid = true
        state.answer(reading, change as Any)
        #expect(state.lines.contains { $0.contains("Already undone: deleted “Title”") })
        // The answer that was meant for the question is no key of the list.
        #expect(try state.press("d").isEmpty && state.menu == nil)
    }

    @Test func `a question about the work of others is asked again after they change the clips`() throws {
        var state = AppState.showing(30)
        let step = UndoStep(token: transaction(1).token, summary: "starred “Clip 29”")
        func contested(_ author: String) -> Work.Outcome {
            let clip = UndoConflict.Clip(id: 29, title: "Clip 29", fields: [], isDeletion: false)
            return .contested(UndoConflict(clips: [clip], count: 1, authors: [author], hasRest: false))
        }
        state.start(.revert(step, .undo, .ask))
        state.answer(.work(.revert(step, .undo, .ask)), contested("cli"))
        #expect(state.lines.contains { $0.contains("Changed since by cli: “Clip 29”") })
        #expect(
            state.take(.transactions([transaction(2, deleting: [12])])).isEmpty && state.screen == .conflict)
        let deletion = transaction(3, deleting: [29])
        guard case .work(.revert(step, .undo, .ask))? = state.take(.transactions([deletion])).last else {
            Issue.record("not asked again")
            return
        }
        #expect(state.screen == .list && state.menu == nil)
        state.answer(.work(.revert(step, .undo, .ask)), contested("carl"))
        #expect(state.lines.contains { $0.contains("Changed since by carl: “Clip 29”") })
    }

    @Test(
        arguments: [
            ("deleted “Title”", "Undo “Title”, deleted in an earlier run 4s ago?"),
            ("marked 15,303 clips as read", "Undo “marked 15,303 clips as read”, in an earlier run 4s ago?"),
            ("deleted 3 clips", "Undo “deleted 3 clips”, in an earlier run 4s ago?"),
            ("marked “A B” as read", "Undo: marked “A B” as read, in an earlier run 4s ago?"),
            ("a change", "Undo a change in an earlier run 4s ago?"),
        ])
    func `a question quotes a title, or the whole change`(change: String, question: String) {
        #expect(Self.asking(change).menu?.title == question)
    }

    @Test(arguments: ["marked 15,303 clips as read", "deleted “A title of many long words”"], [40, 30, 24])
    func `a question is complete on a narrow screen, and its answer does not repeat it`(
        change: String, columns: Int
    ) throws {
        let state = Self.asking(change, Size(rows: 12, columns: columns))
        let title = try #require(state.menu?.title)
        let shown = state.lines.joined(separator: " ").split { " │".contains($0) }.joined(separator: " ")
        #expect(shown.contains(title), "\(state.lines)")
        #expect(state.lines.count { $0.contains("undo") } == 1 && shown.contains("y undo"), "\(state.lines)")
        #expect(state.lines.contains { $0.hasPrefix("┌─") } && state.lines.contains { $0.hasPrefix("└─") })
    }

    @Test(arguments: ["", "j<Enter>", "H", "?"])
    func `keys typed after u answer the question, or act after the undo`(opening: String) throws {
        var state = AppState.showing(3)
        try state.press(opening + "uyy")
        #expect(state.menu == nil && state.typing.ahead.count == 2)
        let screen = state.screen
        state.typing.ahead.removeLast()
        let step = UndoStep(token: transaction(1).token, summary: "")
        state.undoSteps.add(step)
        let foreign = ForeignChange(change: "deleted “A”", timestamp: noon - 4, source: .openWindow)
        guard
            case .work(.revert(_, .undo, _))? = state.answer(.describeUndo(step, .undo), foreign as Any).last
        else {
            Issue.record("not undone: \(state.lines)")
            return
        }
        #expect(state.menu == nil && state.screen == screen && state.typing.ahead.isEmpty)
    }

    @Test func `keys typed after u act on the list if there is nothing to undo, and Esc cancels`() throws {
        var state = AppState.showing(3)
        try state.press("uj")
        #expect(state.list.clips.selectedIndex == 0)
        state.answer(.loadUndoHistory(UndoHistory(), isRedoing: false), UndoHistory(all: [], session: 7))
        #expect(state.list.clips.selectedIndex == 1 && state.message?.text.contains("No changes") != true)
        try state.press("uy<Esc>")
        let foreign = ForeignChange(change: "deleted “A”", timestamp: noon - 4, source: .openWindow)
        let step = UndoStep(token: transaction(1).token, summary: "")
        state.answer(.describeUndo(step, .undo), foreign as Any)
        #expect(state.menu == nil && state.typing.ahead.isEmpty && state.list.clips.selectedIndex == 1)
    }

    @Test func `keys typed after u wait for the save before it, but not for a slow one`() throws {
        var state = AppState.showing(3)
        try state.press("*uj")
        #expect(state.list.clips.selectedIndex == 0 && state.typing.ahead.count == 1)
        _ = state.handle(.tick, at: noon + 1)
        #expect(state.list.clips.selectedIndex == 1 && state.typing.ahead.isEmpty)
    }

    @Test func `a click finds the item below a title of several lines`() throws {
        var state = Self.asking("marked 15,303 clips as read", Size(rows: 12, columns: 40))
        let row = try #require(state.lines.firstIndex { $0.contains("y  undo") })
        #expect(MenuBox(state: state)?.index(at: Position(row: row, column: 4), state.layout) == 0)
        #expect(MenuBox(state: state)?.index(at: Position(row: row - 1, column: 4), state.layout) == nil)
        state = Self.asking("marked 15,303 clips as read", Size(rows: 6, columns: 40))
        #expect(state.lines.contains { $0.contains("y  undo") })
    }
}
