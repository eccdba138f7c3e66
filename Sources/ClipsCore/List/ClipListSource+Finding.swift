package import PersistentStore
import SearchIndex
import Synchronization

/// What is asked of the list's rows beside those on the screen.
extension ClipListSource {
    /// The ids of the rows between two places, both included, if the list is still the one that is meant.
    package func ids(
        _ query: ClipQuery, from first: SortPosition, through last: SortPosition, limit: Int
    ) async throws(StoreError) -> [Int64] {
        guard query == self.query else { return [] }
        if selection != nil {
            let ids = Mutex<[Int64]>([])
            try await onSnapshot { source, snapshot in
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
        let wanted = request
        return try await container.read { try $0.fetch(wanted).map(\.id.key) }
    }

    /// The nearest clip of a search behind a place, or before it; from the other end on when there is none.
    /// The search continues in steps, between which others are answered.
    package func nearestClip(
        _ query: ClipQuery, to place: SortPosition?, isForward: Bool
    ) async throws(StoreError) -> Int64? {
        guard query.sort == ClipQuery.newestFirst else {
            return try await nearestInOrder(query, to: place, isForward: isForward)
        }
        let start = place.flatMap(SearchPosition.init)
        var (cursor, previous) = (isForward ? start.map(SearchCursor.init(after:)) : nil, Int64?.none)
        // Before the place, or, when there is none before it, to the last of all.
        var isPast = start == nil
        while true {
            let after = cursor
            let (index, step) = (index, SearchBounds(limit: isForward ? 1 : 2000, maxRead: 4000))
            let page = try await container.read { snapshot in
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
        _ query: ClipQuery, to place: SortPosition?, isForward: Bool
    ) async throws(StoreError) -> Int64? {
        let index = index
        var found = ClipSelection(query)
        while !found.isComplete {
            let begun = found
            found = try await container.read { snapshot in
                var found = begun
                try found.extend(index, in: snapshot)
                return found
            }
        }
        let all = found
        guard all.count > 0 else { return nil }
        return try await container.read { snapshot in
            guard let place else { return all.ids(isForward ? 0..<1 : all.count - 1..<all.count).first }
            let next =
                try all.index(of: isForward ? place.justAfter : place, in: snapshot) - (isForward ? 0 : 1)
            let index = (next + all.count) % all.count
            return all.ids(index..<index + 1).first
        }
    }
}

extension SearchPosition {
    /// Of a list that is sorted by time.
    fileprivate init?(_ position: SortPosition) {
        guard let created = position.value.integerValue else { return nil }
        self.init(created: created, id: position.key)
    }
}
