import PersistentStore

extension ClipStore {
    /// Brings a deleted clip back under its own id, from what history keeps of it, whoever deleted it.
    package func restore(_ id: Int64) async throws {
        let object = ClipModel.objectID(id)
        let (isThere, tombstone) = try await container.read { snapshot -> (Bool, [String: Value]?) in
            let isThere = try !snapshot.fetch(FetchRequest(ClipModel.entity, where: .keys([id]))).isEmpty
            let deletion = HistoryFetchRequest(
                .newest, changes: .and([.object(object), .kind(.delete)]), limit: 1)
            var tombstone: [String: Value]?
            guard !isThere else { return (true, nil) }
            try snapshot.forEachTransaction(deletion) { transaction in
                tombstone = transaction.changes.last?.tombstone
                return true
            }
            return (false, tombstone)
        }
        guard !isThere else { throw ClipError.notDeleted(id) }
        guard let tombstone else { throw ClipError.notInHistory(id) }
        let context = makeContext(name: "restore")
        try await context.restore(object, tombstone)
        do {
            try await context.save()
        } catch {
            // Somebody else brought it back in between.
            if case .constraint = error { throw ClipError.notDeleted(id) }
            throw error
        }
    }
}
