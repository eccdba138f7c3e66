package import PersistentStore
import Platform

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
        let step = try await container.read { snapshot throws(StoreError) in
            try UndoPieces(of: token, in: snapshot)
        }
        let role = UndoHistory.Role(isRedoing, of: token.number, ofRestore: step.isRestoring)
        let work = role.contextName.map(named)
        guard var later = LaterChanges(of: step, author: author, work: work, session: session) else {
            return .saved(UndoOutcome.Saved())
        }
        // All conflicts are known before the first part is saved.
        if contested == .ask, step.pieces.count > 1 {
            var conflict: UndoConflict?
            for piece in step.pieces {
                let known = later
                let (found, next) = try await container.read { snapshot throws(StoreError) in
                    var later = known
                    try later.read(in: snapshot)
                    return (try UndoPlan(piece, later, in: snapshot).conflict, later)
                }
                conflict = conflict.map { known in found.map(known.joined) ?? known } ?? found
                later = next
            }
            if let conflict { return .contested(conflict) }
        }
        let start = try await container.currentToken().number
        var saved = UndoOutcome.Saved(count: step.clips.count)
        for (index, piece) in step.pieces.enumerated().reversed() {
            let name =
                step.pieces.count == 1
                ? work : StepName.part(of: work, after: start, isContinued: index > 0)
            let known = later
            let written = try await write(named: name) { transaction throws(StoreError) in
                var later = known
                try later.read(in: transaction.snapshot)
                let plan = try UndoPlan(piece, later, in: transaction.snapshot)
                let conflict = contested == .ask ? plan.conflict : nil
                let done =
                    conflict == nil
                    ? try apply(plan, contested, in: &transaction) : (restored: [], changed: [])
                return (conflict: conflict, later: later, done: done, plan: plan)
            }
            if let conflict = written.value.conflict { return .contested(conflict) }
            saved.restored += written.value.done.restored
            saved.clips.formUnion(written.value.done.changed)
            saved.deleted += written.value.plan.deleted
            saved.repeated += written.value.plan.repeated
            if let token = written.token {
                // All before was read with the lock.
                later = written.value.later
                (later.end, saved.token) = (token, token)
            }
        }
        return .saved(saved)
    }

    /// Whether nothing of a step is left to undo or redo, since others did it.
    ///
    /// - Parameter orDeleted: Whether that includes clips that others have deleted.
    package func isVoid(
        _ token: HistoryToken, isRedoing: Bool, orDeleted: Bool = false
    ) async throws(StoreError) -> Bool {
        try await container.read { snapshot throws(StoreError) in
            let step = try UndoPieces(of: token, in: snapshot)
            let role = UndoHistory.Role(isRedoing, of: token.number, ofRestore: step.isRestoring)
            let work = role.contextName.map(named)
            guard var later = LaterChanges(of: step, author: author, work: work, session: session) else {
                return true
            }
            try later.read(in: snapshot)
            for piece in step.pieces {
                let plan = try UndoPlan(piece, later, in: snapshot)
                guard plan.steps.isEmpty, orDeleted || plan.deleted == 0 else { return false }
            }
            return true
        }
    }

    /// Makes the changes of a plan. Returns the clips that return to a list, and all that it changed.
    private func apply(
        _ plan: UndoPlan, _ contested: ContestedUndo, in transaction: inout StoreTransaction
    ) throws(StoreError) -> (restored: [Int64], changed: Set<Int64>) {
        var (restored, changed): ([Int64], Set<Int64>) = ([], [])
        for (id, step) in plan.steps {
            var key = id.key
            switch step {
            case .restore(let values):
                try transaction.restore(id, values)
                if id.entity == ClipModel.entity { restored.append(id.key) }
            case .insert(let values):
                key = try transaction.insert(ClipModel.entity, values).id.key
                restored.append(key)
            case .delete where id.entity == ClipModel.entity: _ = try transaction.deleteClips([id.key])
            case .delete: try transaction.delete(id)
            case .contestedDelete:
                guard contested == .overwrite else { continue }
                _ = try transaction.deleteClips([id.key])
            case .update(var values, let theirs):
                if contested == .overwrite { values.merge(theirs) { $1 } }
                guard !values.isEmpty else { continue }
                // Includes a clip with changes of other writers: this is its last change.
                if id.entity == ClipModel.entity, values[ClipAttribute.updated.rawValue] == nil {
                    values = stamped(values)
                }
                try transaction.set(values, of: id)
                // It returns to the list that it had left.
                if values[ClipAttribute.archived.rawValue] != nil { restored.append(key) }
            }
            if id.entity == ClipModel.entity { changed.insert(key) }
        }
        return (restored, changed)
    }

    /// Restores the clips that a transaction deleted, from the history. Clips that exist are not changed.
    ///
    /// - Parameter clip: The clip to restore; nil for all.
    package func restore(
        _ clip: Int64?, deletedBy token: HistoryToken
    ) async throws(StoreError) -> Written<[Int64]> {
        var deletions = ChangePredicate.and([.kind(.delete), .entity(ClipModel.entity)])
        if let clip { deletions = .and([deletions, .object(ClipModel.objectID(clip))]) }
        let wanted = deletions
        return try await write(work: UndoHistory.Role.restore.contextName) {
            transaction throws(StoreError) in
            let deleted = try transaction.snapshot.transaction(token, changes: wanted)?.changes ?? []
            return try transaction.restoreClips(
                deleted.map { Deletion(clip: $0.objectID.key, number: $0.number, token: token) }
            ).map(\.now)
        }
    }

    /// Restores deleted clips as one step of undo, from the history, regardless of the authors of the deletions.
    ///
    /// - Returns: The restored clips, the reason for each of the others, and the newest transaction.
    package func restore(
        _ ids: [Int64]
    ) async throws(StoreError) -> (restored: [Int64], problems: [ClipError], token: HistoryToken?) {
        var known: Set<Int64> = []
        let ids = ids.filter { known.insert($0).inserted }
        let written = try await inParts(ids, work: UndoHistory.Role.restore.contextName) {
            transaction, ids throws(StoreError) in
            let deletions = try Self.deletions(of: ids, in: transaction.snapshot)
            let restored = Dictionary(
                uniqueKeysWithValues: try transaction.restoreClips(deletions, isChosen: true).map {
                    ($0.clip, $0.now)
                })
            let present = Set(try transaction.fetch(FetchRequest(clips: .keys(ids), [])).map(\.id.key))
            return ids.map { id in
                let problem = present.contains(id) ? ClipError.notDeleted(id) : .notInHistory(id)
                return (restored[id], restored[id] == nil ? problem : nil)
            } as [(Int64?, ClipError?)]
        }
        return (written.value.compactMap(\.0), written.value.compactMap(\.1), written.token)
    }

    /// Restores the clips that a row of the history deleted, as one step of undo.
    ///
    /// - Parameter token: The newest transaction of the row.
    package func restore(rowEndingAt token: HistoryToken) async throws(StoreError) -> Written<[Int64]> {
        let deletions = try await container.read { snapshot throws(StoreError) in
            try Self.deletions(inRowEndingAt: token, of: snapshot)
        }
        return try await inParts(deletions, work: UndoHistory.Role.restore.contextName) {
            transaction, deletions throws(StoreError) in
            try transaction.restoreClips(deletions).map(\.now)
        }
    }

    private static func deletions(
        inRowEndingAt end: HistoryToken, of snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Deletion] {
        var (deletions, later): ([Deletion], TransactionSummary?) = ([], nil)
        for offset in stride(from: 0, to: Int.max, by: 50) {
            let page = try snapshot.transactions(HistoryFetchRequest(.newest, limit: 50, offset: offset))
            for transaction in page.reversed() where transaction.number <= end.number {
                let summary = TransactionSummary(transaction, ownSession: nil)
                guard later?.continues(summary) ?? true else { return deletions }
                for change in transaction.changes.reversed()
                where change.kind == .delete && change.objectID.entity == ClipModel.entity {
                    let id = change.objectID.key
                    deletions.append(Deletion(clip: id, number: change.number, token: transaction.token))
                }
                later = summary
            }
            if page.count < 50 { break }
        }
        return deletions
    }

    /// Returns the last deletions that the history retains, of clips, and of those that had the IDs of clips before.
    private static func deletions(
        of ids: [Int64], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Deletion] {
        let present = Set(try snapshot.fetch(FetchRequest(clips: .keys(ids), [])).map(\.id.key))
        var deletions: [Int64: Deletion] = [:]
        // Most are found at once, from the end of the history; few clips that exist have any, so that is read once.
        for id in ids where !present.contains(id) {
            let request = HistoryFetchRequest(
                .newest, changes: .and([.object(ClipModel.objectID(id)), .kind(.delete)]), limit: 1)
            guard let transaction = try snapshot.transactions(request).last,
                let number = transaction.changes.last?.number
            else { continue }
            deletions[id] = Deletion(clip: id, number: number, token: transaction.token)
        }
        let objects = ChangePredicate.objects(Set(present.map(ClipModel.objectID)))
        let request = HistoryFetchRequest(.beginning, changes: .and([.kind(.delete), objects]))
        if !present.isEmpty {
            try snapshot.forEachChange(request) { change, origin throws(StoreError) in
                let id = change.objectID.key
                deletions[id] = Deletion(clip: id, number: change.number, token: origin.token)
                return true
            }
        }
        return deletions.values.sorted { $0.number > $1.number }
    }

    /// Returns the values of deleted clips, or of objects of another entity, with new UUIDs instead of those that others
    /// have now, or that an earlier one of these has.
    static func restorable(
        _ tombstones: [[String: AttributeValue]], of entity: String = ClipModel.entity,
        in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [[String: AttributeValue]] {
        let name = ClipAttribute.uuid.rawValue
        let request = FetchRequest(
            entity, where: .isOneOf(name, tombstones.compactMap { $0[name] }), attributes: [name])
        var taken = Set(try snapshot.fetch(request).map { $0[name] })
        return tombstones.map { tombstone in
            var values = tombstone
            if let uuid = values[name], !taken.insert(uuid).inserted {
                values[name] = .text(ClipUUID.make(at: values["created"]?.integerValue ?? 0))
            }
            return values
        }
    }

    /// Returns the transactions of this author in the last week that can be undone and redone, of all
    /// processes.
    ///
    /// Reads backward from the newest, one period at a time, up to the first transaction that can be undone
    /// or, with `isRedoing`, that decides what can be redone.
    ///
    /// - Parameters:
    ///   - known: An earlier result, from which to continue.
    ///   - others: Authors whose transactions count as those of this one.
    package func undoHistory(
        behind known: UndoHistory = UndoHistory(), isRedoing: Bool = false, alsoOf others: [String] = []
    ) async throws(StoreError) -> UndoHistory {
        let (own, session, end) = (ownTransactions(alsoOf: others), session, now())
        return try await container.read { snapshot throws(StoreError) in
            var history = known
            var isFirst = true
            while let period = history.nextPeriod(end: end),
                isFirst || !history.hasMore(than: known, isRedoing: isRedoing)
            {
                let request = HistoryFetchRequest(
                    .newest, where: .and([own, period]), limit: UndoHistory.maxSteps, includesChanges: false)
                history.add(earlier: try snapshot.transactions(request), session: session)
                isFirst = false
            }
            return history
        }
    }

    /// Returns the description of a change of several clips for those of which it was undone: their number, or the name of
    /// the only one.
    package func description(
        _ change: String, ofClips clips: Set<Int64>, of all: Int
    ) async throws(StoreError) -> String {
        guard !clips.isEmpty, !change.contains("“") else { return change }
        let numbers = change.matches(of: /[0-9,]+ clips/)
        // The words of a step may be about more work than it is a part of.
        let isCount = clips.count < all || change.matches(of: /[0-9][0-9,]*/).count == 1
        guard numbers.count == 1, isCount else { return change }
        let titles = clips.count == 1 ? try await titles(of: Array(clips)) : [:]
        let only = titles.values.first.map { Clip.quoted($0) }
        return change.replacing(numbers[0].output, with: only ?? clips.count.counted("clip"))
    }

    /// Returns a description of a step of undo, such as `deleted “Title”` or `saved 15754 clips`.
    ///
    /// - Parameters:
    ///   - isRedoing: Whether the step undid the described work.
    ///   - maxTitle: The maximum number of characters of a title.
    package func changeDescription(
        of token: HistoryToken, isRedoing: Bool = false, maxTitle: Int = 40
    ) async throws(StoreError) -> String? {
        let (step, titles, values) = try await container.read { snapshot throws(StoreError) in
            let step = try UndoPieces(of: token, in: snapshot)
            var (titles, values) = ([Int64: String](), ValuesAfter?.none)
            let lacking = step.first.map { ChangeWords($0).lacking } ?? []
            if step.clips.count > 1 { values = try snapshot.commonValues(after: step) }
            if step.clips.count <= 2 || step.words.count > 1 {
                titles = try snapshot.titles(of: step.named.sorted(), after: token)
            }
            if step.clips.count > 1, let update = step.update {
                let missing = ChangeWords(update).lacking
                let id = update.objectID.key
                values = try snapshot.values(missing, after: [(update.number, id)])[update.number]
                // A merge may have given it the other's title.
                if Set(titles.values).count < 2, update.oldValues[ClipAttribute.title.rawValue] != nil {
                    let clip = try snapshot.fetch(FetchRequest(clips: .keys([id]), [.url, .text])).first
                    let old = (clip?.values ?? [:]).merging(update.oldValues) { $1 }
                    titles[id] = ClipModel.title(of: old) ?? titles[id]
                }
            }
            if step.clips.count == 1, let first = step.first {
                if let title = first.tombstone.flatMap(ClipModel.title) { titles[first.objectID.key] = title }
                values = try snapshot.values(
                    lacking, after: [(first.number, first.objectID.key)])[first.number]
            }
            return (step, titles, values)
        }
        guard let first = step.first else { return nil }
        var names = titles.mapValues { Clip.quoted($0, upTo: maxTitle) }
        if step.clips.count > 1, let update = step.update, let name = names[update.objectID.key] {
            let words = ChangeWords(update, after: values, quotes: step.quotes, isReverse: isRedoing)
            names[update.objectID.key] = "\(name) (\(words.phrase))"
        }
        let subject =
            step.clips.count == 1
            ? names[first.objectID.key] ?? "a clip" : "\(step.clips.count.grouped) clips"
        guard step.words.count == 1 else {
            return step.clips.count == 1 ? "changed \(subject)" : step.numbers(isReverse: isRedoing, names)
        }
        let role: UndoHistory.Role = step.isRestoring ? .restore : .work
        return ChangeWords(
            first, after: values, quotes: step.quotes, isReverse: isRedoing, role: role
        ).sentence(subject)
    }
}

/// The deletion of a clip.
private struct Deletion {
    let clip: Int64
    /// The number of the change.
    let number: Int64
    let token: HistoryToken
}

extension StoreTransaction {
    /// Restores clips that do not exist, under new IDs if other clips have theirs.
    ///
    /// - Parameters:
    ///   - deletions: The newest first.
    ///   - isChosen: Whether the user named the clips by their IDs, so that a copy under another ID is not the clip.
    fileprivate mutating func restoreClips(
        _ deletions: [Deletion], isChosen: Bool = false
    ) throws(StoreError) -> [(clip: Int64, now: Int64)] {
        let uuid = ClipAttribute.uuid.rawValue
        var tombstones: [Int64: [String: AttributeValue]] = [:]
        try snapshot.forEachChange(numbered: deletions.map(\.number).sorted()) { change throws(StoreError) in
            tombstones[change.number] = change.tombstone
        }
        let ids = FetchRequest(clips: .keys(deletions.map(\.clip)), [.uuid, .created])
        let existing = try fetch(ids).reduce(into: [:]) { $0[$1.id.key] = $1 }
        var taken = Set(existing.keys)
        let uuids = tombstones.values.compactMap { $0[uuid] }
        let request = FetchRequest(clips: .isOneOf(uuid, uuids), ClipAttribute.identifying)
        var present = Set(try fetch(request).map { ClipAttribute.identity($0.values) })
        let left = deletions.filter { deletion in
            guard let values = tombstones[deletion.number],
                existing[deletion.clip]?.isClip(deletedAs: values) != true
            else { return false }
            return isChosen && !taken.contains(deletion.clip)
                || present.insert(ClipAttribute.identity(values)).inserted
        }
        let restorable = try ClipStore.restorable(left.map { tombstones[$0.number] ?? [:] }, in: snapshot)
        var (restored, quotes): ([(clip: Int64, now: Int64)], [(String, String, HistoryToken)]) = ([], [])
        for (deletion, values) in zip(left, restorable) {
            let clip =
                taken.insert(deletion.clip).inserted
                ? try restore(ClipModel.objectID(deletion.clip), values)
                : try insert(ClipModel.entity, values)
            let old = tombstones[deletion.number]?[uuid]?.textValue ?? ""
            quotes.append((old, clip.text(.uuid), deletion.token))
            restored.append((deletion.clip, clip.id.key))
        }
        try restoreQuotes(of: quotes)
        return restored
    }
}
