import ClipsCore
import PersistentStore
import Terminal

/// The last frame of the list, whose unchanged parts the next one retains.
struct DrawnFrame {
    /// The causes of all parts except the lines of the list, its scroll bar, and the status line.
    struct Look: Equatable {
        fileprivate let layout: Layout
        fileprivate let list: ListLook
        fileprivate let sort: SortKey
        fileprivate let reader: [ReaderText.Line]
        fileprivate let indent: Int?
        fileprivate let hiddenColumns: Int
        fileprivate let isDeleted: Bool
        fileprivate let isReadOnly: Bool
        fileprivate let hasClip: Bool

        /// - Returns: Nil for a frame with parts that depend on more, or that cover others.
        init?(_ state: AppState, _ layout: Layout) {
            guard state.screen == .list, state.prompt == nil, state.menu == nil, state.completion == nil,
                state.pick == nil, state.typing.pressed.isEmpty, state.list.marks.isEmpty,
                layout.sidebar == nil,
                !state.reader.hasFocus,
                state.reader.id == nil || state.reader.clip != nil, layout.status != nil,
                state.message?.isError != true
            else { return nil }
            self.layout = layout
            list = ListLook(state, layout)
            sort = state.list.query.sort
            reader = state.reader.lines
            indent = state.reader.text?.indent
            hiddenColumns = state.reader.hiddenColumns
            isDeleted = state.reader.isDeleted
            isReadOnly = state.saving.unavailabilityReason != nil
            hasClip = state.target != nil
        }
    }

    private(set) var lines = DrawnLines()
    private var look: Look?
    private var frame: Frame?

    /// Begins a frame with the last one, if only the lines, the scroll bar, and the status line can differ.
    func reusable(in look: Look?) -> Frame? { look != nil && look == self.look ? frame : nil }

    mutating func finish(_ frame: Frame, _ look: Look?, _ lines: DrawnLines) {
        (self.frame, self.look, self.lines) = (look == nil ? nil : frame, look, lines)
    }
}
