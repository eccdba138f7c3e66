import ClipsCore
import Foundation
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

/// The questions about changes of other windows.
@Suite struct UndoQuestionTests {
    private static func asking(_ change: String, _ size: Size = Size(rows: 24, columns: 80)) -> AppState {
        var state = AppState.showing(30, size)
        let foreign = ForeignChange(change: change, timestamp: noon - 4, isOfOpenWindow: false)
        let step = UndoStep(token: transaction(1).token, summary: "")
        state.answer(.describeUndo(step, .undo), foreign as Any)
        return state
    }

    @Test(
        arguments: [
            ("deleted “Title”", "Undo “Title”, deleted in a closed window 4s ago?"),
            ("marked 15,303 clips as read", "Undo “marked 15,303 clips as read”, in a closed window 4s ago?"),
            ("deleted 3 clips", "Undo “deleted 3 clips”, in a closed window 4s ago?"),
            ("marked “A B” as read", "Undo: marked “A B” as read, in a closed window 4s ago?"),
            ("a change", "Undo a change in a closed window 4s ago?"),
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

    @Test func `a click finds the item below a title of several lines`() throws {
        var state = Self.asking("marked 15,303 clips as read", Size(rows: 12, columns: 40))
        let row = try #require(state.lines.firstIndex { $0.contains("y  undo") })
        #expect(MenuBox(state: state)?.index(at: Position(row: row, column: 4), state.layout) == 0)
        #expect(MenuBox(state: state)?.index(at: Position(row: row - 1, column: 4), state.layout) == nil)
        state = Self.asking("marked 15,303 clips as read", Size(rows: 6, columns: 40))
        #expect(state.lines.contains { $0.contains("y  undo") })
    }
}
