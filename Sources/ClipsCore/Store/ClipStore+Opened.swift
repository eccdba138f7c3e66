package import PersistentStore

/// Marks that reading sets.
extension ClipStore {
    /// Marks clips as read because they were opened.
    ///
    /// Opening is no edit: the time of the last change remains, and undo skips the transaction.
    package func markAsOpened(_ ids: [Int64]) async throws(StoreError) -> Written<[Int64]> {
        try await markAsRead(ids, [ClipAttribute.unread.rawValue: 0], work: UndoHistory.openingContext)
    }

    /// Marks the unread clips of a list as read.
    ///
    /// - Returns: the clips that were unread.
    package func markAsRead(_ query: ClipQuery) async throws(StoreError) -> Written<[Int64]> {
        var unread = query
        unread.isUnreadOnly = true
        return try await markAsRead(try await ids(matching: unread), stamped([.unread: 0]))
    }

    private func markAsRead(
        _ ids: [Int64], _ values: [String: AttributeValue], work: String? = nil
    ) async throws(StoreError) -> Written<[Int64]> {
        let isUnread = ObjectPredicate.compare(ClipAttribute.unread.rawValue, .notEqual, 0)
        return try await inParts(ids, work: work) { transaction, part throws(StoreError) in
            let request = FetchRequest(ClipModel.entity, where: .and([.keys(part), isUnread]))
            let keys = try transaction.snapshot.keys(request)
            for key in keys { try transaction.set(values, of: ClipModel.objectID(key)) }
            return keys
        }
    }
}
