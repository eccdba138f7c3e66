import HistoryTracking
import PersistentStore

/// Receiving records.
extension Mirror {
    /// Imports the next revisions after the cursor.
    ///
    /// - Returns: Whether there were any.
    func importSome() async throws(MirrorError) -> Bool {
        let cursor = zone[.cursor]
        let known = ahead?.cursor == cursor ? ahead : nil
        ahead = nil
        let batch = if let known { known.batch } else { try await nextBatch(after: cursor) }
        guard let last = batch.entries.last else { return false }
        try await take(batch, known?.plan, upTo: last.revision)
        note { $0.received += batch.entries.count }
        return true
    }

    private nonisolated func nextBatch(after cursor: Int64) async throws(MirrorError) -> ReceivedBatch {
        try ReceivedBatch(try await engine.changes(after: cursor, limit: importSize), of: engine)
    }

    /// Reads and merges the batch after a full one, while that one is saved. After an error, or if nothing follows yet,
    /// the next call reads again.
    private nonisolated func batchAhead(
        of batch: ReceivedBatch, _ cursor: MirrorRevision?, _ merge: RecordMerge, after token: HistoryToken
    ) async -> ReadAhead? {
        guard let cursor, batch.entries.count == importSize,
            let next = try? await nextBatch(after: cursor.number), !next.entries.isEmpty
        else { return nil }
        // The store does not have the records that are saved now.
        let saved = Set(batch.forms.map(\.name))
        guard next.forms.allSatisfy({ !saved.contains($0.name) }) else {
            return ReadAhead(cursor: cursor.number, batch: next)
        }
        let plan = try? await read { snapshot throws(StoreError) in
            try merge.plan(next.forms, absorbed: token, in: snapshot)
        }
        return ReadAhead(cursor: cursor.number, batch: next, plan: plan.map { (merge, $0) })
    }

    /// Receives a part of a deferred revision, and imports it after the last one.
    ///
    /// - Returns: Whether there was one.
    func importPart() async throws(MirrorError) -> Bool {
        let row = try await read { snapshot throws(StoreError) in
            try snapshot.fetch(MapRow.request(.toRead, limit: 1)).first.map { MapRow($0) }
        }
        guard let row else { return false }
        let share = try await engine.parts?.receivePart(of: row.uuid) ?? 1
        note { $0.share = share }
        guard share >= 1 else { return true }
        let entries = try await engine.get([row.uuid])
        // It changed since then, and the new one is large, too.
        if entries.contains(where: \.isDeferred) { return true }
        try await take(entries)
        try await save { transaction throws(StoreError) in try row.remove(in: &transaction) }
        note { ($0.received, $0.share) = ($0.received + 1, nil) }
        return true
    }

    /// Merges records, and returns those that cannot be read.
    @discardableResult
    func take(
        _ entries: [MirrorEntry], mode: MirrorZone.Reconciliation = .none, isConfirmed: Bool = false
    ) async throws(MirrorError) -> [MirrorEntry] {
        let batch = try ReceivedBatch(entries, of: engine)
        try await take(batch, mode: mode, isConfirmed: isConfirmed)
        return batch.unreadable
    }

    /// Merges records in one commit, with the cursor.
    ///
    /// - Parameters:
    ///   - batch: The newest read revisions.
    ///   - known: The merge of them, if it was computed before.
    ///   - cursor: The revision to which the cursor moves; nil to leave it.
    ///   - mode: The reconciliation that reads them.
    ///   - isConfirmed: Whether the user allowed their deletions.
    private func take(
        _ batch: ReceivedBatch, _ known: (merge: RecordMerge, plan: MergePlan)? = nil,
        upTo cursor: MirrorRevision? = nil,
        mode: MirrorZone.Reconciliation = .none, isConfirmed: Bool = false
    ) async throws(MirrorError) {
        let entries = batch.entries
        guard !entries.isEmpty else { return }
        let parted = entries.filter { $0.isDeferred && largePuts[$0.revision.number] != $0.revision.stamp }
            .map(\.revision)
        for attempt in 0... {
            try await absorb()
            guard let position else { return }
            let merge = RecordMerge(
                zone: zone, configuration: configuration, values: values,
                number: position.token.number, edits: absorbedEdits, mode: mode, isOrdered: cursor != nil)
            let ready = attempt == 0 && known?.merge.isCurrent(merge) == true ? known?.plan : nil
            let (merged, deferred, origin) = try await read { snapshot throws(StoreError) in
                let plan =
                    if let ready { ready } else {
                        try merge.plan(batch.forms, absorbed: position.token, in: snapshot)
                    }
                return (
                    plan, try snapshot.deferredRows(parted),
                    try plan.flatMap { plan throws(StoreError) in
                        try snapshot.origin(of: plan, notOf: merge.zone.machine)
                    }
                )
            }
            guard var plan = merged else {
                if attempt < 100 { continue }
                throw .store(.conflict([]))
            }
            if plan.showsCopy {
                try await renewMachine()
                continue
            }
            if !isConfirmed, plan.removals > 0 {
                // A relay may deliver in pieces what waits: it is counted before the first deletion.
                let room = importSize - entries.count
                if let last = entries.last?.revision, last == cursor, room > 0 {
                    let more = try await engine.changes(after: last.number, limit: room)
                    if let end = more.last?.revision {
                        return try await take(ReceivedBatch(entries + more, of: engine), upTo: end)
                    }
                }
                let newest = entries.map(\.revision.number).max() ?? 0
                if try await mustAsk(plan, of: merge, upTo: newest, isLast: room > 0) {
                    plan.holdRemovals()
                }
            }
            let previous = zone
            if let cursor { zone.moveCursor(to: cursor) }
            if !batch.unreadable.isEmpty {
                zone[.unreadable] += Int64(batch.unreadable.count)
                zone.reconciliation = max(zone.reconciliation, .compare)
                if batch.unreadable.contains(where: \.lacksRecord) { hasDamage = true }
            }
            async let next = batchAhead(of: batch, cursor, merge, after: position.token)
            do throws(MirrorError) {
                let plan = plan
                let name = !plan.conflicts.isEmpty ? "conflict" : isConfirmed ? Self.confirmed : "import"
                try await save(named: MirrorConfiguration.contextName(name, from: origin)) {
                    transaction throws(StoreError) in
                    try plan.save(in: &transaction)
                    for row in deferred { try row.save(in: &transaction) }
                }
            } catch {
                zone = previous
                switch error {
                // Another writer changed or inserted an object since it was read.
                case .store(.conflict), .store(.constraint):
                    if attempt < 100 { continue }
                default: break
                }
                throw error
            }
            ahead = await next
            return
        }
    }
}

/// The batch after a cursor, which was read while the one before it was saved.
struct ReadAhead: Sendable {
    let cursor: Int64
    let batch: ReceivedBatch
    /// Its merge with the state of the store before; each of its changes is for the version that was read.
    var plan: (merge: RecordMerge, plan: MergePlan)?
}

/// Revisions that were read, with their records.
struct ReceivedBatch: Sendable {
    let entries: [MirrorEntry]
    let forms: [MergedEntry]
    /// Those without a record: damaged, or requests for it.
    let unreadable: [MirrorEntry]

    /// Decodes the records. One that cannot be read is counted and skipped; the next comparison reads it again.
    init(_ entries: [MirrorEntry], of engine: any MirrorEngine) throws(MirrorError) {
        var indexes: [String: Int] = [:]
        var forms: [MergedEntry] = []
        var unreadable: [MirrorEntry] = []
        for entry in entries where !entry.isDeferred {
            guard let form = try engine.form(of: entry) else {
                unreadable.append(entry)
                continue
            }
            let merged = MergedEntry(form: form, merged: form.state, revision: entry.revision)
            let index = indexes[merged.name, default: forms.count]
            if index == forms.count {
                indexes[merged.name] = index
                forms.append(merged)
            } else {
                forms[index].add(merged)
            }
        }
        (self.entries, self.forms, self.unreadable) = (entries, forms, unreadable)
    }
}

extension MirrorEngine {
    /// Returns the record of an entry; nil if it is damaged, or has the key of another record.
    func form(of entry: MirrorEntry) throws(MirrorError) -> RecordForm? {
        do {
            let form = try RecordForm(entry.body)
            return key(entity: form.entity, uuid: form.uuid) == entry.revision.key ? form : nil
        } catch let error as MirrorError {
            throw error
        } catch {
            return nil
        }
    }
}

/// A record as read, with the join of all its revisions in one batch.
struct MergedEntry: Sendable {
    private(set) var form: RecordForm
    private(set) var merged: RecordState
    private(set) var revision: MirrorRevision
    let name: String

    init(form: RecordForm, merged: RecordState, revision: MirrorRevision) {
        (self.form, self.merged, self.revision) = (form, merged, revision)
        name = MapRow.name(form.entity, form.uuid)
    }

    /// Adds a later revision.
    mutating func add(_ other: MergedEntry) {
        (form, merged, revision) = (other.form, merged.merged(other.merged), other.revision)
    }
}
