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

    /// The changes of one step, and the number of clips that they add to the list.
    private enum Step: Sendable {
        case changed([ClipSummary], deleted: [Int64], added: Int, isCut: Bool)
        case refresh(count: Int)
    }

    private var steps: FollowedHistory<Step>.Iterator
    private var count: Int

    /// - Parameters:
    ///   - maxChanges: The maximum number of changes in an event.
    ///   - maxBytes: The maximum size of the clips in an event, as JSON.
    package init(of store: ClipStore, maxChanges: Int, maxBytes: Int) async throws(StoreError) {
        let token: HistoryToken
        (token, count) = try await store.container.read { snapshot throws(StoreError) in
            (try snapshot.newestToken(), try Self.count(in: snapshot))
        }
        let follower = HistoryFollower(after: token, limit: .refreshBeyond(maxChanges))
        let history = store.container.followedHistory(follower) {
            step, snapshot throws(StoreError) -> Step? in
            guard case .transactions(let transactions) = step else {
                return .refresh(count: try Self.count(in: snapshot))
            }
            let changes = transactions.flatMap(\.changes).filter { $0.objectID.entity == ClipModel.entity }
            return changes.isEmpty ? nil : try Self.step(changes, maxBytes: maxBytes, in: snapshot)
        }
        steps = history.makeAsyncIterator()
    }

    /// Returns the next event; nil after the store was closed. Commits that arrive together are one event.
    ///
    /// - Throws: `StoreError.replaced` if the store was replaced.
    package mutating func next() async throws(StoreError) -> Event? {
        switch try await steps.next() {
        case nil: return nil
        case .refresh(let count)?:
            self.count = count
            return .refresh
        case .changed(let clips, let deleted, let added, let isCut)?:
            count += added
            return isCut ? .refresh : .changed(clips, deleted: deleted, count: count)
        }
    }

    private static func count(in snapshot: borrowing StoreSnapshot) throws(StoreError) -> Int {
        try snapshot.count(FetchRequest(ClipModel.entity, where: ClipModel.notArchived))
    }

    private static func step(
        _ changes: [HistoryChange], maxBytes: Int, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Step {
        var seen: Set<Int64> = []
        let ids = changes.map(\.objectID.key).filter { seen.insert($0).inserted }
        let request = FetchRequest(clips: .keys(ids), [.archived])
        let present = Dictionary(
            uniqueKeysWithValues: try snapshot.fetch(request).map { ($0.id.key, $0.values) })
        func isListed(_ values: [String: AttributeValue]?) -> Bool {
            values.map { $0[ClipAttribute.archived.rawValue]?.booleanValue != true } ?? false
        }
        var earlier = present
        for change in changes.reversed() {
            earlier[change.objectID.key] = change.reverting(earlier[change.objectID.key])
        }
        let added = ids.reduce(0) { $0 + (isListed(present[$1]) ? 1 : 0) - (isListed(earlier[$1]) ? 1 : 0) }
        let shown = ids.filter { isListed(present[$0]) }
        let (clips, isCut) = try ClipStore.summaries(shown, maxBytes: maxBytes, in: snapshot)
        return .changed(clips, deleted: ids.filter { !isListed(present[$0]) }, added: added, isCut: isCut)
    }
}
