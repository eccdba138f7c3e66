import ClipsCore
import PersistentStore
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

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let area = layout.list else { return }
        let width = area.size.columns
        if let header = layout.header {
            frame.fill(header, style: theme.heading)
            put(["Time", "Age", "Author", "Changes", "By"], in: header, style: [theme.heading], &frame)
        }
        guard !state.history.transactions.isEmpty else {
            let filter = state.history.filter
            return frame.putCut(
                filter.isEmpty
                    ? "The history is empty, or has been purged."
                    : "No transactions match \(filter.text).", in: area, column: 1, width: width - 1)
        }
        for row in 0..<Self.listRows(layout) {
            let index = state.history.top + row
            guard let transactions = state.history.row(at: index) else { break }
            let line = Rect(row: area.row + row, column: area.column, rows: 1, columns: width)
            draw(transactions, line, &frame)
            if index == state.history.selected, state.history.isInChanges {
                frame.restyle(line) { $0.attributes.formUnion(theme.unfocusedSelection.attributes) }
            } else if index == state.history.selected {
                frame.select(line, theme)
            }
        }
        let changes = Self.changeRows(layout)
        if changes > 0, let selected = state.history.selectedRow {
            let lower = Rect(
                row: area.row + area.size.rows - changes, column: area.column, rows: changes, columns: width)
            ChangesPane(state: state, row: selected).draw(lower, in: &frame)
        } else if state.history.isInChanges, let selected = state.history.selectedRow {
            frame.fill(area)
            ChangesPane(state: state, row: selected).draw(area, in: &frame)
        }
    }

    private func draw(_ row: HistoryRow, _ line: Rect, _ frame: inout Frame) {
        guard let transaction = row.newest else { return }
        let counts =
            [(row.sum(\.inserted), "+"), (row.sum(\.updated), "~"), (row.sum(\.deleted), "-")]
            .filter { $0.0 > 0 }.map { "\($1)\($0)" }.joined(separator: " ") + (row.isCut ? "…" : "")
        let author = AuthorName.shown(transaction.author)
        let process = transaction.process.map { " \($0)" } ?? ""
        let context = transaction.contextName.flatMap { $0 == ClipsSession.contextName ? nil : $0 }
        let origin = [
            transaction.isOwn ? "you" : "", (transaction.program ?? "another program") + process,
            context ?? "",
        ].filter { !$0.isEmpty }.joined(separator: " · ")
        let age = Age(of: transaction.timestamp, at: state.now)
        put(
            [time(transaction), age.isRelative ? age.text : "", author, counts, origin], in: line,
            style: [theme.dim, theme.dim, theme.author(author), theme.bold, theme.dim], &frame)
    }

    private func time(_ transaction: TransactionSummary) -> String {
        let then = LocalTime(transaction.timestamp)
        let today = LocalTime(state.now)
        if then.dateAndTime.prefix(10) == today.dateAndTime.prefix(10) { return then.clock }
        return "\(then.month) \(then.day) \(then.clock.prefix(5))"
    }

    /// Draws five columns. The age is aligned to the right, and the last column has the rest of the width.
    private func put(_ cells: [String], in line: Rect, style: [Style], _ frame: inout Frame) {
        let widths = line.size.columns >= 60 ? [12, 4, 14, 14] : [8, 0, 8, 10]
        var column = 1
        for (index, cell) in cells.enumerated() {
            let width = index < widths.count ? widths[index] : max(0, line.size.columns - column)
            guard width > 0 else { continue }
            let look = style[index % style.count]
            if index == 1 {
                frame.putRight(cell, in: line, column: column, width: width, style: look)
                column += 1
            } else {
                frame.putCut(cell, in: line, column: column, width: width, style: look)
            }
            column += width + 1
        }
    }
}
