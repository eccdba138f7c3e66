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
    /// - Parameters:
    ///   - isRedoing: whether the transaction was itself one that took something back.
    ///   - contested: what to do where somebody else has changed the same since.
    package func undo(
        _ token: HistoryToken, isRedoing: Bool = false, contested: ContestedUndo = .ask
    ) async throws(StoreError) -> UndoOutcome {
        let name = OwnWork.Role(isRedoing, of: token.number).contextName
        var attempts = 0
        while true {
            let plan = try await container.read { snapshot in
                guard let transaction = try Self.transaction(token, in: snapshot) else {
                    throw StoreError.tokenExpired(oldest: token)
                }
                return try UndoPlan(transaction, in: snapshot)
            }
            if contested == .ask, let conflict = plan.conflict { return .contested(conflict) }
            let context = makeContext(name: name)
            for (id, step) in plan.steps { try await take(step, of: id, contested, in: context) }
            do {
                return .saved(try await context.save())
            } catch {
                // Somebody was quicker; what they did is looked at.
                attempts += 1
                switch error {
                case .conflict where attempts < Self.mostAttempts: continue
                case .constraint where attempts < Self.mostAttempts: continue
                default: throw error
                }
            }
        }
    }

    private func take(
        _ step: UndoPlan.Step, of id: ObjectID, _ contested: ContestedUndo, in context: StoreContext
    ) async throws(StoreError) {
        switch step {
        case .restore(let values): try await context.restore(id, values)
        case .delete(let version): await context.delete(id, onVersion: version)
        case .contestedDelete(let version):
            if contested == .overwrite { await context.delete(id, onVersion: version) }
        case .update(var values, let theirs, let version):
            if contested == .overwrite { values.merge(theirs) { $1 } }
            guard !values.isEmpty else { return }
            // A clip that others changed too was changed last now.
            if values[ClipAttribute.updated.rawValue] == nil { values = stamped(values) }
            try await context.update(id, values, onVersion: version)
        }
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
    ///
    /// Read from the newest backwards, a stretch of time after the other, and no further than to the first that
    /// can be taken back or, with `isRedoing`, that tells what can be done again.
    ///
    /// - Parameter known: what was read before, to go on behind it.
    package func ownWork(
        behind known: OwnWork = OwnWork(), isRedoing: Bool = false
    ) async throws(StoreError) -> OwnWork {
        let (author, session, end) = (author, session, now())
        return try await container.read { snapshot in
            var work = known
            var isFirst = true
            while let stretch = work.nextStretch(end: end),
                isFirst || !work.tellsMore(than: known, isRedoing: isRedoing)
            {
                var request = HistoryFetchRequest(
                    .newest, authors: [author], where: stretch, limit: OwnWork.mostSteps)
                request.includesChanges = false
                work.add(earlier: try snapshot.transactions(request), session: session)
                isFirst = false
            }
            return work
        }
    }

    /// What a transaction did, for a person: `deleted “Title”`, `saved 20 clips`.
    package func workDescription(_ token: HistoryToken) async throws(StoreError) -> String? {
        try await container.read { snapshot in
            try snapshot.check(token)
            var request = HistoryFetchRequest(.ending(at: token), limit: 1)
            request.maxChangesAtOnce = 2
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
        try await container.read { try Self.transaction(token, changes: changes, in: $0) }
    }

    private static func transaction(
        _ token: HistoryToken, changes: ChangePredicate? = nil, in snapshot: StoreSnapshot
    ) throws -> HistoryTransaction? {
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
