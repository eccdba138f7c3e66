import ClipsCore

/// The transactions on the history screen, newest on top, and the cursor, which stays on its row.
struct HistoryList: Movable, Sendable {
    private(set) var transactions: [TransactionSummary] = []
    private(set) var selected = 0
    private(set) var top = 0
    private(set) var height = 1

    private static let most = 2000

    var selectedTransaction: TransactionSummary? {
        transactions.indices.contains(selected) ? transactions[selected] : nil
    }

    /// Takes transactions, oldest first, and leaves out those that are there.
    mutating func add(_ more: [TransactionSummary]) {
        let known = Set(transactions.map(\.id))
        let news = more.filter { !known.contains($0.id) }
        guard !news.isEmpty else { return }
        let wasAtTop = selected == 0
        let anchor = selectedTransaction?.id
        let screenRow = selected - top
        transactions = (news.reversed() + transactions).sorted { $0.id > $1.id }
        transactions.removeLast(max(0, transactions.count - Self.most))
        if !wasAtTop, let anchor, let index = transactions.firstIndex(where: { $0.id == anchor }) {
            selected = index
            top = index - screenRow
        }
        reveal()
    }

    mutating func move(by rows: Int) {
        let (sum, overflows) = selected.addingReportingOverflow(rows)
        moveTo(index: overflows ? .max : sum)
    }

    mutating func moveToStart() { moveTo(index: 0) }

    mutating func moveToEnd() { moveTo(index: .max) }

    mutating func moveTo(index: Int) {
        selected = max(0, min(index, transactions.count - 1))
        reveal()
    }

    mutating func page(by pages: Int, half: Bool) {
        move(by: max(-10_000, min(pages, 10_000)) * (half ? max(1, height / 2) : max(1, height - 2)))
    }

    mutating func resize(height: Int) {
        self.height = max(1, height)
        reveal()
    }

    private mutating func reveal() {
        selected = max(0, min(selected, transactions.count - 1))
        top = max(0, min(max(top, selected + 1 - height), selected))
    }
}
