package import PersistentStore

/// Rows beyond the window of the list.
extension LiveSource {
    /// Returns the keys of the rows between two positions, both included, where nil is an end of the list; none if the list shows another
    /// query.
    package func keys(
        _ query: Query, from first: SortPosition? = nil, through last: SortPosition? = nil, limit: Int
    ) async throws(StoreError) -> [Int64] {
        var keys: [Int64]?
        // A selection runs in steps, between which requests are answered.
        while keys == nil, query == self.query {
            keys = try await keysFound(from: first, through: last, limit: limit)
        }
        return keys ?? []
    }

    /// Returns nil until a selection has found the rows of a range. Those that it has not found yet are at the end.
    private func keysFound(
        from first: SortPosition?, through last: SortPosition?, limit: Int
    ) async throws(StoreError) -> [Int64]? {
        try await onSnapshot { source, snapshot throws(StoreError) in
            if let selection = source.selection, !selection.isComplete, last == nil || !selection.isSorted {
                try source.extendSelection(in: snapshot)
                return nil
            }
            guard let order = try source.orderInMemory(snapshot) else {
                var request = source.plan.request
                request.after = first?.justBefore
                request.before = last?.justAfter
                request.limit = limit
                return try snapshot.keys(request)
            }
            let start = if let first { try order.index(of: first, in: snapshot) } else { 0 }
            let end =
                if let last { try order.index(of: last.justAfter, in: snapshot) } else { order.count }
            return order.keys(start..<min(max(start, end), start + limit))
        }
    }

    /// Returns the order of a list that is not read from an index; while a selection is not sorted, none of its
    /// rows.
    private func orderInMemory(_ snapshot: borrowing StoreSnapshot) throws(StoreError) -> (any ListOrder)? {
        if let selection {
            return selection.isSorted
                ? selection : SortedObjects(plan.request.entity, sort: plan.request.sort)
        }
        try sortIfNeeded(in: snapshot)
        return sorted
    }
}
