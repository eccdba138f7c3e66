import FoundationEssentials
import PersistentStore

/// Asking the user before other machines delete many objects here. Until the answer, these deletions wait, and all else
/// is exchanged.
extension Mirror {
    /// Deletes the objects of the last question, and none that another machine deletes after it.
    ///
    /// - Parameter count: The number that the user confirmed; any other than the last reported one allows nothing.
    public func allowRemovals(_ count: Int) { answer(count, keeps: false) }

    /// Retains the objects of the last question: all machines get them again.
    ///
    /// - Parameter count: The number that the user read; any other than the last reported one changes nothing.
    public func keepRemovals(_ count: Int) { answer(count, keeps: true) }

    private func answer(_ count: Int, keeps: Bool) {
        guard count > 0, count == removals.asked.count else { return }
        removals.answer = (removals.asked.revision, keeps)
        signals?.add(.commit)
    }

    /// Throws ``MirrorError/manyRemovals(_:)`` if deletions wait for an answer.
    func ask() async throws(MirrorError) {
        let count = try await noteQuestion()
        if count > 0 { throw .manyRemovals(count) }
    }

    /// Makes all deletions that wait one question. Returns their number.
    @discardableResult
    func noteQuestion() async throws(MirrorError) -> Int {
        let rows = try await heldRows()
        removals.asked = (rows.count, rows.map(\.revision).max() ?? 0)
        return rows.count
    }

    private func heldRows() async throws(MirrorError) -> [MapRow] {
        try await read { snapshot throws(StoreError) in
            try snapshot.fetch(MapRow.request(.held)).map { MapRow($0) }
        }
    }

    /// Deletes or retains the objects for which the user has answered.
    func applyAnswer() async throws(MirrorError) {
        guard let (revision, keeps) = removals.answer else { return }
        let rows = try await heldRows().filter { $0.revision <= revision }
        for start in stride(from: 0, to: rows.count, by: importSize) {
            let part = Array(rows[start..<min(start + importSize, rows.count)])
            if keeps { try await keep(part) } else { try await delete(part, upTo: revision) }
        }
        removals.answer = nil
    }

    private func delete(_ rows: [MapRow], upTo revision: Int64) async throws(MirrorError) {
        let entries = try await engine.get(rows.map { engine.key(entity: $0.entity, uuid: $0.uuid) })
        try await take(entries.filter { $0.revision.number <= revision }, isConfirmed: true)
        try await take(entries.filter { $0.revision.number > revision })
    }

    /// Gives the content of objects clocks that no deletion saw.
    private func keep(_ rows: [MapRow]) async throws(MirrorError) {
        let (configuration, values) = (configuration, values)
        // It is no edit of a transaction, so it has a number that none has.
        let local = LocalTransaction(
            machine: zone.machine, number: now(), milliseconds: now() + zone[.offset])
        let kept = try await read { snapshot throws(StoreError) in
            let objects = try snapshot.objects(of: rows.map { ($0.entity, $0.uuid) }, configuration)
            var texts = StateTexts()
            return rows.map { row in
                var row = row
                guard let object = objects[row.name], let values = values[row.entity] else {
                    row.waiting = .none
                    return row
                }
                row.state.renew(values.names, members: values.members(of: object), in: local)
                row.waiting = .toPut
                row.encode(&texts)
                return row
            }
        }
        try await save { transaction throws(StoreError) in
            for row in kept { try row.save(in: &transaction) }
        }
    }

    /// Returns whether the deletions of a plan must wait: many wait already, or other machines deleted many objects
    /// within an hour. The history has those that were imported, so a mirror that runs every minute does not forget them.
    ///
    /// - Parameters:
    ///   - newest: The last revision of the plan.
    ///   - isLast: Whether no other revisions wait.
    func mustAsk(
        _ plan: MergePlan, of merge: RecordMerge, upTo newest: Int64, isLast: Bool
    ) async throws(MirrorError) -> Bool {
        let entities = configuration.mirrored.map(\.name)
        let hourAgo = Date(timeIntervalSince1970: Double(now()) / 1000 - 3600)
        let imports = HistoryFetchRequest(
            .afterDate(hourAgo),
            where: .and([
                .author(MirrorConfiguration.author),
                .not(.or([.contextName(Self.confirmed), .contextNamePrefix(Self.confirmed + " ")])),
            ]),
            changes: .kind(.delete))
        let (recent, present, held) = try await read { snapshot throws(StoreError) in
            var present = 0
            for name in entities { present += try snapshot.count(FetchRequest(name)) }
            return (
                try snapshot.count(imports).changes, present, try snapshot.count(MapRow.request(.held))
            )
        }
        guard held == 0 else { return true }
        guard newest > removals.countedRevision else { return false }
        let isMany = { count in count > 10 && (count > 100 || count * 10 > present + recent) }
        guard !isLast || isMany(recent + plan.removals) else { return false }
        let waiting = try await waitingRemovals(merge)
        if isMany(recent + waiting.count) { return true }
        removals.countedRevision = waiting.revision
        return false
    }

    /// The context name of imports that the user confirmed.
    static var confirmed: String { "confirmed" }

    /// Counts the objects that the waiting revisions delete, up to the last of them.
    private func waitingRemovals(
        _ merge: RecordMerge
    ) async throws(MirrorError) -> (count: Int, revision: Int64) {
        var removed: Set<ObjectID> = []
        var revision = merge.isOrdered ? zone[.cursor] : 0
        while true {
            let entries = try await engine.changes(after: revision, limit: importSize)
            guard let last = entries.last else { return (removed.count, revision) }
            revision = last.revision.number
            let forms = try ReceivedBatch(entries, of: engine).forms
            let plan = try await read { snapshot throws(StoreError) in
                // Counting needs no clocks of local edits.
                try merge.plan(forms, absorbed: nil, in: snapshot)
            }
            removed.formUnion(plan?.deletes.map(\.id) ?? [])
            removed.subtract(plan?.updates.map(\.object.id) ?? [])
        }
    }
}

/// What is known of deletions that wait, by revisions of one log.
struct WaitingRemovals {
    /// The number of deletions of the last question, and the last of their revisions.
    var asked: (count: Int, revision: Int64) = (0, 0)
    /// The revision up to which the user answered, and whether the objects remain.
    var answer: (revision: Int64, keeps: Bool)?
    /// The revision up to which they were few.
    var countedRevision: Int64 = 0
}
