import FoundationEssentials
package import PersistentStore

extension ClipStore {
    /// Takes back a transaction: what it deleted is saved again, what it changed gets its old values, what it
    /// saved is deleted. Everything is read from the history, so any transaction that is still kept can be
    /// taken back, whoever made it and whenever.
    ///
    /// A deleted clip comes back under the id that it had. The result is itself a transaction that can be taken
    /// back; its context name tells which one it took back, so that a later process knows, too.
    ///
    /// - Parameter isRedoing: whether the transaction was itself one that took something back.
    package func undo(_ token: HistoryToken, isRedoing: Bool = false) async throws(StoreError) -> SaveResult {
        guard let transaction = try await transaction(token) else { throw .tokenExpired(oldest: token) }
        let context = makeContext(name: OwnWork.Role(isRedoing, of: token.number).contextName)
        // What somebody deleted since then has nothing to be taken back.
        await context.setMergePolicy(.byPropertyStoreTrumps)
        for change in transaction.changes.reversed() {
            switch change.kind {
            case .insert: await context.delete(change.objectID)
            case .update: try await context.update(change.objectID, change.oldValues)
            case .delete: try await context.restore(change.objectID, change.tombstone ?? [:])
            }
        }
        return try await context.save()
    }

    /// Brings clips back that a transaction deleted, from what the history keeps of them, whoever deleted them.
    /// Those that are there already stay as they are.
    ///
    /// - Parameter clip: only this one; nil for all.
    package func restore(
        _ clip: Int64?, deletedBy token: HistoryToken
    ) async throws(StoreError) -> (result: SaveResult, ids: [Int64]) {
        var wanted = ChangePredicate.kind(.delete)
        if let clip { wanted = .and([wanted, .object(ClipModel.objectID(clip))]) }
        let deleted = try await transaction(token, changes: wanted)?.changes ?? []
        let keys = deleted.map(\.objectID.key)
        var request = FetchRequest(ClipModel.entity, where: .keys(keys))
        request.attributes = []
        let lookup = request
        let present = Set(try await container.read { try $0.fetch(lookup).map(\.id.key) })
        let context = makeContext(name: "restore")
        var restored: [Int64] = []
        for change in deleted where !present.contains(change.objectID.key) {
            try await context.restore(change.objectID, change.tombstone ?? [:])
            restored.append(change.objectID.key)
        }
        return (try await context.save(), restored)
    }

    /// What this author did in the last week, and what of it has been taken back, by whichever process.
    package func ownWork(limit: Int = 200) async throws(StoreError) -> OwnWork {
        let start = Date(milliseconds: now() - 7 * 24 * 3600 * 1000)
        var request = HistoryFetchRequest(.newest, authors: [author], where: .after(start), limit: limit)
        request.includesChanges = false
        let (wanted, session) = (request, session)
        return try await container.read { OwnWork(try $0.transactions(wanted), session: session) }
    }

    /// What a transaction did, for a person: `deleted “Title”`, `saved 20 clips`.
    package func workDescription(_ token: HistoryToken) async throws(StoreError) -> String? {
        try await container.read { snapshot in
            try snapshot.check(token)
            var request = HistoryFetchRequest(.ending(at: token), limit: 1)
            request.mostChangesAtOnce = 2
            var text: String?
            try snapshot.forEachTransaction(request) { piece in
                guard piece.token == token, let first = piece.changes.first else { return false }
                let verb = [HistoryChange.Kind.insert: "saved", .update: "changed", .delete: "deleted"]
                let isOne = piece.isComplete && piece.changes.count == 1
                text = "\(verb[first.kind] ?? "changed") \(isOne ? "a clip" : "clips")"
                if isOne, let title = TransactionSummary(piece, ownSession: nil).lines.first?.title {
                    text = "deleted “\(String(title.prefix(40)))”"
                }
                return false
            }
            return text
        }
    }

    /// The transaction that ends at a token.
    private func transaction(
        _ token: HistoryToken, changes: ChangePredicate? = nil
    ) async throws(StoreError) -> HistoryTransaction? {
        try await container.read { snapshot in
            try snapshot.check(token)
            var found: HistoryTransaction?
            let request = HistoryFetchRequest(.ending(at: token), changes: changes, limit: 1)
            try snapshot.forEachTransaction(request) { transaction in
                if transaction.token == token { found = transaction }
                return false
            }
            return found
        }
    }
}
