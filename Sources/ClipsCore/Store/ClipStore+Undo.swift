package import PersistentStore

extension ClipStore {
    /// Takes back a transaction: what it deleted is saved again, what it changed gets its old values, what it
    /// saved is deleted. Everything is read from the history, so any transaction that is still kept can be
    /// taken back, whoever made it and whenever.
    ///
    /// A deleted clip comes back under a new id, since ids are never used again. The result is itself a
    /// transaction that can be taken back.
    package func undo(_ token: HistoryToken) async throws(StoreError) -> SaveResult {
        guard let transaction = try await transaction(token) else { throw .tokenExpired(oldest: token) }
        let context = makeContext(name: "undo")
        var restored: [ObjectID: ObjectID] = [:]
        for change in transaction.changes.reversed() {
            let id = restored[change.objectID] ?? change.objectID
            switch change.kind {
            case .insert: await context.delete(id)
            case .update: try await context.update(id, change.oldValues)
            case .delete:
                restored[id] = try await context.insert(id.entity, change.tombstone ?? [:])
            }
        }
        return try await context.save()
    }

    /// The transaction that ends at a token.
    private func transaction(_ token: HistoryToken) async throws(StoreError) -> HistoryTransaction? {
        try await container.read { snapshot in
            try snapshot.check(token)
            var found: HistoryTransaction?
            try snapshot.forEachTransaction(HistoryFetchRequest(.ending(at: token))) { transaction in
                if transaction.token == token { found = transaction }
                return false
            }
            return found
        }
    }
}
