import LiveQuery
package import PersistentStore
import SearchIndex

/// Searching beyond the window of the list.
extension ClipListSource {
    /// Returns the nearest hit of a search after or before a position; without one, the first hit from the
    /// other end.
    ///
    /// Runs in steps, between which other requests are answered.
    package func nearestClip(
        _ query: ClipQuery, to position: SortPosition?, isForward: Bool
    ) async throws(StoreError) -> Int64? {
        guard !query.isRanked else {
            return try await nearestInRanks(query, to: position, isForward: isForward)
        }
        guard query.sort == ClipQuery.newestFirst else {
            return try await nearestInOrder(query, to: position, isForward: isForward)
        }
        let start = position.flatMap(SearchPosition.init)
        var (cursor, previous) = (isForward ? start.map(SearchCursor.init(after:)) : nil, Int64?.none)
        // Backward, the last hit before the position; without one, the last of all.
        var isPast = start == nil
        while true {
            let after = cursor
            let (index, step) = (index, SearchBounds(limit: isForward ? 1 : 2000, maxRead: 4000))
            let page = try await container.read { snapshot throws(StoreError) in
                try index.search(query.search, after: after, bounds: step, in: snapshot)
            }
            if isForward, let hit = page.hits.first { return hit.id }
            for hit in page.hits {
                if !isPast, let start, hit.position <= start {
                    if let previous { return previous }
                    isPast = true
                }
                previous = hit.id
            }
            cursor = page.next
            guard cursor == nil else { continue }
            guard isForward, start != nil, !isPast else { return previous }
            isPast = true
        }
    }

    private func nearestInOrder(
        _ query: ClipQuery, to position: SortPosition?, isForward: Bool
    ) async throws(StoreError) -> Int64? {
        let all = try await whole(query)
        guard all.count > 0 else { return nil }
        return try await container.read { snapshot throws(StoreError) in
            guard let position else { return all.keys(isForward ? 0..<1 : all.count - 1..<all.count).first }
            let next =
                try all.index(of: isForward ? position.justAfter : position, in: snapshot)
                - (isForward ? 0 : 1)
            let index = (next + all.count) % all.count
            return all.keys(index..<index + 1).first
        }
    }

    /// The ranks of the unread clips alone are others.
    private func nearestInRanks(
        _ query: ClipQuery, to position: SortPosition?, isForward: Bool
    ) async throws(StoreError) -> Int64? {
        var ranked = query
        ranked.isUnreadOnly = false
        let all = try await whole(ranked)
        let keys = all.keys(0..<all.count)
        let unread = ObjectPredicate.compare(ClipAttribute.unread.rawValue, .notEqual, .integer(0))
        let wanted = FetchRequest(
            ClipModel.entity, where: query.isUnreadOnly ? .and([.keys(keys), unread]) : .keys(keys))
        let hits = Set(try await container.read { snapshot throws(StoreError) in try snapshot.keys(wanted) })
        let order = isForward ? keys : keys.reversed()
        let start = position.flatMap { order.firstIndex(of: $0.key) }.map { $0 + 1 } ?? 0
        return (order[start...] + order[..<start]).first(where: hits.contains)
    }

    /// Runs a search to its end, in steps.
    private func whole(_ query: ClipQuery) async throws(StoreError) -> any ListSelection {
        var found = query.selection(index)
        while !found.isComplete {
            let begun = found
            found = try await container.read { snapshot throws(StoreError) in
                var found = begun
                try found.extend(wanted: nil, in: snapshot)
                return found
            }
        }
        return found
    }
}

extension SearchPosition {
    /// Converts a position in a list sorted by creation time.
    fileprivate init?(_ position: SortPosition) {
        guard let created = position.values.first?.integerValue else { return nil }
        self.init(created: created, id: position.key)
    }
}
