import FoundationEssentials
import HistoryTracking
import LiveQuery
package import PersistentStore
import Synchronization

/// An open store with a live list on it.
package final class ClipsSession: Sendable {
    package let store: ClipStore
    private let window: WindowNumber
    package let source: ClipListSource
    private let tracker: HistoryTracker
    private let indexing: BackgroundIndexing
    private let mirror: SessionMirror
    /// The reader's thread, so that waiting for commits needs no thread of its own.
    private let executor: (any TaskExecutor)?
    private let commits = Mutex<StoreSignals?>(nil)
    private let counter = Mutex(HistoryCounter())

    private static let day = Duration.seconds(24 * 3600)

    /// Opens a store; read-only if it cannot be written, see ``ClipStore/readOnlyReason``.
    ///
    /// - Parameters:
    ///   - startsMirror: Whether to start the mirror of a store that has, or gets, one.
    ///   - deliver: A closure called in order, from another thread; must not block.
    package init(
        path: String, author: String, options: StoreOptions = StoreOptions(), query: ClipQuery = ClipQuery(),
        rowsAround: Int = 100, startsMirror: Bool = false,
        deliver: @escaping @Sendable ([ClipListMessage]) -> Void
    ) async throws(StoreError) {
        let opened = try await ClipStore.openToRead(
            path: path, author: author, contextName: WindowNumber.word(1), options: options)
        window = WindowNumber(store: opened.path, author: author)
        store = opened.acting(asWindow: window.value)
        source = ClipListSource(store: store, query: query, rowsAround: rowsAround, deliver: deliver)
        indexing = BackgroundIndexing(path: path, author: author, options: options) {
            deliver([.indexing($0, wasBehind: $1)])
        }
        let isReadOnly = store.readOnlyReason != nil
        executor = options.readerLoop
        mirror = SessionMirror(store: path, starts: startsMirror) {
            deliver([.mirror($0, conflicts: $1)])
        }
        // The list starts from the present state; its cursor only holds back the cleaning, which retains a
        // week in any case so that recent changes can be undone and restored.
        var parameters = TrackingParameters(name: author)
        parameters.author = author
        parameters.cursor = isReadOnly ? .external(VolatileCursor()) : .transient(every: .seconds(2))
        parameters.bounds = HistoryBounds(maximumAge: Self.day * 30, minimumAge: Self.day * 7)
        parameters.logger = nil
        if isReadOnly { parameters.cleaning = .none }
        tracker = HistoryTracker(container: store.container, parameters: parameters, consumer: source)
    }

    /// Delivers the first window and the state, then changes as they are committed.
    package func start() async throws(StoreError) {
        mirror.update()
        try await tracker.start()
        // Adding or removing a mirror commits its state.
        let signals = try await store.container.signals()
        commits.withLock { $0 = signals }
        Task(executorPreference: executor) { [mirror, indexing] in
            while await signals.next() != nil {
                mirror.update()
                indexing.follow()
            }
        }
    }

    package func stop() async {
        commits.withLock { $0?.finish() }
        mirror.end()
        await indexing.stop()
        await tracker.stop()
        await store.close()
    }

    package func show(
        _ query: ClipQuery, generation: Int, anchor: SortPosition?, around clip: Int64? = nil
    ) async {
        indexing.use(!query.admitsAll)
        await source.list.show(query, generation: generation, anchor: anchor, around: clip)
    }

    /// Returns the newest transactions after those that the offset skips, oldest first.
    package func recentTransactions(
        limit: Int, offset: Int = 0, where predicate: TransactionPredicate? = nil
    ) async throws(StoreError) -> [TransactionSummary] {
        try await transactions(HistoryFetchRequest(.newest, where: predicate, limit: limit, offset: offset))
    }

    /// Returns the number of the last transaction that has been purged, or a later one before those that were not.
    package func lastPurged() async throws(StoreError) -> Int64 {
        try await store.container.read { snapshot throws(StoreError) in
            var first: Int64?
            let request = HistoryFetchRequest(.beginning, limit: 1, includesChanges: false)
            try snapshot.forEachTransaction(request) { transaction in
                first = transaction.number
                return false
            }
            guard let first else { return try snapshot.newestToken().number }
            return first - 1
        }
    }

    /// Returns the transactions after one, oldest first, or the newest if they are too many or were purged.
    package func transactions(
        after known: Int64, limit: Int, where predicate: TransactionPredicate? = nil
    ) async throws(StoreError) -> [TransactionSummary] {
        let most = Int(Self.maxRow)
        let request = HistoryFetchRequest(.afterTransaction(known), where: predicate, limit: most + 1)
        do {
            let new = try await transactions(request)
            if new.count <= most { return new }
        } catch .tokenExpired {
        }
        return try await recentTransactions(limit: limit, where: predicate)
    }

    private func transactions(
        _ request: HistoryFetchRequest
    ) async throws(StoreError) -> [TransactionSummary] {
        let session = store.session
        return try await store.container.read { snapshot throws(StoreError) in
            var summaries: [TransactionSummary] = []
            try snapshot.forEachTransaction(request) { transaction in
                summaries.append(TransactionSummary(transaction, ownSession: session))
                return true
            }
            return summaries
        }
    }

    /// The maximum number of changes by an external writer that are read as one row of the history.
    private static let maxRow: Int64 = 20_000

    /// Returns the transactions of the newest row of the history, or of a step of undo the newest with its first
    /// changes, and whether the row has no others; nil without any.
    package func newestRow() async throws(StoreError) -> ([TransactionSummary], isWhole: Bool)? {
        let session = store.session
        return try await store.container.read { snapshot throws(StoreError) in
            let token = try snapshot.newestToken()
            guard let newest = try snapshot.transaction(token, maxChanges: ClipStore.partSize) else {
                return nil
            }
            var summary = TransactionSummary(newest, ownSession: session)
            summary.clipTitle = try snapshot.titleOfOnlyClip(in: newest)
            guard newest.isComplete, summary.isPart, summary.step == nil else {
                return ([summary], isWhole: newest.isComplete)
            }
            var row: [TransactionSummary] = []
            let start = max(0, summary.id - Self.maxRow)
            // One by one: the changes have the deleted texts.
            try snapshot.forEachTransaction(after: start, where: .authors([nil])) { transaction in
                let next = TransactionSummary(transaction, ownSession: session)
                if let last = row.last, !next.continues(last) { row = [] }
                row.append(next)
                return true
            }
            if row.count == 1 { row = [summary] }
            return (row, isWhole: start == 0 || row.first?.id != start + 1)
        }
    }

    /// Returns the values after changes that their words need, by the number of the change, as far as they are known.
    package func values(
        after changes: [TransactionSummary.Line]
    ) async throws(StoreError) -> [Int64: ValuesAfter] {
        guard !changes.isEmpty else { return [:] }
        let lacking = changes.reduce(into: Set()) { $0.formUnion($1.words.lacking) }
        return try await store.container.read { snapshot throws(StoreError) in
            try snapshot.values(lacking, after: changes.map { ($0.number, $0.clip) })
        }
    }

    /// Returns the changes of a number of transactions; nil if there is no transaction of the token.
    package func detail(
        of token: HistoryToken, count: Int = 1
    ) async throws(StoreError) -> TransactionDetail? {
        try await store.container.read { snapshot throws(StoreError) in
            try TransactionDetail(token, count: count, in: snapshot)
        }
    }

    /// Returns the consumers of the history, and the part of it that a cleaning by this app would delete.
    package func cleaningPreview() async throws(StoreError) -> CleaningPreview {
        let now = Date(milliseconds: store.now())
        return try await store.container.read { snapshot throws(StoreError) in
            try self.counter.withLock { counter throws(StoreError) in
                try CleaningPreview(
                    youngest: now - 7 * 86400, oldest: now - 30 * 86400, counter: &counter, in: snapshot)
            }
        }
    }
}
