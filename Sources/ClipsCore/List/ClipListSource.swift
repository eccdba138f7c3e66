package import HistoryTracking
package import PersistentStore

/// The store's side of a live list: answers its requests and tells it of changes.
///
/// Every message fits all messages before it: a request is answered from a snapshot to which the list has
/// first been brought, so that the list never sees a change twice or a row too early. Work goes with the
/// changes and the rows asked for; only counting, and jumping to an index, walk the index of the store.
package actor ClipListSource: HistoryConsumer {
    private nonisolated let container: PersistentContainer
    private nonisolated let ownSession: Int64?
    private nonisolated let deliver: @Sendable ([ClipListMessage]) -> Void
    private var query: ClipQuery
    private var generation = 0
    private var token: HistoryToken?
    private var anchor: SortPosition?
    private var rowsAround: Int

    /// - Parameter deliver: called in order, on the reader's thread; must not block.
    package init(
        store: ClipStore, query: ClipQuery = ClipQuery(), rowsAround: Int = 100,
        deliver: @escaping @Sendable ([ClipListMessage]) -> Void
    ) {
        container = store.container
        ownSession = store.session
        self.query = query
        self.rowsAround = rowsAround
        self.deliver = deliver
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { container.reader.unownedExecutor }

    /// Beyond so many changes a window costs less than the changes.
    package nonisolated var batchLimit: BatchLimit { .refreshBeyond(2000) }

    package nonisolated func refresh(from snapshot: StoreSnapshot) throws {
        try assumeIsolated { source in try source.readAnew(from: snapshot) }
    }

    package nonisolated func consume(_ transactions: [HistoryTransaction], in snapshot: StoreSnapshot) throws
    {
        try assumeIsolated { source in try source.catchUp(with: transactions, in: snapshot) }
    }

    package nonisolated func trackingDidChange(_ state: TrackingState) {
        deliver([.state(state)])
    }

    /// Answers a request of the list. `anchor` is where the list's cursor is, for the next full refresh.
    package func answer(_ request: LiveList<ClipRow>.Request, generation: Int, anchor: SortPosition?) async {
        guard generation == self.generation else { return }
        if let anchor { self.anchor = anchor }
        do {
            try await onSnapshot { source, snapshot in try source.reply(to: request, from: snapshot) }
        } catch {
            deliver([.failed("\(error)", requestNumber: request.number, generation: generation)])
        }
    }

    /// Shows another selection or order from now on; messages of the earlier one carry an older generation.
    package func show(_ query: ClipQuery, generation: Int, anchor: SortPosition?) async {
        guard generation > self.generation else { return }
        self.query = query
        self.generation = generation
        self.anchor = anchor
        do {
            try await onSnapshot { source, snapshot in try source.readAnew(from: snapshot) }
        } catch {
            deliver([.failed("\(error)", requestNumber: nil, generation: generation)])
        }
    }

    /// Counts the list's rows; apart from the first window, which need not wait for it.
    private func count() async {
        do {
            try await onSnapshot { source, snapshot in
                source.deliver([
                    .count(try snapshot.count(source.query.request), generation: source.generation)
                ])
            }
        } catch {
            deliver([.failed("\(error)", requestNumber: nil, generation: generation)])
        }
    }

    /// Runs `body` on a snapshot to which the list has been brought. All on one thread: nothing gets in between.
    private func onSnapshot(
        _ body: @escaping @Sendable (isolated ClipListSource, StoreSnapshot) throws -> Void
    ) async throws(StoreError) {
        try await container.read { snapshot in
            try self.assumeIsolated { source in
                try source.bring(to: snapshot)
                try body(source, snapshot)
            }
        }
    }

    private func readAnew(from snapshot: StoreSnapshot) throws {
        let newest = try snapshot.newestToken()
        let pages = ClipListPages(query: query, snapshot: snapshot)
        let window =
            if let anchor {
                try pages.around(anchor, before: rowsAround, after: rowsAround)
            } else {
                try pages.start(limit: rowsAround)
            }
        // Only now: what could not be read has to come again.
        token = newest
        deliver([.window(window, generation: generation)])
        if window.count == nil {
            let generation = generation
            Task { if generation == self.generation { await self.count() } }
        }
    }

    /// Tells the list of what has been committed up to the snapshot.
    private func bring(to snapshot: StoreSnapshot) throws {
        guard let token, try snapshot.newestToken() != token else { return }
        if case .refreshBeyond(let most) = batchLimit, try snapshot.hasMoreChanges(after: token, than: most) {
            return try readAnew(from: snapshot)
        }
        var transactions: [HistoryTransaction] = []
        try snapshot.forEachTransaction(HistoryFetchRequest(.token(token))) { transaction in
            transactions.append(transaction)
            return true
        }
        try catchUp(with: transactions, in: snapshot)
    }

    private func catchUp(with transactions: [HistoryTransaction], in snapshot: StoreSnapshot) throws {
        let number = token?.number ?? 0
        let news = transactions.filter { $0.number > number }
        let newest = try snapshot.newestToken()
        let changes = try ClipListChanges(query: query, snapshot: snapshot).changes(of: news)
        token = newest
        guard !news.isEmpty else { return }
        let summaries = news.map { TransactionSummary($0, ownSession: ownSession) }
        // Together, so that whoever shows them is woken and draws once.
        deliver(
            (changes.isEmpty ? [] : [.changes(changes, generation: generation)]) + [.transactions(summaries)])
    }

    private func reply(to request: LiveList<ClipRow>.Request, from snapshot: StoreSnapshot) throws {
        let pages = ClipListPages(query: query, snapshot: snapshot)
        var window: LiveList<ClipRow>.Window
        switch request.kind {
        case .after(let position, let limit):
            let (rows, isLast) = try pages.after(position, limit: limit)
            return deliver([
                .more(
                    rows, .after, reachedEdge: isLast, requestNumber: request.number, generation: generation)
            ])
        case .before(let position, let limit):
            let (rows, isFirst) = try pages.before(position, limit: limit)
            return deliver([
                .more(
                    rows, .before, reachedEdge: isFirst, requestNumber: request.number, generation: generation
                )
            ])
        case .start(let limit): window = try pages.start(limit: limit)
        case .end(let limit): window = try pages.end(limit: limit)
        case .around(let position, let before, let after):
            window = try pages.around(position, before: before, after: after)
        case .at(let index, let before, let after): window = try pages.at(index, before: before, after: after)
        }
        window.requestNumber = request.number
        deliver([.window(window, generation: generation)])
    }
}
