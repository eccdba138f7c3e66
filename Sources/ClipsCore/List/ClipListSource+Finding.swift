package import PersistentStore
import SearchIndex
import Synchronization

/// Requests for rows beyond the window of the list.
extension ClipListSource {
    /// Returns the IDs of the rows between two positions, both included; none if the list shows another
    /// query.
    package func ids(
        _ query: ClipQuery, from first: SortPosition, through last: SortPosition, limit: Int
    ) async throws(StoreError) -> [Int64] {
        guard query == self.query else { return [] }
        if selection != nil {
            let ids = Mutex<[Int64]>([])
            try await onSnapshot { source, snapshot throws(StoreError) in
                guard let selection = source.selection, selection.isSorted else { return }
                let start = try selection.index(of: first, in: snapshot)
                let end = try selection.index(of: last.justAfter, in: snapshot)
                ids.withLock { $0 = selection.ids(start..<min(max(start, end), start + limit)) }
            }
            return ids.withLock { $0 }
        }
        var request = query.request
        request.attributes = []
        request.after = first.justBefore
        request.before = last.justAfter
        request.limit = limit
        return try await container.fetch(request).map(\.id.key)
    }

    /// Returns the nearest hit of a search after or before a position; without one, the first hit from the
    /// other end.
    ///
    /// Runs in steps, between which other requests are answered.
    package func nearestClip(
        _ query: ClipQuery, to position: SortPosition?, isForward: Bool
    ) async throws(StoreError) -> Int64? {
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
        let index = index
        var found = ClipSelection(query)
        while !found.isComplete {
            let begun = found
            found = try await container.read { snapshot throws(StoreError) in
                var found = begun
                try found.extend(index, in: snapshot)
                return found
            }
        }
        let all = found
        guard all.count > 0 else { return nil }
        return try await container.read { snapshot throws(StoreError) in
            guard let position else { return all.ids(isForward ? 0..<1 : all.count - 1..<all.count).first }
            let next =
                try all.index(of: isForward ? position.justAfter : position, in: snapshot)
                - (isForward ? 0 : 1)
            let index = (next + all.count) % all.count
            return all.ids(index..<index + 1).first
        }
    }
}

extension SearchPosition {
    /// Converts a position in a list sorted by creation time.
    fileprivate init?(_ position: SortPosition) {
        guard let created = position.values.first?.integerValue else { return nil }
        self.init(created: created, id: position.key)
    }
}
