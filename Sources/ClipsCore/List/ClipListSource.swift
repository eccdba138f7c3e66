package import HistoryTracking
package import PersistentStore
import SearchIndex

/// The store's side of a live list: answers its requests and reports changes to it.
///
/// Messages are consistent in their order: before a request is answered from a snapshot, the list receives
/// all changes up to that snapshot, so it never sees a change twice or a row too early.
///
/// - Complexity: Proportional to the changes and the requested rows, except counting and jumping to an index,
///   which read the store's index.
package actor ClipListSource: HistoryConsumer {
    nonisolated let container: PersistentContainer
    private nonisolated let ownSession: Int64?
    private nonisolated let deliver: @Sendable ([ClipListMessage]) -> Void
    nonisolated let index: SearchIndex
    private let reader = HistoryReader()
    private(set) var query: ClipQuery
    /// The hits of a query with a filter.
    private(set) var selection: ClipSelection?
    /// The order of an unfiltered list for which the store has no index.
    private var sorted: SortedClips?
    /// A request that waits for the search.
    private var waiting: LiveList<ClipRow>.Request?
    private var generation = 0
    private var token: HistoryToken?
    private var anchor: SortPosition?
    private var rowsAround: Int

    /// - Parameter deliver: A closure called in order, on the reader's thread; must not block.
    package init(
        store: ClipStore, query: ClipQuery = ClipQuery(), rowsAround: Int = 100,
        deliver: @escaping @Sendable ([ClipListMessage]) -> Void
    ) {
        container = store.container
        ownSession = store.session
        index = store.index
        self.query = query
        self.rowsAround = rowsAround
        self.deliver = deliver
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { container.reader.unownedExecutor }

    /// With more changes, a full refresh costs less.
    package nonisolated var batchLimit: BatchLimit { .refreshBeyond(2000) }

    package nonisolated func refresh(from snapshot: borrowing StoreSnapshot) throws(StoreError) {
        try assumeIsolated { source in
            Result { () throws(StoreError) in try source.fullRefresh(from: snapshot) }
        }.get()
    }

    package nonisolated func consume(
        _ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        try assumeIsolated { source in
            Result { () throws(StoreError) in
                // Partial transactions are inconsistent with the snapshot's rows, so all are applied together.
                guard transactions.last?.token == (try snapshot.newestToken()) else {
                    return try source.catchUp(to: snapshot)
                }
                try source.catchUp(with: transactions, in: snapshot)
            }
        }.get()
    }

    package nonisolated func trackingDidChange(_ state: TrackingState) {
        deliver([.state(state)])
    }

    /// Answers a request of the list.
    ///
    /// - Parameter anchor: The position of the list's cursor, for the next full refresh.
    package func answer(_ request: LiveList<ClipRow>.Request, generation: Int, anchor: SortPosition?) async {
        guard generation == self.generation else { return }
        if let anchor { self.anchor = anchor }
        do {
            try await onSnapshot { source, snapshot throws(StoreError) in
                try source.reply(to: request, from: snapshot)
            }
        } catch {
            deliver([.failed("\(error)", requestNumber: request.number, generation: generation)])
        }
    }

    /// Shows another query. Messages of the earlier one have an older generation.
    ///
    /// - Parameter clip: The clip to show, if it is in the list, instead of the anchor.
    package func show(
        _ query: ClipQuery, generation: Int, anchor: SortPosition?, around clip: Int64? = nil
    ) async {
        guard generation > self.generation else { return }
        self.query = query
        self.generation = generation
        self.anchor = anchor
        do {
            try await onSnapshot { source, snapshot throws(StoreError) in
                if let clip, let position = try source.position(of: clip, in: snapshot) {
                    source.anchor = position
                }
                try source.fullRefresh(from: snapshot)
            }
        } catch {
            deliver([.failed("\(error)", requestNumber: nil, generation: generation)])
        }
    }

    private func position(of clip: Int64, in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> SortPosition?
    {
        var request = FetchRequest(ClipModel.entity, where: .keys([clip]))
        request.attributes = [query.sort.attribute]
        return try snapshot.fetch(request).first.map { snapshot.position(of: $0, in: [query.sort]) }
    }

    /// Counts the list's rows, after the first window is delivered. A search runs in steps, between which
    /// requests are answered.
    private func count() async {
        let generation = generation
        do {
            var isCounted = false
            while !isCounted && generation == self.generation {
                try await onSnapshot { source, snapshot throws(StoreError) in
                    guard source.generation == generation else { return }
                    try source.extendSelection(in: snapshot)
                    if let request = source.waiting { try source.reply(to: request, from: snapshot) }
                    guard source.selection?.isComplete ?? true else { return }
                    try source.sortIfNeeded(in: snapshot)
                    let known = source.selection?.count ?? source.sorted?.count
                    let count = if let known { known } else { try snapshot.count(source.query.request) }
                    source.deliver([.count(count, generation: generation)])
                }
                isCounted = selection?.isComplete ?? true
            }
        } catch {
            deliver([.failed("\(error)", requestNumber: nil, generation: generation)])
        }
    }

    /// Runs one step of the search, and shows a list whose order it completes.
    private func extendSelection(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        let wasSorted = selection?.isSorted ?? true
        try selection?.extend(index, in: snapshot)
        guard !wasSorted, let window = try selectionWindow(snapshot) else { return }
        deliver([.window(window, generation: generation)] + (token.map { [.reached($0.number)] } ?? []))
    }

    /// Runs `body` on a snapshot after reporting all changes up to it, without interruption on one thread.
    func onSnapshot(
        _ body: @Sendable (isolated ClipListSource, borrowing StoreSnapshot) throws(StoreError) -> Void
    ) async throws(StoreError) {
        try await container.read { snapshot throws(StoreError) in
            try self.assumeIsolated { source in
                Result { () throws(StoreError) in
                    try source.catchUp(to: snapshot)
                    try body(source, snapshot)
                }
            }.get()
        }
    }

    private func fullRefresh(from snapshot: borrowing StoreSnapshot) throws(StoreError) {
        let newest = try snapshot.newestToken()
        let window = query.admitsAll ? try plainWindow(snapshot) : try foundWindow(snapshot)
        // Not earlier: after an error, the next attempt reads everything again.
        token = newest
        if let window { deliver([.window(window, generation: generation), .reached(newest.number)]) }
        if window?.count == nil {
            let generation = generation
            Task { if generation == self.generation { await self.count() } }
        }
    }

    private func plainWindow(_ snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> LiveList<ClipRow>.Window
    {
        (selection, sorted) = (nil, nil)
        guard let anchor else {
            // The first rows are shown before all are sorted.
            return try ClipListPages(query: query).start(limit: rowsAround, in: snapshot)
        }
        try sortIfNeeded(in: snapshot)
        return try plainPages.around(anchor, before: rowsAround, after: rowsAround, in: snapshot)
    }

    private func sortIfNeeded(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard query.admitsAll, sorted == nil, !query.isSortedByIndex else { return }
        sorted = try SortedClips(query, in: snapshot)
    }

    private var plainPages: any ListPages {
        guard let sorted else { return ClipListPages(query: query) }
        return OrderedPages(order: sorted)
    }

    private func foundWindow(_ snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<ClipRow>
        .Window?
    {
        var found = ClipSelection(query)
        try found.extend(index, in: snapshot, wanted: rowsAround)
        (waiting, sorted) = (nil, nil)
        selection = found
        return try selectionWindow(snapshot)
    }

    /// Returns nil until the hits are in the order of the list.
    private func selectionWindow(_ snapshot: borrowing StoreSnapshot) throws(StoreError) -> LiveList<ClipRow>
        .Window?
    {
        guard let found = selection, found.isSorted else { return nil }
        let pages = OrderedPages(order: found)
        guard let anchor else { return try pages.start(limit: rowsAround, in: snapshot) }
        return try pages.around(anchor, before: rowsAround, after: rowsAround, in: snapshot)
    }

    /// Reports the changes that were committed up to a snapshot.
    private func catchUp(to snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard let token else { return }
        switch try reader.next(after: HistoryPosition(token), limit: batchLimit, in: snapshot) {
        case nil: return
        case .refresh: try fullRefresh(from: snapshot)
        case .batch(let batch): try catchUp(with: batch.transactions, in: snapshot)
        }
    }

    private func catchUp(with transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot)
        throws(StoreError)
    {
        // The selection was lost when a change could not be read.
        guard query.admitsAll || selection != nil else { return try fullRefresh(from: snapshot) }
        let number = token?.number ?? 0
        let news = transactions.filter { $0.number > number }
        let newest = try snapshot.newestToken()
        var patch = ClipListChanges(query: query, selection: selection, sorted: sorted)
        (selection, sorted) = (nil, nil)
        let changes = try patch.changes(of: news, in: snapshot)
        (selection, sorted) = (patch.selection, patch.sorted)
        token = newest
        guard !news.isEmpty else { return }
        let summaries = news.map { TransactionSummary($0, ownSession: ownSession) }
        // In one call, so that the receiver draws once.
        deliver(
            (changes.isEmpty ? [] : [.changes(changes, generation: generation)]) + [.transactions(summaries)])
    }

    /// Answers a request, or retains it until the search has found enough.
    private func reply(to request: LiveList<ClipRow>.Request, from snapshot: borrowing StoreSnapshot)
        throws(StoreError)
    {
        waiting = nil
        let answer = ClipListAnswer(request: request, generation: generation)
        guard let found = selection else {
            try sortIfNeeded(in: snapshot)
            return deliver([try answer.message(plainPages, in: snapshot)])
        }
        let reach = found.isSorted ? try request.reach(in: found, snapshot) : .max
        guard found.isComplete || found.count >= reach else {
            waiting = request
            return
        }
        deliver([try answer.message(OrderedPages(order: found), in: snapshot)])
    }
}

extension LiveList.Request where Row == ClipRow {
    /// Returns the number of hits that the answer needs.
    fileprivate func reach(in found: ClipSelection, _ snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> Int
    {
        switch kind {
        case .start(let limit): limit
        case .end: .max
        case .after(let position, let limit): try found.index(of: position, in: snapshot) + 1 + limit
        case .before: 0
        case .around(let position, _, let after): try found.index(of: position, in: snapshot) + after
        case .at(let index, _, let after): index + after
        }
    }
}
