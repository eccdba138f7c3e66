package import PersistentStore
import SearchIndex

/// The number of unread clips of a list, counted up to a bound.
package struct UnreadCount: Hashable, Sendable {
    package var count: Int
    /// Whether there are no more.
    package var isAll: Bool

    package init(_ count: Int, isAll: Bool = true) { (self.count, self.isAll) = (count, isAll) }

    /// Counting takes a share of the time only, next to the list, so all unread clips of most stores are counted.
    fileprivate static let bounds = SearchBounds(limit: 100_000, maxRead: 400_000)
}

extension ClipStore {
    package func unreadCounts(
        _ queries: [ClipQuery]
    ) async throws(StoreError) -> [ClipQuery: UnreadCount] {
        var counts: [ClipQuery: UnreadCount] = [:]
        for query in queries {
            var unread = query
            unread.isUnreadOnly = true
            let (search, index) = (unread.search, index)
            // A snapshot for each, so that other reads do not wait for all.
            let found = try await container.read { snapshot throws(StoreError) in
                try index.count(search, upTo: UnreadCount.bounds, in: snapshot)
            }
            counts[query] = UnreadCount(found.count, isAll: found.isAll)
        }
        return counts
    }
}
