import ClipsCore
import Platform
import Terminal

/// The history screen: transactions as they arrive, and the changes of the selected one.
struct HistoryScreen {
    let state: AppState
    private var theme: Theme { state.theme }

    /// The height of the changes, in the lower half; 0 if there is room for the transactions only.
    private static func changeRows(_ layout: Layout) -> Int {
        let rows = layout.list?.size.rows ?? 0
        return rows >= 8 ? rows / 2 : 0
    }

    static func listRows(_ layout: Layout) -> Int {
        max(1, (layout.list?.size.rows ?? 1) - changeRows(layout))
    }

    /// Whether a position is in the pane of the changes.
    static func isInChanges(_ position: Position, _ state: AppState, _ layout: Layout) -> Bool {
        guard let area = changesArea(state, layout) else { return false }
        return area.contains(position)
    }

    /// Returns the index of the change at a position.
    func change(at position: Position, _ layout: Layout) -> Int? {
        guard let area = Self.changesArea(state, layout), let row = state.history.selectedRow else {
            return nil
        }
        return ChangesPane(state: state, row: row).change(atRow: position.row - area.row, area)
    }

    /// The area of the changes; nil if there is none on the screen.
    private static func changesArea(_ state: AppState, _ layout: Layout) -> Rect? {
        guard let area = layout.list, state.history.selectedRow != nil else { return nil }
        let rows = changeRows(layout)
        guard rows > 0 else { return state.history.isInChanges ? area : nil }
        return Rect(
            row: area.row + area.size.rows - rows, column: area.column, rows: rows,
            columns: area.size.columns)
    }

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let area = layout.list else { return }
        let width = area.size.columns
        let columns = Columns(width: width)
        if let header = layout.header {
            frame.fill(header, style: theme[.heading])
            frame.put("Change", in: header, column: 3, style: theme[.heading])
            if columns.authorWidth > 0 {
                frame.put("Author", in: header, column: columns.author, style: theme[.heading])
            }
            if columns.hasTime { frame.put("Time", in: header, column: columns.time, style: theme[.heading]) }
            frame.putRight("Age", in: header, column: columns.age, width: 6, style: theme[.heading])
        }
        guard !state.history.transactions.isEmpty else {
            let filter = state.history.filter
            let sentence =
                filter.isEmpty
                ? "The history is empty, or has been purged." : "No transactions match “\(filter.text)”."
            var text = WrappedText(state.history.isLoaded ? sentence : "…", width: max(1, width - 2))
            for (row, line) in text.lines(0..<area.size.rows).enumerated() {
                frame.put(line, in: area, row: row, column: 1)
            }
            return
        }
        for row in 0..<Self.listRows(layout) {
            let index = state.history.top + row
            guard let transactions = state.history.row(at: index) else { break }
            let line = Rect(row: area.row + row, column: area.column, rows: 1, columns: width)
            draw(transactions, columns, line, &frame)
            if index == state.history.selected {
                frame.select(line, theme, isFocused: !state.history.isInChanges)
            }
        }
        if let bar = layout.listBar {
            let rows = Self.listRows(layout)
            let upper = Rect(row: bar.row, column: bar.column, rows: rows, columns: bar.size.columns)
            frame.putScrollBar(upper, top: state.history.top, height: rows, count: state.history.count, theme)
        }
        if let selected = state.history.selectedRow, let area = Self.changesArea(state, layout) {
            frame.fill(area)
            ChangesPane(state: state, row: selected).draw(area, in: &frame)
        }
    }

    /// The columns at a width. The change has the rest, and never gets narrower as the screen gets wider.
    struct Columns {
        let change: Int
        let author: Int
        let time: Int
        let age: Int
        let authorWidth: Int
        let hasTime: Bool

        init(width: Int) {
            let timeWidth = 18
            age = max(0, width - 8)
            // On a narrow screen, the pane of the changes has the author.
            let room = age - 31 - 2
            authorWidth = room < 6 ? 0 : min(15, room)
            let taken = authorWidth == 0 ? 0 : authorWidth + 2
            hasTime = age - taken - timeWidth >= 55
            change = hasTime ? age - taken - timeWidth : min(age - taken, authorWidth == 0 ? 31 : 55)
            author = age - taken - (hasTime ? timeWidth : 0)
            time = age - timeWidth
        }
    }

    /// The columns of words without names, such as "undone: unarchived".
    private static let maxVerb = 19
    /// The columns of a title that come before longer words for the other clips of its row.
    private static let minTitle = 16

    private func draw(_ row: HistoryRow, _ columns: Columns, _ line: Rect, _ frame: inout Frame) {
        guard let transaction = row.newest else { return }
        let age = Age(of: transaction.timestamp, at: state.now)
        frame.putCut(
            transaction.shownAuthor, in: line, column: columns.author,
            width: columns.authorWidth, style: theme.author(transaction.shownAuthor))
        if columns.hasTime {
            let time = LocalTime(transaction.timestamp).dateAndTime
            frame.put(time, in: line, column: columns.time, style: theme[.muted])
        }
        frame.putRight(age.text, in: line, column: columns.age, width: 6, style: theme[.muted])
        guard let first = row.newestLine else { return }
        let styles = ["+": theme[.live], "~": theme[.key], "-": theme[.error]]
        frame.put(first.sign, in: line, column: 1, style: styles[first.sign] ?? .plain)
        var (detail, others) = (state.history.titles.detail(first), row.others(than: first))
        var more: String { [detail, others].filter { !$0.isEmpty }.joined(separator: ", ") }
        let width = columns.change - 5
        let name = state.history.titles[first] ?? "…"
        // On a narrow screen, the change says more than the rest of a title.
        var (least, most) = (min(8, width / 2), Int.max)
        let enough = min(Self.minTitle, DisplayWidth.columns(of: name))
        if !others.isEmpty, DisplayWidth.columns(of: more) + 2 + enough > width {
            others = row.others(than: first, isShort: true)
            // "read" says as much as "marked as read".
            detail = detail.replacing("marked as ", with: "")
            let left = width - 4 - DisplayWidth.columns(of: others)
            let needed = DisplayWidth.columns(of: detail)
            // With all words, a title has no fewer cells on a wider screen.
            (least, most) = (min(least, needed > Self.maxVerb ? 8 : 4), Self.minTitle)
            if needed > left - 4, needed <= Self.maxVerb, let all = row.alike(first) {
                // The pane below names the clips.
                frame.putCut("\(detail), \(all)", in: line, column: 3, width: width + 2, style: theme[.muted])
                return
            }
            if needed > left - least { most = least }
            detail = SafeText.cut(detail, to: max(0, left - least))
        }
        let room = min(most, max(least, width - DisplayWidth.columns(of: more) - 2))
        let title = SafeText.cut(name, to: room)
        let used = frame.put(
            title, in: line, column: 3, width: room, style: theme[transaction.isOwn ? .strong : .title])
        frame.putCut(more, in: line, column: 5 + used, width: width - used - 2, style: theme[.muted])
    }
}
