import HistoryTracking
import PersistentStore

/// Receiving records.
extension Mirror {
    private static var batchSize: Int { 500 }

    /// Imports all revisions after the cursor.
    func importChanges() async throws(MirrorError) {
        removals = 0
        while true {
            let entries = try await engine.changes(after: zone[.cursor], limit: Self.batchSize)
            guard let last = entries.last else { return }
            if !rules.contains(.savesCursorWithObjects) {
                zone.moveCursor(to: last.revision)
                try await save { _ throws(StoreError) in }
            }
            try await take(entries, upTo: last.revision)
        }
    }

    /// Merges records in one commit, with the cursor.
    ///
    /// - Parameters:
    ///   - entries: The newest read revisions.
    ///   - cursor: The revision to which the cursor moves; nil to leave it.
    ///   - comparesValues: Whether an equal clock with another value is an edit that the history lost.
    func take(_ entries: [MirrorEntry], upTo cursor: MirrorRevision? = nil, comparesValues: Bool = false)
        async throws(MirrorError)
    {
        let forms = try decoded(entries)
        for attempt in 0... {
            if rules.contains(.absorbsFirst) { try await absorb() }
            guard let position else { return }
            // A store that was replaced by its older copy has no memory of edits that this machine exported.
            let newest = forms.map { $0.form.state.newestTransaction(of: zone.machine) }.max() ?? 0
            if newest > position.token.number { zone.renewMachine() }
            let merge = RecordMerge(
                zone: zone, configuration: configuration, model: container.model, rules: rules,
                number: position.token.number, comparesValues: comparesValues, isOrdered: cursor != nil)
            let plan = try await read { snapshot throws(StoreError) in
                try merge.plan(forms, absorbed: position.token, in: snapshot)
            }
            guard let plan else {
                if attempt < 100 { continue }
                throw .store(.conflict([]))
            }
            try await confirm(plan)
            let previous = zone
            if let cursor { zone.moveCursor(to: cursor) }
            do throws(MirrorError) {
                try await save(named: plan.conflicts.isEmpty ? "import" : "conflict") {
                    context throws(StoreError) in try await plan.save(in: context)
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
            if plan.removals <= allowedRemovals {
                allowedRemovals -= plan.removals
            } else {
                removals += plan.removals
            }
            return
        }
    }

    /// Reads the records. One that cannot be read is counted and skipped; the next connection reads it again.
    private func decoded(_ entries: [MirrorEntry]) throws(MirrorError) -> [MergedEntry] {
        var forms: [String: MergedEntry] = [:]
        for entry in entries {
            guard let form = try form(of: entry) else {
                zone[.unreadable] += 1
                zone.reconciliation = max(zone.reconciliation, .compare)
                continue
            }
            let name = MapRow.name(form.entity, form.uuid)
            let merged = forms[name]?.merged.joined(form.state) ?? form.state
            forms[name] = MergedEntry(form: form, merged: merged, revision: entry.revision)
        }
        return Array(forms.values)
    }

    /// Returns the record of an entry; nil if it is damaged, or has the key of another record.
    func form(of entry: MirrorEntry) throws(MirrorError) -> RecordForm? {
        do {
            let form = try RecordForm(entry.body)
            return engine.key(entity: form.entity, uuid: form.uuid) == entry.revision.key ? form : nil
        } catch let error as MirrorError {
            throw error
        } catch {
            return nil
        }
    }

    private func confirm(_ plan: MergePlan) async throws(MirrorError) {
        let count = removals + plan.removals
        guard plan.removals > allowedRemovals, count > 10 else { return }
        let entities = configuration.mirrored.map(\.name)
        let total = try await read { snapshot throws(StoreError) in
            var count = 0
            for name in entities { count += try snapshot.count(FetchRequest(name)) }
            return count
        }
        if count > 100 || count * 10 > total + removals { throw .manyRemovals(count) }
    }
}

/// A record as read, with the join of all its revisions in one batch.
struct MergedEntry: Sendable {
    let form: RecordForm
    let merged: RecordState
    let revision: MirrorRevision
}
