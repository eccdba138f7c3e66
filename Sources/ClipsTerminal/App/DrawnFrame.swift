import ClipsCore
import LiveQuery
import PersistentStore
import Terminal

/// The last frame of the list, whose unchanged parts the next one retains.
struct DrawnFrame {
    /// The causes of all parts except the lines of the list, its scroll bar, the clip, and the status line.
    struct Look: Equatable {
        fileprivate let layout: Layout
        fileprivate let list: ListLook
        fileprivate let sort: SortKey
        fileprivate let isReadOnly: Bool
        fileprivate let hasClip: Bool

        /// - Returns: Nil for a frame with parts that depend on more, or that cover others.
        init?(_ state: AppState, _ layout: Layout, _ list: ListLook) {
            guard state.screen == .list, state.prompt == nil, state.menu == nil, state.completion == nil,
                state.pick == nil, state.typing.pressed.isEmpty, state.list.marks.isEmpty,
                layout.sidebar == nil,
                !state.reader.hasFocus, layout.status != nil, !StatusLine(state: state).coversRows(layout)
            else { return nil }
            self.layout = layout
            self.list = list
            sort = state.list.query.sort
            isReadOnly = state.saving.unavailabilityReason != nil
            hasClip = state.target != nil
        }
    }

    /// The causes of the clip next to the list.
    struct ReaderLook: Equatable {
        private let lines: [ReaderText.Line]
        private let indent: Int?
        private let hiddenColumns: Int
        private let isDeleted: Bool
        private let isLoaded: Bool
        private let row: ClipRow?

        init(_ state: AppState) {
            let reader = state.reader
            lines = reader.lines
            indent = reader.text?.indent
            hiddenColumns = reader.hiddenColumns
            isDeleted = reader.isDeleted
            isLoaded = reader.clip != nil
            row = reader.clip == nil && reader.id != nil ? state.list.clips.selectedRow : nil
        }
    }

    private(set) var lines = DrawnLines()
    private(set) var reader: ReaderLook?
    /// The move of lines since the frame before.
    private(set) var scroll: Scroll?
    private var look: Look?
    private var frame: Frame?

    /// Begins a frame with the last one, if only the lines, the scroll bar, the clip, and the status line can differ.
    func reusable(in look: Look?) -> Frame? { look != nil && look == self.look ? frame : nil }

    mutating func finish(
        _ frame: Frame, _ look: Look?, _ reader: ReaderLook, _ lines: DrawnLines, _ scroll: Scroll?
    ) {
        (self.frame, self.look, self.reader) = (look == nil ? nil : frame, look, reader)
        (self.lines, self.scroll) = (lines, scroll)
    }
}
