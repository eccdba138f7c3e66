import FoundationEssentials
import HistoryTracking
import PersistentStore

/// Asking the user before other machines delete many objects here.
extension Mirror {
    /// Lets imports delete the objects that ``MirrorError/manyRemovals(_:)`` counted, and none that another
    /// machine deletes after the count.
    ///
    /// - Parameter count: The number that the user confirmed; any other than the last reported one allows nothing.
    public func allowRemovals(_ count: Int) {
        if count == removals.asked.count { removals.allowedRevision = removals.asked.revision }
    }

    /// Throws ``MirrorError/manyRemovals(_:)`` if other machines deleted many objects within an hour. The history
    /// has those that were imported, so a mirror that runs every minute does not forget them.
    ///
    /// - Parameters:
    ///   - newest: The last revision of the plan.
    ///   - isLast: Whether no other revisions wait.
    func confirm(
        _ plan: MergePlan, of merge: RecordMerge, upTo newest: Int64, isLast: Bool
    ) async throws(MirrorError) {
        guard newest > removals.countedRevision else { return }
        let entities = configuration.mirrored.map(\.name)
        let hourAgo = Date(timeIntervalSince1970: Double(now()) / 1000 - 3600)
        let imports = HistoryFetchRequest(
            .afterDate(hourAgo),
            where: .and([
                .author(MirrorConfiguration.author),
                .not(.or([.contextName(Self.confirmed), .contextNamePrefix(Self.confirmed + " ")])),
            ]),
            changes: .kind(.delete))
        let (recent, present) = try await read { snapshot throws(StoreError) in
            var present = 0
            for name in entities { present += try snapshot.count(FetchRequest(name)) }
            return (try snapshot.count(imports).changes, present)
        }
        let isMany = { count in count > 10 && (count > 100 || count * 10 > present + recent) }
        guard !isLast || isMany(recent + plan.removals) else { return }
        let waiting = try await waitingRemovals(merge)
        guard isMany(recent + waiting.count) else {
            removals.countedRevision = waiting.revision
            return
        }
        removals.asked = waiting
        throw .manyRemovals(waiting.count)
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
            let entries = try await engine.changes(after: revision, limit: Self.importSize)
            guard let last = entries.last else { return (removed.count, revision) }
            revision = last.revision.number
            let forms = try decoded(entries).entries
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
    /// The number of deletions of the last question, and the last revision that was counted.
    var asked: (count: Int, revision: Int64) = (0, 0)
    /// The revision up to which the user allowed them.
    var allowedRevision: Int64 = 0
    /// The revision up to which they were few.
    var countedRevision: Int64 = 0
}
