package import HistoryTracking
package import PersistentStore

/// The filter and the order of a live list.
package protocol LiveListQuery: Equatable, Sendable {
    /// The objects in the order of the list; a ``ListSelection`` may exclude some of them.
    var request: FetchRequest { get }
}

extension StoreRequest: LiveListQuery where Row == StoredObject {
    package var request: FetchRequest { self }
}

/// The store's side of a live list: answers its requests and reports changes to it.
///
/// Messages are consistent in their order: before a request is answered from a snapshot, the list receives
/// all changes up to that snapshot, so it never sees a change twice or a row too early.
///
/// - Complexity: Proportional to the changes and the requested rows, except counting and jumping to an index,
///   which read the store's index. See also ``SortedObjects``.
package actor LiveSource<Query: LiveListQuery, Row: StoredRow>: HistoryConsumer {
    package typealias List = LiveList<Row>

    nonisolated let container: PersistentContainer
    private nonisolated let select: @Sendable (Query) -> (any ListSelection)?
    private nonisolated let currentAnchor: (@Sendable () -> SortPosition?)?
    private nonisolated let makeCommit: @Sendable (HistoryTransaction) -> Row.Commit
    private nonisolated let deliver: @Sendable ([LiveMessage<Row>]) -> Void
    private let rowsAround: Int
    private(set) var query: Query
    private(set) var plan: ListPlan
    /// The hits of a query with a filter that the store cannot evaluate.
    private(set) var selection: (any ListSelection)?
    private var hasSelection = false
    /// Whether the list has the first rows of the selection, or all.
    private var hasRows = false
    /// The order of a list for which the store has no index.
    private(set) var sorted: SortedObjects?
    /// A request that waits for the selection.
    private var waiting: List.Request?
    private var generation = 0
    /// The state of the list in the history; nil before the first window.
    private var follower: HistoryFollower?
    private var lastAnchor: SortPosition?

    /// - Parameters:
    ///   - select: Returns the filter of a query that the store cannot evaluate; nil if there is none.
    ///   - anchor: Returns the position of the list's cursor, for a full refresh. Without it, the last
    ///     request's is used.
    ///   - commit: Returns a transaction in the form that the list receives.
    ///   - deliver: A closure called in order, on the reader's thread; must not block.
    package init(
        _ query: Query, in container: PersistentContainer, rowsAround: Int = 100,
        select: @escaping @Sendable (Query) -> (any ListSelection)? = { _ in nil },
        anchor: (@Sendable () -> SortPosition?)? = nil,
        commit: @escaping @Sendable (HistoryTransaction) -> Row.Commit,
        deliver: @escaping @Sendable ([LiveMessage<Row>]) -> Void
    ) {
        self.container = container
        self.query = query
        self.rowsAround = rowsAround
        self.select = select
        currentAnchor = anchor
        makeCommit = commit
        self.deliver = deliver
        plan = ListPlan(query.request, container.model)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { container.reader.unownedExecutor }

    /// With more changes, a full refresh costs less.
    package nonisolated var batchLimit: BatchLimit { .refreshBeyond(2000) }

    package nonisolated func refresh(from snapshot: borrowing StoreSnapshot) throws(StoreError) {
        try isolated(snapshot) { source, snapshot throws(StoreError) in
            try source.fullRefresh(from: snapshot)
        }
    }

    package nonisolated func consume(
        _ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        try isolated(snapshot) { source, snapshot throws(StoreError) in
            // Partial transactions are inconsistent with the snapshot's rows, so all are applied together.
            guard transactions.last?.token == (try snapshot.newestToken()) else {
                return try source.catchUp(to: snapshot)
            }
            try source.catchUp(with: transactions, in: snapshot)
        }
    }

    package nonisolated func trackingDidChange(_ state: TrackingState) {
        deliver([.state(state)])
    }

    /// Answers a request of the list.
    ///
    /// - Parameter anchor: The position of the list's cursor, for the next full refresh.
    package func answer(_ request: List.Request, generation: Int, anchor: SortPosition? = nil) async {
        guard generation == self.generation else { return }
        if let anchor { lastAnchor = anchor }
        do throws(StoreError) {
            try await onSnapshot { source, snapshot throws(StoreError) in
                try source.reply(to: request, from: snapshot)
            }
        } catch {
            deliver([.failed(error, requestNumber: request.number, generation: generation)])
        }
    }

    /// Sets the position of the list's cursor, for the next full refresh; nil for the start.
    package func setAnchor(_ anchor: SortPosition?, generation: Int) {
        if generation == self.generation { lastAnchor = anchor }
    }

    /// Shows another query. Messages of the earlier one have an older generation.
    ///
    /// - Parameter key: The object to show, if it is in the list, instead of the anchor.
    package func show(
        _ query: Query, generation: Int, anchor: SortPosition? = nil, around key: Int64? = nil
    ) async {
        do throws(StoreError) {
            try await onSnapshot { source, snapshot throws(StoreError) in
                guard generation > source.generation else { return }
                source.query = query
                source.generation = generation
                source.lastAnchor = anchor
                source.plan = ListPlan(query.request, source.container.model)
                let position: SortPosition? =
                    if let key { try source.position(of: key, in: snapshot) } else { nil }
                try source.fullRefresh(from: snapshot, around: position)
            }
        } catch {
            deliver([.failed(error, requestNumber: nil, generation: generation)])
        }
    }

    /// Returns the position of an object; nil if the store does not have it.
    func position(of key: Int64, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> SortPosition? {
        let request = FetchRequest(
            plan.request.entity, where: .keys([key]), attributes: plan.order.components.map(\.attribute))
        return try snapshot.fetch(request).first.map { plan.order.position(of: $0) }
    }

    /// Sorts an unfiltered list for which the store has no index.
    func sortIfNeeded(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard !hasSelection, sorted == nil, !plan.hasIndex else { return }
        sorted = try SortedObjects(plan.request, in: snapshot)
    }

    /// Runs `body` on a snapshot after reporting all changes up to it, without interruption on one thread.
    func onSnapshot<Value: Sendable>(
        _ body:
            @escaping @Sendable (isolated LiveSource, borrowing StoreSnapshot) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await container.read { snapshot throws(StoreError) in
            try self.isolated(snapshot) { source, snapshot throws(StoreError) in
                try source.catchUp(to: snapshot)
                return try body(source, snapshot)
            }
        }
    }

    /// Enters the actor, on whose thread the snapshot is.
    private nonisolated func isolated<Value: Sendable>(
        _ snapshot: borrowing StoreSnapshot,
        _ body: @Sendable (isolated LiveSource, borrowing StoreSnapshot) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try assumeIsolated { source in
            Result { () throws(StoreError) in try body(source, snapshot) }
        }.get()
    }
}

/// Reading the list again, and counting it.
extension LiveSource {
    /// - Parameter position: The position to show instead of the anchor.
    private func fullRefresh(
        from snapshot: borrowing StoreSnapshot, around position: SortPosition? = nil
    ) throws(StoreError) {
        let newest = try snapshot.newestToken()
        (selection, sorted, waiting) = (nil, nil, nil)
        // Nil if the list lacks the object around which it would be shown.
        var position = position
        let window: List.Window?
        if var selection = select(query) {
            hasSelection = true
            if let wanted = position, try !selection.seek(wanted, in: snapshot) { position = nil }
            if position == nil, let anchor { _ = try selection.seek(anchor, in: snapshot) }
            // An anchor of the same object may be its rank, which remains known if the object leaves the list.
            let isRank = if case .real? = lastAnchor?.values.first { true } else { false }
            if let position, !isRank || lastAnchor?.key != position.key { lastAnchor = position }
            try selection.extend(wanted: rowsAround, in: snapshot)
            self.selection = selection
            window = try selectionWindow(snapshot, around: position)
        } else {
            hasSelection = false
            if let position { lastAnchor = position }
            window = try plainWindow(snapshot, around: position ?? anchor)
        }
        // Not earlier: after an error, the next attempt reads everything again.
        follower = HistoryFollower(after: newest, limit: batchLimit)
        hasRows = window.map(Self.hasRows) ?? false
        if let window { deliver([.window(window, generation: generation), .reached(newest.number)]) }
        if window?.count == nil {
            let generation = generation
            Task { if generation == self.generation { await self.count() } }
        }
    }

    private var anchor: SortPosition? {
        if let currentAnchor { return currentAnchor() }
        return lastAnchor
    }

    private func plainWindow(
        _ snapshot: borrowing StoreSnapshot, around position: SortPosition?
    ) throws(StoreError) -> List.Window {
        // The first rows are shown before all are sorted.
        guard let position else { return try plainPages.start(limit: rowsAround, in: snapshot) }
        try sortIfNeeded(in: snapshot)
        return try plainPages.around(position, before: rowsAround, after: rowsAround, in: snapshot)
    }

    private var plainPages: any ListPages<Row> {
        if let sorted { OrderedPages(plan, sorted) } else { IndexedPages(plan) }
    }

    /// Returns nil until the hits are in the order of the list.
    private func selectionWindow(
        _ snapshot: borrowing StoreSnapshot, around position: SortPosition? = nil
    ) throws(StoreError) -> List.Window? {
        guard let selection, selection.isSorted else { return nil }
        let pages = OrderedPages<Row>(plan, selection)
        guard let position = position ?? anchor else {
            return try pages.start(limit: rowsAround, in: snapshot)
        }
        return try pages.around(position, before: rowsAround, after: rowsAround, in: snapshot)
    }

    /// Counts the list's rows, after the first window is delivered. A selection runs in steps, between which
    /// requests are answered.
    private func count() async {
        let generation = generation
        do throws(StoreError) {
            var isCounted = false
            while !isCounted && generation == self.generation {
                isCounted = try await onSnapshot { source, snapshot throws(StoreError) in
                    guard source.generation == generation else { return true }
                    try source.extendSelection(in: snapshot)
                    if let request = source.waiting { try source.reply(to: request, from: snapshot) }
                    guard source.selection?.isComplete ?? true else { return false }
                    try source.sortIfNeeded(in: snapshot)
                    let inMemory: (any ListOrder)? = source.selection ?? source.sorted
                    let count =
                        if let inMemory { inMemory.count } else {
                            try snapshot.count(source.plan.request)
                        }
                    source.deliver([.count(count, generation: generation)])
                    return true
                }
            }
        } catch {
            deliver([.failed(error, requestNumber: nil, generation: generation)])
        }
    }

    /// A list cannot request rows after an empty window.
    private static func hasRows(_ window: List.Window) -> Bool { !window.rows.isEmpty || window.reachesEnd }

    /// Runs one step of the selection, and shows a list whose order it completes, or whose first rows it finds.
    func extendSelection(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        let wasSorted = selection?.isSorted ?? true
        try selection?.extend(wanted: nil, in: snapshot)
        try moveUnmoved(in: snapshot)
        guard !hasRows, let window = try selectionWindow(snapshot) else { return }
        hasRows = Self.hasRows(window)
        guard !wasSorted || hasRows else { return }
        deliver(
            [.window(window, generation: generation)] + (follower.map { [.reached($0.token.number)] } ?? []))
    }
}

/// Changes and requests.
extension LiveSource {
    /// Moves the objects whose changes had to wait until others were found.
    private func moveUnmoved(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard var found = selection else { return }
        let keys = found.takeUnmoved()
        guard !keys.isEmpty else { return }
        // After an error, they remain to be moved.
        var patch = ListChanges(plan: plan, selection: found, sorted: nil)
        let changes = try patch.changes(ofUnmoved: keys, in: snapshot)
        selection = patch.selection
        guard hasRows, !changes.isEmpty else { return }
        deliver([.changes(changes.map { List.Change($0) }, generation: generation)])
    }

    /// Reports the changes that were committed up to a snapshot.
    private func catchUp(to snapshot: borrowing StoreSnapshot) throws(StoreError) {
        // Retains the position until the step is delivered.
        var next = follower
        switch try next?.next(in: snapshot) {
        case nil: return
        case .refresh: try fullRefresh(from: snapshot)
        case .transactions(let transactions): try catchUp(with: transactions, in: snapshot)
        }
    }

    private func catchUp(
        with transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        // The selection was lost when a change could not be read.
        guard !hasSelection || selection != nil else { return try fullRefresh(from: snapshot) }
        let number = follower?.token.number ?? 0
        let news = transactions.filter { $0.number > number }
        let current = HistoryFollower(after: try snapshot.newestToken(), limit: batchLimit)
        guard !news.isEmpty else {
            follower = current
            return
        }
        var patch = ListChanges(plan: plan, selection: selection, sorted: sorted)
        (selection, sorted) = (nil, nil)
        let changes = try patch.changes(of: news, in: snapshot)
        (selection, sorted) = (patch.selection, patch.sorted)
        var messages: [LiveMessage<Row>] = []
        if changes == nil {
            messages.append(.window(try plainWindow(snapshot, around: anchor), generation: generation))
        } else if let changes, !changes.isEmpty {
            messages.append(.changes(changes.map { List.Change($0) }, generation: generation))
        }
        follower = current
        // In one call, so that the receiver draws once.
        messages.append(.transactions(news.map(makeCommit)))
        deliver(messages)
    }

    /// Answers a request, or retains it until the selection has found enough.
    private func reply(to request: List.Request, from snapshot: borrowing StoreSnapshot) throws(StoreError) {
        waiting = nil
        guard let selection else {
            try sortIfNeeded(in: snapshot)
            return deliver([try request.answer(plainPages, generation, in: snapshot)])
        }
        let reach = selection.isSorted ? try request.reach(in: selection, snapshot) : .max
        guard selection.isComplete || selection.count >= reach else {
            waiting = request
            return
        }
        deliver([try request.answer(OrderedPages(plan, selection), generation, in: snapshot)])
    }
}
