import ClipsCore
import FoundationEssentials
import PersistentStore
import Platform

/// A row of the history screen: a transaction, or consecutive transactions of one step of undo, or of an unknown external
/// writer.
///
/// The store records each change of such a writer as a transaction, so one statement may make many.
struct HistoryRow {
    /// The oldest first.
    let transactions: ArraySlice<TransactionSummary>
    /// Whether the row may have begun earlier than its first loaded transaction, or ended later than the last.
    var isCut = false

    var isFolded: Bool { transactions.count > 1 }
    var newest: TransactionSummary? { transactions.last }

    /// The number of transactions whose clips are compared: a row is drawn after each commit, and may have many.
    static let maxCounted = 20_000
    var counted: ArraySlice<TransactionSummary> { transactions.suffix(Self.maxCounted) }
}

/// The transactions on the history screen, the newest first, and the cursor, which stays on its transaction.
struct HistoryList: Navigable, Sendable {
    /// In the order of their numbers, so that new transactions are appended without moving the others.
    private var oldestFirst: [TransactionSummary] = []
    /// The offset of the first transaction of each row.
    private var starts: [Int] = []
    /// The transactions of the rows that the user unfolded.
    private var unfolded: Set<Int64> = []
    /// The transactions before which others were not loaded, or were removed.
    private var cuts: Set<Int64> = []
    private(set) var selected = 0
    private(set) var top = 0
    private(set) var height = 1
    private(set) var filter = HistoryFilter()
    var titles = HistoryTitles()
    /// The changes of the row that was selected when they were loaded.
    private(set) var detail: TransactionDetail?
    private var requested: (token: HistoryToken, count: Int)?
    /// Whether the keys move among the changes.
    var isInChanges = false
    /// Whether the cursor stays on the first row, which the user has opened, although newer ones arrive.
    var holdsRow = false
    /// Whether there were commits while the history was not shown.
    var hasNews = false
    /// Whether the transactions have been read.
    private(set) var isLoaded = false
    /// Whether the store may have older transactions.
    private(set) var isCut = false
    /// Whether the cursor goes to the oldest transaction, once it is loaded.
    private var seeksEnd = false
    /// The number of transactions after which older ones were requested.
    private var requestedCount = 0
    private(set) var change = 0
    /// Whether Enter waits for the changes of the selected transaction.
    var opensWhenLoaded = false

    /// The number of transactions in a load.
    static let loadCount = 500
    private static let maxCount = 2000
    /// The maximum number of transactions of a screen, of which one row may have a million.
    static let mostCount = 100_000
    /// Removing this many transactions together makes the cost of each negligible.
    private static let slack = 500

    var transactions: ReversedCollection<[TransactionSummary]> { oldestFirst.reversed() }

    /// The number of rows.
    var count: Int { starts.count }

    func row(at index: Int) -> HistoryRow? {
        let row = starts.count - 1 - index
        guard starts.indices.contains(row) else { return nil }
        let end = row + 1 < starts.count ? starts[row + 1] : oldestFirst.count
        let (first, next) = (oldestFirst[starts[row]], end < oldestFirst.count ? oldestFirst[end].id : 0)
        let isCut =
            end - starts[row] > 1 && cuts.contains(first.id)
            || first.isPart && cuts.contains(next)
        return HistoryRow(transactions: oldestFirst[starts[row]..<end], isCut: isCut)
    }

    var selectedRow: HistoryRow? { row(at: selected) }

    /// The selected transaction; nil in a folded row.
    var selectedTransaction: TransactionSummary? {
        selectedRow.flatMap { $0.isFolded ? nil : $0.newest }
    }

    /// The changes of the selected row; nil until they are loaded.
    var selectedDetail: TransactionDetail? {
        guard let detail, let wanted = selectedRow?.detailed else { return nil }
        return (detail.token, detail.count) == wanted ? detail : nil
    }

    var selectedChange: TransactionDetail.Change? {
        guard isInChanges, let changes = selectedDetail?.changes, changes.indices.contains(change) else {
            return nil
        }
        return changes[change]
    }

    /// The selected change, or the only one of the row.
    var meantChange: TransactionDetail.Change? {
        selectedChange ?? selectedDetail.flatMap { $0.changes.count == 1 && !$0.isCut ? $0.changes[0] : nil }
    }

    mutating func show(_ filter: HistoryFilter) {
        self = HistoryList(height: height, filter: filter)
    }

    init(height: Int = 1, filter: HistoryFilter = HistoryFilter()) {
        self.height = height
        self.filter = filter
    }

    /// Adds a load, which may lack transactions before its first.
    ///
    /// - Parameters:
    ///   - isOlder: Whether it ends where the list begins.
    ///   - purged: The last transaction that the store has purged.
    mutating func addLoad(_ transactions: [TransactionSummary], isOlder: Bool = false, purged: Int64 = 0) {
        discard(upTo: purged)
        if isOlder || !isLoaded { isCut = transactions.count >= Self.loadCount }
        isLoaded = true
        if isOlder, let oldest = oldestFirst.first { cuts.remove(oldest.id) }
        if transactions.count >= Self.loadCount, let first = transactions.first, offset(of: first.id) == nil {
            cuts.insert(first.id)
        }
        add(transactions)
        if seeksEnd { moveToEnd() }
    }

    /// Removes all, since later ones are not adjacent to them.
    mutating func discard() { discard(upTo: .max) }

    /// Removes those that are no longer in the store.
    private mutating func discard(upTo purged: Int64) {
        let count = oldestFirst.prefix { $0.id <= purged }.count
        guard count > 0 else { return }
        oldestFirst.removeFirst(count)
        (selected, isCut) = (min(selected, max(0, oldestFirst.count - 1)), false)
        layOutRows()
        reveal()
    }

    /// Adds the transactions that match the filter and are not in the list, oldest first.
    mutating func add(_ more: [TransactionSummary]) {
        titles.update(after: more)
        let staysAtTop = selected == 0 && !isInChanges && !holdsRow
        let anchor = selectedRow?.transactions.first?.id
        if isInChanges, let anchor { unfolded.insert(anchor) }
        let screenRow = selected - top
        guard let first = insert(more) else { return }
        layOutRows(from: first)
        if !staysAtTop, let anchor, let offset = offset(of: anchor) {
            selected = starts.reversed().prefix { $0 > offset }.count
            top = selected - screenRow
        }
        discardOldest()
        reveal()
    }

    /// Returns the offset of the first new transaction; nil if none was new.
    private mutating func insert(_ more: [TransactionSummary]) -> Int? {
        let admitted = more.filter(filter.admits)
        let oldest = oldestFirst.first?.id ?? 0
        // Each insertion at the start would move all others.
        let older = admitted.prefix { $0.id < oldest }
        oldestFirst.insert(contentsOf: older, at: 0)
        var first = older.isEmpty ? nil : 0
        for transaction in admitted.dropFirst(older.count) {
            let offset = lowerBound(of: transaction.id)
            guard offset == oldestFirst.count || oldestFirst[offset].id != transaction.id else { continue }
            oldestFirst.insert(transaction, at: offset)
            first = min(first ?? offset, offset)
        }
        return first
    }

    private mutating func discardOldest() {
        // Those near the cursor remain, and what a screen shows after it: a row may have thousands.
        let last = starts.count - 1 - (selected + 2 * height)
        let shown = oldestFirst.count - (last < 0 ? 0 : starts[last])
        let count = max(Self.maxCount, min(shown, Self.mostCount))
        guard oldestFirst.count > count + Self.slack else { return }
        oldestFirst.removeFirst(oldestFirst.count - count)
        isCut = true
        let oldest = oldestFirst[0].id
        unfolded = unfolded.filter { $0 >= oldest }
        cuts = cuts.filter { $0 >= oldest }
        cuts.insert(oldest)
        layOutRows()
    }

    /// - Parameter start: The offset of the first change, since most transactions are appended.
    private mutating func layOutRows(from start: Int = 0) {
        starts.removeSubrange((starts.lastIndex { $0 < start }.map { $0 + 1 } ?? 0)...)
        for offset in start..<oldestFirst.count {
            let id = oldestFirst[offset].id
            if offset > 0, oldestFirst[offset].isNext(to: oldestFirst[offset - 1]) { cuts.remove(id) }
            guard offset > 0, oldestFirst[offset].continues(oldestFirst[offset - 1]) else {
                starts.append(offset)
                continue
            }
            // What continues an unfolded row is not folded either.
            if unfolded.contains(oldestFirst[offset - 1].id) { unfolded.insert(id) }
            if unfolded.contains(id) { starts.append(offset) }
        }
    }

    /// Unfolds the selected row, or switches between the rows and the changes.
    mutating func switchPane() {
        guard let row = selectedRow, row.isFolded else { return isInChanges.toggle() }
        unfolded.formUnion(row.transactions.map(\.id))
        layOutRows()
    }

    private func offset(of id: Int64) -> Int? {
        let offset = lowerBound(of: id)
        return offset < oldestFirst.count && oldestFirst[offset].id == id ? offset : nil
    }

    private func lowerBound(of id: Int64) -> Int { oldestFirst.partitionPoint { $0.id >= id } }

    /// Returns the first of the transactions whose changes must be loaded, once, and their number.
    mutating func nextRequest() -> (token: HistoryToken, count: Int)? {
        guard let wanted = selectedRow?.detailed, requested.map({ $0 != wanted }) ?? true else { return nil }
        requested = wanted
        return wanted
    }

    /// Returns the number of transactions after which older ones must be loaded, once the cursor is near the last.
    mutating func nextOlder() -> Int? {
        guard isCut, isLoaded, selected + height >= count, requestedCount != oldestFirst.count,
            oldestFirst.count < Self.mostCount
        else { return nil }
        requestedCount = oldestFirst.count
        return requestedCount
    }

    /// Whether the cursor is at the end of the most transactions of a screen, and the store has older ones.
    var endsEarly: Bool {
        isCut && oldestFirst.count >= Self.mostCount && !isInChanges && count > 0 && selected == count - 1
    }

    /// Returns the clips on the screen whose titles, and the changes whose tags must be loaded.
    mutating func nextTitles() -> (clips: [Int64], changes: [TransactionSummary.Line]) {
        let folded = selectedRow.flatMap { $0.isFolded ? $0.shownLines : nil } ?? []
        return titles.request((top..<top + height).compactMap { row(at: $0)?.newestLine } + folded)
    }

    mutating func show(_ detail: TransactionDetail?, of token: HistoryToken) {
        guard token == requested?.token else { return }
        self.detail = detail
        change = max(0, min(change, (detail?.changes.count ?? 0) - 1))
    }

    /// Loads the changes again, since the store has changed.
    mutating func invalidate() { requested = nil }

    /// Loads the changes again if transactions affect the clips they name.
    mutating func invalidate(after transactions: [TransactionSummary]) {
        guard let detail = selectedDetail else { return }
        let shown = Set(detail.changes.map(\.clip))
        let isAffected = transactions.contains { transaction in
            (transaction.insertedClips + transaction.deletedClips).contains { shown.contains($0) }
                || transaction.lines.contains { shown.contains($0.clip) }
        }
        if isAffected { invalidate() }
    }

    var index: Int { isInChanges ? change : selected }

    mutating func moveToNewest() {
        isInChanges = false
        moveTo(index: 0)
    }

    mutating func moveTo(index: Int) {
        if isInChanges {
            change = max(0, min(index, (selectedDetail?.changes.count ?? 0) - 1))
        } else {
            seeksEnd = index == .max && isCut && oldestFirst.count < Self.mostCount
            (selected, holdsRow) = (max(0, min(index, count - 1)), false)
            change = 0
            reveal()
        }
    }

    mutating func resize(height: Int) {
        self.height = max(1, height)
        reveal()
    }

    /// The time when an age on the screen next changes.
    func nextAge(at now: Date) -> Date? {
        (top..<top + height).compactMap { row(at: $0)?.newest }
            .compactMap { Age.change(of: $0.timestamp, at: now) }.min()
    }

    private mutating func reveal() {
        selected = max(0, min(selected, count - 1))
        top = max(0, min(max(top, selected + 1 - height), selected, count - height))
    }
}

extension AppState {
    mutating func toggleHistory() {
        if screen == .history { screen = .list } else { showHistory() }
    }

    mutating func showHistory() {
        (screen, history.holdsRow) = (.history, false)
        if history.hasNews { history.moveToNewest() }
        history.hasNews = false
        emit(.loadHistory(history.filter))
    }

    mutating func filterHistory(_ text: String) {
        screen = .history
        do {
            let filter = try HistoryFilter(text, now: now)
            history.show(filter)
            emit(.loadHistory(filter))
        } catch {
            report("\(error)", isError: true)
            prompt = Prompt(kind: .historyFilter, text: text)
        }
    }

    /// Goes from a change, or a row of one, to its clip in the list; unfolds another row, or moves into its changes.
    mutating func openInHistory() {
        history.holdsRow = history.selectedRow != nil
        guard history.selectedTransaction == nil || history.selectedDetail != nil else {
            history.opensWhenLoaded = true
            return
        }
        guard history.isInChanges || history.meantChange?.exists == true || history.selectedRow == nil else {
            return history.switchPane()
        }
        guard let change = history.meantChange else { return }
        guard let clip = change.present else {
            let row = change.kind == .delete ? "" : " on the change that deleted it"
            return report("\(change.subject) is deleted; \(keys.name(of: .restore))\(row) restores it.")
        }
        screen = .list
        goToAnywhere(clip)
    }

    mutating func finishLoading(_ detail: TransactionDetail?, of token: HistoryToken) {
        history.show(detail, of: token)
        guard history.opensWhenLoaded, screen == .history else { return }
        history.opensWhenLoaded = false
        if history.selectedDetail == nil { history.switchPane() } else { openInHistory() }
    }

    func restoreUnavailabilityReason(on screen: Screen) -> String? {
        guard screen == .history else {
            return "\(keys.name(of: .history)) shows the history, where deleted clips can be restored."
        }
        guard history.count > 0 else {
            return history.isLoaded ? "No transaction is shown." : "The history is loading; try again."
        }
        guard let transaction = history.selectedTransaction else {
            let hasDeleted = history.selectedRow.map { $0.sums.deleted > 0 || $0.isCut } ?? false
            return hasDeleted ? nil : "These transactions deleted nothing."
        }
        if let change = history.meantChange {
            if change.kind != .delete {
                return "This change did not delete \(change.title.isEmpty ? "the clip" : change.subject)."
            }
            return change.exists ? "\(change.subject) already exists." : nil
        }
        return transaction.deleted == 0 ? "This transaction deleted nothing." : nil
    }

    mutating func restore() {
        guard let row = history.selectedRow, let newest = row.newest else { return }
        start(
            row.isFolded
                ? .restoreRow(of: row.sums.deleted, endingAt: newest.token)
                : .restore(
                    history.selectedChange?.clip, title: history.meantChange?.title ?? "", of: newest.deleted,
                    deletedBy: newest.token))
        history.invalidate()
    }
}

extension TransactionDetail.Change {
    /// The clip in a sentence.
    fileprivate var subject: String { title.isEmpty ? "The clip" : Clip.quoted(title) }
}
