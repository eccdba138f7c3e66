import FoundationEssentials
package import PersistentStore

extension ClipStore {
    /// Undoes a transaction of any author and age that the history retains: restores the clips that it
    /// deleted, under their IDs, resets the values that it changed, and deletes the clips that it inserted.
    ///
    /// The result is a transaction that can itself be undone. Its context name contains the number of the
    /// undone one, so that later processes know it.
    ///
    /// - Parameters:
    ///   - isRedoing: Whether the transaction itself undid another one.
    ///   - contested: The resolution of conflicts with later changes of other writers.
    /// - Throws: `StoreError.tokenExpired` if the history no longer contains the transaction.
    package func undo(
        _ token: HistoryToken, isRedoing: Bool = false, contested: ContestedUndo = .ask
    ) async throws(StoreError) -> UndoOutcome {
        let name = UndoHistory.Role(isRedoing, of: token.number).contextName
        var attempts = 0
        while true {
            let plan = try await container.read { snapshot throws(StoreError) in
                guard let transaction = try snapshot.transaction(token) else {
                    throw StoreError.tokenExpired(oldest: token)
                }
                return try UndoPlan(transaction, in: snapshot)
            }
            if contested == .ask, let conflict = plan.conflict { return .contested(conflict) }
            let context = makeContext(name: name)
            for (id, step) in plan.steps { try await apply(step, of: id, contested, in: context) }
            do {
                return .saved(try await context.save())
            } catch {
                // Another process committed first; the next plan includes its changes.
                attempts += 1
                switch error {
                case .conflict where attempts < Self.maxAttempts: continue
                case .constraint where attempts < Self.maxAttempts: continue
                default: throw error
                }
            }
        }
    }

    private func apply(
        _ step: UndoPlan.Step, of id: ObjectID, _ contested: ContestedUndo, in context: StoreContext
    ) async throws(StoreError) {
        switch step {
        case .restore(let values): try await context.restore(id, values)
        case .delete(let version): try await context.delete(id, onVersion: version)
        case .contestedDelete(let version):
            if contested == .overwrite { try await context.delete(id, onVersion: version) }
        case .update(var values, let theirs, let version):
            if contested == .overwrite { values.merge(theirs) { $1 } }
            guard !values.isEmpty else { return }
            // Includes a clip with changes of other writers: this is its last change.
            if values[ClipAttribute.updated.rawValue] == nil { values = stamped(values) }
            try await context.update(id, values, onVersion: version)
        }
    }

    /// Restores the clips that a transaction deleted, from the history. Clips that exist are not changed.
    ///
    /// - Parameter clip: The clip to restore; nil for all.
    package func restore(
        _ clip: Int64?, deletedBy token: HistoryToken
    ) async throws(StoreError) -> (result: SaveResult, ids: [Int64]) {
        var wanted = ChangePredicate.kind(.delete)
        if let clip { wanted = .and([wanted, .object(ClipModel.objectID(clip))]) }
        let deletions = wanted
        let deleted =
            try await container.read { snapshot throws(StoreError) in
                try snapshot.transaction(token, changes: deletions)
            }?.changes
            ?? []
        let keys = deleted.map(\.objectID.key)
        var request = FetchRequest(ClipModel.entity, where: .keys(keys))
        request.attributes = []
        let lookup = request
        let (present, values) = try await container.read { snapshot throws(StoreError) in
            (
                Set(try snapshot.fetch(lookup).map(\.id.key)),
                try Self.restorable(deleted.map { $0.tombstone ?? [:] }, in: snapshot)
            )
        }
        let context = makeContext(name: "restore")
        var restored: [Int64] = []
        for (key, values) in zip(keys, values) where !present.contains(key) {
            try await context.restore(ClipModel.objectID(key), values)
            restored.append(key)
        }
        return (try await context.save(), restored)
    }

    /// Restores deleted clips under their IDs as one transaction, from the history, regardless of the authors of
    /// the deletions.
    ///
    /// - Returns: The restored clips, and the reason for each of the others.
    package func restore(
        _ ids: [Int64]
    ) async throws(StoreError) -> (restored: [Int64], problems: [ClipError]) {
        var attempts = 0
        while true {
            let (present, deleted) = try await container.read { snapshot throws(StoreError) in
                try Self.deleted(ids, in: snapshot)
            }
            let context = makeContext(name: "restore")
            for (id, values) in deleted { try await context.restore(ClipModel.objectID(id), values) }
            do {
                try await context.save()
            } catch {
                // Another process restored one of them first.
                attempts += 1
                guard case .constraint = error, attempts < Self.maxAttempts else { throw error }
                continue
            }
            let restored = Set(deleted.map(\.id))
            let problems = ids.filter { !restored.contains($0) }.map { id in
                present.contains(id) ? ClipError.notDeleted(id) : .notInHistory(id)
            }
            return (deleted.map(\.id), problems)
        }
    }

    /// Returns the clips that exist, and the values of those whose deletion the history retains.
    private static func deleted(
        _ ids: [Int64], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (present: Set<Int64>, deleted: [(id: Int64, values: [String: AttributeValue])]) {
        var request = FetchRequest(ClipModel.entity, where: .keys(ids))
        request.attributes = []
        let present = Set(try snapshot.fetch(request).map(\.id.key))
        var tombstones: [(id: Int64, values: [String: AttributeValue])] = []
        for id in Set(ids).subtracting(present).sorted() {
            let deletion = HistoryFetchRequest(
                .newest, changes: .and([.object(ClipModel.objectID(id)), .kind(.delete)]), limit: 1)
            guard let tombstone = try snapshot.transactions(deletion).last?.changes.last?.tombstone else {
                continue
            }
            tombstones.append((id, tombstone))
        }
        let values = try restorable(tombstones.map(\.values), in: snapshot)
        return (present, zip(tombstones, values).map { ($0.id, $1) })
    }

    /// Returns the values of deleted clips without the UUIDs that other clips have now, or that an earlier one of
    /// these has: such a clip is restored with a new one.
    static func restorable(
        _ tombstones: [[String: AttributeValue]], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [[String: AttributeValue]] {
        let name = ClipAttribute.uuid.rawValue
        var request = FetchRequest(
            ClipModel.entity, where: .isOneOf(name, tombstones.compactMap { $0[name] }))
        request.attributes = [name]
        var taken = Set(try snapshot.fetch(request).map { $0[name] })
        return tombstones.map { values in values.filter { $0 != name || taken.insert($1).inserted } }
    }

    /// Returns the transactions of this author in the last week that can be undone and redone, of all
    /// processes.
    ///
    /// Reads backward from the newest, one period at a time, up to the first transaction that can be undone
    /// or, with `isRedoing`, that decides what can be redone.
    ///
    /// - Parameter known: An earlier result, from which to continue.
    package func undoHistory(
        behind known: UndoHistory = UndoHistory(), isRedoing: Bool = false
    ) async throws(StoreError) -> UndoHistory {
        let (author, session, end) = (author, session, now())
        return try await container.read { snapshot throws(StoreError) in
            var history = known
            var isFirst = true
            while let period = history.nextPeriod(end: end),
                isFirst || !history.hasMore(than: known, isRedoing: isRedoing)
            {
                var request = HistoryFetchRequest(
                    .newest, where: .and([.author(author), period]), limit: UndoHistory.maxSteps)
                request.includesChanges = false
                history.add(earlier: try snapshot.transactions(request), session: session)
                isFirst = false
            }
            return history
        }
    }

    /// Returns a description of a transaction, such as `deleted “Title”` or `saved clips`.
    package func changeDescription(of token: HistoryToken) async throws(StoreError) -> String? {
        let transaction = try await container.read { snapshot throws(StoreError) in
            try snapshot.transaction(token, maxChanges: 2)
        }
        guard let transaction, let first = transaction.changes.first else { return nil }
        let isOne = transaction.isComplete && transaction.changes.count == 1
        if isOne, let title = TransactionSummary(transaction, ownSession: nil).lines.first?.title {
            return "deleted “\(String(title.prefix(40)))”"
        }
        let verb = [HistoryChange.Kind.insert: "saved", .update: "changed", .delete: "deleted"]
        return "\(verb[first.kind] ?? "changed") \(isOne ? "a clip" : "clips")"
    }
}
