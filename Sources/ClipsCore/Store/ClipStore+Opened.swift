package import PersistentStore
import SearchIndex

/// Marks that reading sets.
extension ClipStore {
    /// Marks clips as read because they were opened.
    ///
    /// Opening is no edit: the time of the last change remains, and undo skips the transaction.
    package func markAsOpened(_ ids: [Int64]) async throws(StoreError) -> SaveResult {
        let name = ClipAttribute.unread.rawValue
        let context = makeContext(name: UndoHistory.openingContext)
        await context.setMergePolicy(.byPropertyStoreTrumps)
        for object in try await read([.unread], of: ids) where object[name].booleanValue {
            try await context.update(object.id, [name: .boolean(false)])
        }
        return try await context.save()
    }

    /// Marks the unread clips of a list as read, as one transaction.
    ///
    /// - Returns: the result, and the number of clips.
    package func markAsRead(_ query: ClipQuery) async throws(StoreError) -> (result: SaveResult, count: Int) {
        var unread = query
        unread.isUnreadOnly = true
        var found = ClipSearch(unread.search, sort: .newest, limit: .max, in: self)
        let context = makeContext()
        await context.setMergePolicy(.byPropertyStoreTrumps)
        var count = 0
        while let ids = try await found.next({ hits, _ throws(StoreError) in hits }) {
            for id in ids {
                let values = stamped([ClipAttribute.unread.rawValue: .boolean(false)])
                try await context.update(ClipModel.objectID(id), values)
            }
            count += ids.count
        }
        return (try await context.save(), count)
    }
}
