import HistoryTracking
package import PersistentStore

/// The changes of clips by all processes, from now on, for a list in another program.
package struct ClipChangeFeed {
    package enum Event: Sendable {
        /// The present state of new and changed clips, the IDs of those that left the list because they were
        /// deleted or archived, and the number of clips in the list.
        case changed([ClipSummary], deleted: [Int64], count: Int)
        /// More changes than an event contains: read the list again.
        case refresh
    }

    private let store: ClipStore
    private let reader = HistoryReader()
    private var events: AsyncStream<StoreEvent>.Iterator
    private var position: HistoryPosition
    private var count: Int
    private let maxChanges: Int
    private let maxBytes: Int

    /// - Parameters:
    ///   - maxChanges: The maximum number of changes in an event.
    ///   - maxBytes: The maximum size of the clips in an event, as JSON.
    package init(of store: ClipStore, maxChanges: Int, maxBytes: Int) async throws(StoreError) {
        self.store = store
        self.maxChanges = maxChanges
        self.maxBytes = maxBytes
        // Watching begins before the first read, so that no commit falls between the two.
        events = try await store.container.events().makeAsyncIterator()
        (position, count) = try await store.container.read { snapshot throws(StoreError) in
            try Self.present(in: snapshot)
        }
    }

    /// Returns the next event; nil after the store was closed. Commits that arrive together are one event.
    ///
    /// - Throws: `StoreError.replaced` if the store was replaced.
    package mutating func next() async throws(StoreError) -> Event? {
        while let event = await events.next(isolation: #isolation) {
            switch event {
            case .replaced: throw .replaced(path: store.path)
            case .watchingByPolling: continue
            case .committed(let newest):
                if newest != position.token, let event = try await read() { return event }
            }
        }
        return nil
    }

    private static func present(in snapshot: borrowing StoreSnapshot) throws(StoreError) -> (
        HistoryPosition, count: Int
    ) {
        (
            HistoryPosition(try snapshot.newestToken()),
            try snapshot.count(FetchRequest(ClipModel.entity, where: ClipModel.notArchived))
        )
    }

    private mutating func read() async throws(StoreError) -> Event? {
        let (reader, start, known, maxChanges, maxBytes) = (reader, position, count, maxChanges, maxBytes)
        do {
            let (event, end, count) = try await store.container.read {
                snapshot throws(StoreError) -> (Event?, HistoryPosition, Int) in
                switch try reader.next(after: start, limit: .refreshBeyond(maxChanges), in: snapshot) {
                case nil: return (nil, start, known)
                case .refresh:
                    let (end, count) = try Self.present(in: snapshot)
                    return (.refresh, end, count)
                case .batch(let batch):
                    let changes = batch.transactions.flatMap(\.changes)
                        .filter { $0.objectID.entity == ClipModel.entity }
                    guard !changes.isEmpty else { return (nil, batch.end, known) }
                    let (event, count) = try Self.event(
                        changes, known: known, maxBytes: maxBytes, in: snapshot)
                    return (event, batch.end, count)
                }
            }
            (position, self.count) = (end, count)
            return event
        } catch {
            guard case .tokenExpired = error else { throw error }
            (position, count) = try await store.container.read { snapshot throws(StoreError) in
                try Self.present(in: snapshot)
            }
            return .refresh
        }
    }

    /// - Parameter known: The number of clips in the list before the changes.
    private static func event(
        _ changes: [HistoryChange], known: Int, maxBytes: Int, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (Event, count: Int) {
        var seen: Set<Int64> = []
        let ids = changes.map(\.objectID.key).filter { seen.insert($0).inserted }
        var request = FetchRequest(ClipModel.entity, where: .keys(ids))
        request.attributes = [ClipAttribute.archived.rawValue]
        let present = Dictionary(
            uniqueKeysWithValues: try snapshot.fetch(request).map { ($0.id.key, $0.values) })
        func isListed(_ values: [String: AttributeValue]?) -> Bool {
            values.map { $0[ClipAttribute.archived.rawValue]?.booleanValue != true } ?? false
        }
        var earlier = present
        for change in changes.reversed() {
            earlier[change.objectID.key] = change.reverting(earlier[change.objectID.key])
        }
        let count = ids.reduce(known) { count, id in
            count + (isListed(present[id]) ? 1 : 0) - (isListed(earlier[id]) ? 1 : 0)
        }
        let shown = ids.filter { isListed(present[$0]) }
        let (clips, isCut) = try ClipStore.summaries(shown, maxBytes: maxBytes, in: snapshot)
        guard !isCut else { return (.refresh, count) }
        return (.changed(clips, deleted: ids.filter { !isListed(present[$0]) }, count: count), count)
    }
}
