import ClipsCore
import FoundationEssentials
import PersistentStore

/// The transactions on the history screen, newest on top, and the cursor, which stays on its row.
struct HistoryList: Movable, Sendable {
    /// In the order of their numbers, so that news go to the end without moving the others.
    private var oldestFirst: [TransactionSummary] = []
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
    /// Going over the bound by this much before it is kept again makes a transaction cost nothing to forget.
    private static let slack = 500

    var transactions: ReversedCollection<[TransactionSummary]> { oldestFirst.reversed() }

    func transaction(at index: Int) -> TransactionSummary? {
        let place = oldestFirst.count - 1 - index
        return oldestFirst.indices.contains(place) ? oldestFirst[place] : nil
    }

    var selectedTransaction: TransactionSummary? { transaction(at: selected) }

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
        let staysAtTop = selected == 0 && !isInChanges
        let anchor = selectedTransaction?.id
        let screenRow = selected - top
        guard insert(more) else { return }
        if !staysAtTop, let anchor, let place = place(of: anchor) {
            selected = oldestFirst.count - 1 - place
            top = selected - screenRow
        }
        reveal()
    }

    /// False if nothing was news.
    private mutating func insert(_ more: [TransactionSummary]) -> Bool {
        var hasNews = false
        for transaction in more where filter.admits(transaction) {
            let place = lowerBound(of: transaction.id)
            guard place == oldestFirst.count || oldestFirst[place].id != transaction.id else { continue }
            oldestFirst.insert(transaction, at: place)
            hasNews = true
        }
        if oldestFirst.count > Self.most + Self.slack {
            oldestFirst.removeFirst(oldestFirst.count - Self.most)
        }
        return hasNews
    }

    private func place(of id: Int64) -> Int? {
        let place = lowerBound(of: id)
        return place < oldestFirst.count && oldestFirst[place].id == id ? place : nil
    }

    private func lowerBound(of id: Int64) -> Int {
        var range = 0..<oldestFirst.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = oldestFirst[middle].id < id ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
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
            selected = max(0, min(index, oldestFirst.count - 1))
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

    /// When an age on the screen is next another one.
    func nextAge(at now: Date) -> Date? {
        transactions.dropFirst(top).prefix(height).compactMap { Age.change(of: $0.timestamp, at: now) }.min()
    }

    private mutating func reveal() {
        selected = max(0, min(selected, oldestFirst.count - 1))
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
        guard change.exists else {
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
