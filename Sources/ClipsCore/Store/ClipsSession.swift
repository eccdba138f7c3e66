import FoundationEssentials
package import HistoryTracking
package import PersistentStore
import Synchronization

/// An open store with a live list on it: what a front end needs, behind one name.
package final class ClipsSession: Sendable {
    package let store: ClipStore
    private let source: ClipListSource
    private let tracker: HistoryTracker
    private let indexing: Indexing
    private let tally = Mutex(HistoryCounter())

    /// What the transactions of a window on the list are called.
    package static let contextName = "window"

    private static let day = Duration.seconds(24 * 3600)

    /// What was done in the last week can be undone and restored, though every list has long shown it.
    ///
    /// A store that cannot be written is shown all the same: see ``ClipStore/obstacle``.
    ///
    /// - Parameter deliver: called in order, from another thread; must not block.
    package init(
        path: String, author: String, options: StoreOptions = StoreOptions(), query: ClipQuery = ClipQuery(),
        rowsAround: Int = 100, logger: any TrackingLogger = SilentLogger(),
        deliver: @escaping @Sendable ([ClipListMessage]) -> Void
    ) async throws(StoreError) {
        store = try await ClipStore.openToRead(
            path: path, author: author, contextName: Self.contextName, options: options)
        source = ClipListSource(store: store, query: query, rowsAround: rowsAround, deliver: deliver)
        indexing = Indexing(path: path, author: author, options: options) { deliver([.indexing($0)]) }
        let isRead = store.obstacle != nil
        // The list starts from what is there; its cursor only keeps the cleaning behind it, where it may be kept.
        var parameters = TrackingParameters(
            name: author, author: author,
            cursor: isRead ? .external(NoMemory()) : .transient(every: .seconds(2)),
            bounds: HistoryBounds(maximumAge: Self.day * 30, minimumAge: Self.day * 7), logger: logger)
        if isRead { parameters.cleaning = .none }
        tracker = HistoryTracker(container: store.container, parameters: parameters, consumer: source)
    }

    /// Delivers the first window and the state, then changes as they are committed.
    package func start() async throws(StoreError) { try await tracker.start() }

    package func stop() async {
        await indexing.stop()
        await tracker.stop()
        await store.container.close()
    }

    package func answer(_ request: LiveList<ClipRow>.Request, generation: Int, anchor: SortPosition?) async {
        await source.answer(request, generation: generation, anchor: anchor)
    }

    package func show(
        _ query: ClipQuery, generation: Int, anchor: SortPosition?, around clip: Int64? = nil
    ) async {
        if !query.admitsAll { indexing.start() }
        await source.show(query, generation: generation, anchor: anchor, around: clip)
    }

    /// See ``ClipListSource/ids(_:from:through:limit:)``.
    package func ids(
        _ query: ClipQuery, from first: SortPosition, through last: SortPosition, limit: Int
    ) async throws(StoreError) -> [Int64] {
        try await source.ids(query, from: first, through: last, limit: limit)
    }

    /// See ``ClipListSource/nearestClip(_:to:isForward:)``.
    package func nearestClip(
        _ query: ClipQuery, to place: SortPosition?, isForward: Bool
    ) async throws(StoreError) -> Int64? {
        try await source.nearestClip(query, to: place, isForward: isForward)
    }

    /// The newest transactions, oldest first.
    package func recentTransactions(
        limit: Int, where predicate: TransactionPredicate? = nil
    ) async throws(StoreError) -> [TransactionSummary] {
        let session = store.session
        return try await store.container.read { snapshot in
            var summaries: [TransactionSummary] = []
            let request = HistoryFetchRequest(.newest, where: predicate, limit: limit)
            try snapshot.forEachTransaction(request) { transaction in
                summaries.append(TransactionSummary(transaction, ownSession: session))
                return true
            }
            return summaries
        }
    }

    /// The changes of a transaction; nil when there is no such transaction.
    package func detail(of token: HistoryToken) async throws(StoreError) -> TransactionDetail? {
        try await store.container.read { try TransactionDetail(token, in: $0) }
    }

    /// Who follows the history, and what a cleaning by this app would take.
    package func cleaningPreview() async throws(StoreError) -> CleaningPreview {
        let now = Date(milliseconds: store.now())
        return try await store.container.read { snapshot in
            try self.tally.withLock { tally in
                try CleaningPreview(
                    youngest: now - 7 * 86400, oldest: now - 30 * 86400, tally: &tally, in: snapshot)
            }
        }
    }
}

/// Begins at the present each time.
private struct NoMemory: CursorStorage {
    func cursor(forKey key: String) -> String? { nil }
    func setCursor(_ text: String, forKey key: String) {}
}
