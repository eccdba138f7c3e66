package import HistoryTracking
package import PersistentStore
import SearchIndex

/// The store's side of a live list: answers its requests and tells it of changes.
///
/// Every message fits all messages before it: a request is answered from a snapshot to which the list has
/// first been brought, so that the list never sees a change twice or a row too early. Work goes with the
/// changes and the rows asked for; only counting, and jumping to an index, walk the index of the store.
package actor ClipListSource: HistoryConsumer {
    nonisolated let container: PersistentContainer
    private nonisolated let ownSession: Int64?
    private nonisolated let deliver: @Sendable ([ClipListMessage]) -> Void
    nonisolated let index: SearchIndex
    private let reader = HistoryReader()
    private(set) var query: ClipQuery
    /// What is shown of a query with a filter.
    private(set) var selection: ClipSelection?
    /// The order of an unfiltered list, where no index of the store has it.
    private var sorted: SortedClips?
    /// A request for more than the search has found so far.
    private var waiting: LiveList<ClipRow>.Request?
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
        index = SearchIndex(store.container, ClipModel.searched)
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
        try assumeIsolated { source in
            // A part of the new transactions does not fit the snapshot's rows: all of them are applied together.
            guard transactions.last?.token == (try snapshot.newestToken()) else {
                return try source.bring(to: snapshot)
            }
            try source.catchUp(with: transactions, in: snapshot)
        }
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
    ///
    /// - Parameter clip: shown around this clip, if it is in the list, rather than around the anchor.
    package func show(
        _ query: ClipQuery, generation: Int, anchor: SortPosition?, around clip: Int64? = nil
    ) async {
        guard generation > self.generation else { return }
        self.query = query
        self.generation = generation
        self.anchor = anchor
        do {
            try await onSnapshot { source, snapshot in
                if let clip, let place = try source.place(of: clip, in: snapshot) { source.anchor = place }
                try source.readAnew(from: snapshot)
            }
        } catch {
            deliver([.failed("\(error)", requestNumber: nil, generation: generation)])
        }
    }

    private func place(of clip: Int64, in snapshot: StoreSnapshot) throws -> SortPosition? {
        var request = FetchRequest(ClipModel.entity, where: .keys([clip]))
        request.attributes = [query.sort.attribute]
        return try snapshot.fetch(request).first.map { snapshot.position(of: $0, in: query.sort) }
    }

    /// Counts the list's rows; apart from the first window, which need not wait for it. A search goes on in steps,
    /// between which others are answered.
    private func count() async {
        let generation = generation
        do {
            var isCounted = false
            while !isCounted && generation == self.generation {
                try await onSnapshot { source, snapshot in
                    guard source.generation == generation else { return }
                    try source.extendSelection(in: snapshot)
                    if let request = source.waiting { try source.reply(to: request, from: snapshot) }
                    guard source.selection?.isComplete ?? true else { return }
                    try source.sortIfNeeded(in: snapshot)
                    let count =
                        try source.selection?.count ?? source.sorted?.count
                        ?? snapshot.count(source.query.request)
                    source.deliver([.count(count, generation: generation)])
                }
                isCounted = selection?.isComplete ?? true
            }
        } catch {
            deliver([.failed("\(error)", requestNumber: nil, generation: generation)])
        }
    }

    /// One step; a list that waited for its order is shown once it has it.
    private func extendSelection(in snapshot: StoreSnapshot) throws {
        let wasSorted = selection?.isSorted ?? true
        try selection?.extend(index, in: snapshot)
        guard !wasSorted, let window = try selectionWindow(snapshot) else { return }
        deliver([.window(window, generation: generation)] + (token.map { [.reached($0.number)] } ?? []))
    }

    /// Runs `body` on a snapshot to which the list has been brought. All on one thread: nothing gets in between.
    func onSnapshot(
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
        let window = query.admitsAll ? try plainWindow(snapshot) : try foundWindow(snapshot)
        // Only now: what could not be read has to come again.
        token = newest
        if let window { deliver([.window(window, generation: generation), .reached(newest.number)]) }
        if window?.count == nil {
            let generation = generation
            Task { if generation == self.generation { await self.count() } }
        }
    }

    private func plainWindow(_ snapshot: StoreSnapshot) throws -> LiveList<ClipRow>.Window {
        (selection, sorted) = (nil, nil)
        guard let anchor else {
            // The first rows are told before all are sorted.
            return try ClipListPages(query: query, snapshot: snapshot).start(limit: rowsAround)
        }
        try sortIfNeeded(in: snapshot)
        return try plainPages(snapshot).around(anchor, before: rowsAround, after: rowsAround)
    }

    private func sortIfNeeded(in snapshot: StoreSnapshot) throws {
        guard query.admitsAll, sorted == nil, !query.isSortedByIndex else { return }
        sorted = try SortedClips(query, in: snapshot)
    }

    private func plainPages(_ snapshot: StoreSnapshot) -> any ListPages {
        guard let sorted else { return ClipListPages(query: query, snapshot: snapshot) }
        return OrderedPages(order: sorted, snapshot: snapshot)
    }

    private func foundWindow(_ snapshot: StoreSnapshot) throws -> LiveList<ClipRow>.Window? {
        var found = ClipSelection(query)
        try found.extend(index, in: snapshot, wanted: rowsAround)
        (waiting, sorted) = (nil, nil)
        selection = found
        return try selectionWindow(snapshot)
    }

    /// Nil until what was found is in the order of the list.
    private func selectionWindow(_ snapshot: StoreSnapshot) throws -> LiveList<ClipRow>.Window? {
        guard let found = selection, found.isSorted else { return nil }
        let pages = OrderedPages(order: found, snapshot: snapshot)
        guard let anchor else { return try pages.start(limit: rowsAround) }
        return try pages.around(anchor, before: rowsAround, after: rowsAround)
    }

    /// Tells the list of what has been committed up to the snapshot.
    private func bring(to snapshot: StoreSnapshot) throws {
        guard let token else { return }
        switch try reader.next(after: HistoryPosition(token), limit: batchLimit, in: snapshot) {
        case nil: return
        case .refresh: try readAnew(from: snapshot)
        case .batch(let batch): try catchUp(with: batch.transactions, in: snapshot)
        }
    }

    private func catchUp(with transactions: [HistoryTransaction], in snapshot: StoreSnapshot) throws {
        // Lost in a change that could not be read.
        guard query.admitsAll || selection != nil else { return try readAnew(from: snapshot) }
        let number = token?.number ?? 0
        let news = transactions.filter { $0.number > number }
        let newest = try snapshot.newestToken()
        var patch = ClipListChanges(query: query, snapshot: snapshot, selection: selection, sorted: sorted)
        (selection, sorted) = (nil, nil)
        let changes = try patch.changes(of: news)
        (selection, sorted) = (patch.selection, patch.sorted)
        token = newest
        guard !news.isEmpty else { return }
        let summaries = news.map { TransactionSummary($0, ownSession: ownSession) }
        // Together, so that whoever shows them is woken and draws once.
        deliver(
            (changes.isEmpty ? [] : [.changes(changes, generation: generation)]) + [.transactions(summaries)])
    }

    /// What the search has not come to yet is answered when it has.
    private func reply(to request: LiveList<ClipRow>.Request, from snapshot: StoreSnapshot) throws {
        waiting = nil
        let answer = ClipListAnswer(request: request, generation: generation)
        guard let found = selection else {
            try sortIfNeeded(in: snapshot)
            return deliver([try answer.message(plainPages(snapshot))])
        }
        let reach = found.isSorted ? try request.reach(in: found, snapshot) : .max
        guard found.isComplete || found.count >= reach else {
            waiting = request
            return
        }
        deliver([try answer.message(OrderedPages(order: found, snapshot: snapshot))])
    }
}

extension LiveList.Request where Row == ClipRow {
    /// How many found clips are needed to answer it.
    fileprivate func reach(in found: ClipSelection, _ snapshot: StoreSnapshot) throws -> Int {
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
