package import PersistentStore

/// What is asked of the list's rows beside those on the screen.
extension ClipListSource {
    /// The ids of the rows between two places, both included, if the list is still the one that is meant.
    package func ids(
        _ query: ClipQuery, from first: SortPosition, through last: SortPosition, limit: Int
    ) async throws(StoreError) -> [Int64] {
        guard query == self.query else { return [] }
        if let selection {
            let start = selection.index(of: first)
            let end = selection.index(of: last.justAfter)
            return selection.positions[start..<max(start, end)].prefix(limit).map(\.key)
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
    /// It goes on in steps, between which others are answered.
    package func nearestClip(
        _ query: ClipQuery, to place: SortPosition?, isForward: Bool
    ) async throws(StoreError) -> Int64? {
        var found = ClipSelection(query)
        let index = index
        while !found.isComplete {
            let begun = found
            found = try await container.read { snapshot in
                var found = begun
                try found.extend(index, in: snapshot)
                return found
            }
            // The nearest one is known as soon as something behind it is.
            if isForward, query.sort == ClipQuery.newestFirst, let next = found.next(after: place) {
                return next
            }
        }
        let positions = found.positions
        if isForward { return found.next(after: place) ?? positions.first?.key }
        guard let place else { return positions.last?.key }
        let before = found.index(of: place)
        return before > 0 ? positions[before - 1].key : positions.last?.key
    }
}

extension ClipSelection {
    fileprivate func next(after place: SortPosition?) -> Int64? {
        let start = place.map { index(of: $0.justAfter) } ?? 0
        return start < positions.count ? positions[start].key : nil
    }
}
