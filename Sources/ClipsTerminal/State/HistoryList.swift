import ClipsCore
import PersistentStore

/// The transactions on the history screen, newest on top, and the cursor, which stays on its row.
struct HistoryList: Movable, Sendable {
    private(set) var transactions: [TransactionSummary] = []
    private(set) var selected = 0
    private(set) var top = 0
    private(set) var height = 1
    private(set) var filter = HistoryFilter()
    /// The changes of the selected transaction; of an earlier one until they are read.
    private(set) var detail: TransactionDetail?
    private(set) var asked: HistoryToken?
    /// The keys move among the changes.
    var isInChanges = false
    private(set) var change = 0

    private static let most = 2000

    var selectedTransaction: TransactionSummary? {
        transactions.indices.contains(selected) ? transactions[selected] : nil
    }

    /// What is known of the selected transaction's changes.
    var selectedDetail: TransactionDetail? {
        detail?.token == selectedTransaction?.token ? detail : nil
    }

    var selectedChange: TransactionDetail.Change? {
        guard isInChanges, let changes = selectedDetail?.changes, changes.indices.contains(change) else {
            return nil
        }
        return changes[change]
    }

    mutating func show(_ filter: HistoryFilter) {
        self = HistoryList(height: height, filter: filter)
    }

    init(height: Int = 1, filter: HistoryFilter = HistoryFilter()) {
        self.height = height
        self.filter = filter
    }

    /// Takes transactions, oldest first, and leaves out those that are there or not wanted.
    mutating func add(_ more: [TransactionSummary]) {
        let known = Set(transactions.map(\.id))
        let news = more.filter { !known.contains($0.id) && filter.admits($0) }
        guard !news.isEmpty else { return }
        let staysAtTop = selected == 0 && !isInChanges
        let anchor = selectedTransaction?.id
        let screenRow = selected - top
        transactions = (news.reversed() + transactions).sorted { $0.id > $1.id }
        transactions.removeLast(max(0, transactions.count - Self.most))
        if !staysAtTop, let anchor, let index = transactions.firstIndex(where: { $0.id == anchor }) {
            selected = index
            top = index - screenRow
        }
        reveal()
    }

    /// The token to read the changes of, if that was not asked for yet.
    mutating func nextRequest() -> HistoryToken? {
        guard let token = selectedTransaction?.token, token != asked else { return nil }
        asked = token
        return token
    }

    mutating func take(_ detail: TransactionDetail?, of token: HistoryToken) {
        guard token == asked else { return }
        self.detail = detail
        change = max(0, min(change, (detail?.changes.count ?? 0) - 1))
    }

    /// What is in the store may be otherwise now.
    mutating func outdate() { asked = nil }

    mutating func move(by rows: Int) {
        let (sum, overflows) = (isInChanges ? change : selected).addingReportingOverflow(rows)
        moveTo(index: overflows ? .max : sum)
    }

    mutating func moveToStart() { moveTo(index: 0) }

    mutating func moveToEnd() { moveTo(index: .max) }

    mutating func moveTo(index: Int) {
        if isInChanges {
            change = max(0, min(index, (selectedDetail?.changes.count ?? 0) - 1))
        } else {
            selected = max(0, min(index, transactions.count - 1))
            change = 0
            reveal()
        }
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

extension AppState {
    mutating func filterHistory(_ text: String) {
        do {
            let filter = try HistoryFilter(text, now: now)
            screen = .history
            history.show(filter)
            emit(.loadHistory(filter))
        } catch {
            tell("\(error)", isError: true)
            prompt = Prompt(kind: .historyFilter, editor: LineEditor(text))
            screen = .history
        }
    }

    /// Enter among the changes shows the clip in the list.
    mutating func openInHistory() {
        guard history.isInChanges else {
            history.isInChanges = history.selectedTransaction != nil
            return
        }
        guard let change = history.selectedChange else { return }
        guard change.isThere else {
            return tell("That clip is deleted; \(keys.name(of: .restore)) brings it back.")
        }
        screen = .list
        goTo(change.clip)
    }

    mutating func restore() {
        guard let transaction = history.selectedTransaction else { return }
        start(.restore(history.selectedChange?.clip, deletedBy: transaction.token))
        history.outdate()
    }
}
