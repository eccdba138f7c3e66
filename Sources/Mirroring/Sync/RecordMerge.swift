import PersistentStore

/// The merge of received records with the store, computed in one snapshot.
struct RecordMerge: Sendable {
    let zone: MirrorZone
    let configuration: MirrorConfiguration
    let model: StoreModel
    let number: Int64
    let mode: MirrorZone.Reconciliation
    /// Whether revisions come in the order of the log, so that those before a known one are superseded.
    let isOrdered: Bool

    /// Returns the changes; nil if a local edit of one of the objects has no clock yet.
    ///
    /// - Parameter token: The end of the history whose edits have clocks; nil to ignore edits without one.
    func plan(
        _ entries: [MergedEntry], absorbed token: HistoryToken?, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> MergePlan? {
        let objects = try snapshot.objects(
            of: entries.map { ($0.form.entity, $0.form.uuid) }, configuration)
        let rows = try snapshot.mapRows(entries.map { MapRow.name($0.form.entity, $0.form.uuid) })
        let unabsorbed =
            try token.map { token throws(StoreError) in try snapshot.objectsChanged(after: token) } ?? []
        var plan = MergePlan()
        for entry in entries {
            let name = MapRow.name(entry.form.entity, entry.form.uuid)
            var row = rows[name] ?? MapRow(name: name)
            guard let values = RecordValues(entry.form.entity, configuration, model) else {
                // An entity of a newer program is stored verbatim, with its values.
                let state = row.state.joined(entry.merged)
                row.read(entry.revision, state: state, waits: entry.form.state.lacks(state))
                plan.rows.append(row)
                continue
            }
            if isOrdered, entry.revision.number < row.revision { continue }
            let object = objects[name]
            if let object, unabsorbed.contains(object.id) { return nil }
            if object == nil, !unabsorbed.isEmpty, row.state.isAlive(values.mirrored) { return nil }
            if row.revision == entry.revision.number, row.stamp == entry.revision.stamp, !mode.comparesValues,
                object != nil || !row.state.isAlive(values.mirrored)
            {
                continue
            }
            merge(entry, row, object, values, into: &plan)
        }
        let known = try snapshot.fetch(
            FetchRequest(MirrorNames.conflict, where: .isOneOf("name", plan.conflicts.map { .text($0.name) }))
        )
        let names = Set(known.map { $0["name"].textValue })
        plan.conflicts.removeAll { names.contains($0.name) }
        try resolve(&plan, in: snapshot)
        return plan
    }

    /// Deletes the conflicts whose losing value another machine restored.
    private func resolve(_ plan: inout MergePlan, in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard !plan.changed.isEmpty else { return }
        let ofChanged = ObjectPredicate.isOneOf("object", plan.changed.keys.map { .text($0) })
        plan.resolved = try snapshot.fetch(FetchRequest(MirrorNames.conflict, where: ofChanged)).filter {
            row in
            let changes = plan.changed[row["object"].textValue ?? ""] ?? [:]
            guard let value = changes[row["attribute"].textValue ?? ""] else { return false }
            return JSONText.bytes(of: .known(value)) == row["value"].blobValue
        }.map(\.id)
    }

    /// The origin of edits that the history lost.
    private var unrecorded: LocalTransaction {
        LocalTransaction(machine: zone.machine, number: number, milliseconds: LocalTransaction.unknownTime)
    }

    private func merge(
        _ entry: MergedEntry, _ row: MapRow, _ object: StoredObject?, _ values: RecordValues,
        into plan: inout MergePlan
    ) {
        let theirs = entry.merged
        var mine = values.filled(row.state, from: object)
        if mode.comparesValues, let object {
            let edited = mine.attributes.filter { name, attribute in
                theirs.attributes[name].map {
                    $0.clock == attribute.clock && $0.value != nil && $0.value != attribute.value
                } ?? false
            }
            let members = values.members(of: object)
            mine.edit(Array(edited.keys) + members.keys, members: members, in: unrecorded)
            mine = values.filled(mine, from: object)
        }
        var state = mine.joined(theirs)
        state.normalize(values.mirrored)
        plan.conflicts += conflicts(mine, theirs, row, values.mirrored)
        if state.isAlive(values.mirrored) {
            var changes = values.changes(to: state, of: object)
            if object == nil { changes[values.mirrored.identifier] = .text(row.uuid) }
            if let object {
                if !changes.isEmpty {
                    plan.updates.append((object, changes))
                    plan.changed[row.name] = changes
                }
            } else {
                plan.inserts.append((row.entity, changes))
            }
        } else if let object {
            plan.deletes.append(object)
        }
        var row = row
        row.read(entry.revision, state: values.stripped(state), waits: entry.form.state.lacks(state))
        plan.rows.append(row)
    }

    /// Returns the values of this machine that lose, and those that lose to one of this machine, if neither
    /// machine had seen the edit of the other, or it is not known whether.
    private func conflicts(
        _ mine: RecordState, _ theirs: RecordState, _ row: MapRow, _ entity: MirroredEntity
    ) -> [RecordedConflict] {
        theirs.attributes.compactMap { name, their in
            guard let own = mine.attributes[name], !entity.minor.contains(name),
                let ownValue = own.value, let theirValue = their.value, ownValue != theirValue
            else { return nil }
            let isOwn = own.clock < their.clock
            let isUnseen =
                own.clock.machine == zone.machine && their.clock.machine != zone.machine
                && !own.seen.covers(their.clock) && !their.seen.covers(own.clock)
            let mayBeUnrecorded = isOwn && mode == .recover
            guard isUnseen || mayBeUnrecorded else { return nil }
            // Another edit than the one with the clock, of which there may be a conflict.
            let clock = mayBeUnrecorded ? unrecorded.clock(after: own.clock, seen: nil) : nil
            return RecordedConflict(
                object: row.name, attribute: name, clock: clock ?? (isOwn ? own.clock : their.clock),
                isOwn: isOwn, value: isOwn ? ownValue : theirValue)
        }
    }
}

extension RecordState {
    /// Whether another state knows an edit that this one does not.
    func lacks(_ other: RecordState) -> Bool { joined(other) != self }
}

extension MapRow {
    mutating func read(_ revision: MirrorRevision, state: RecordState, waits: Bool) {
        self.revision = revision.number
        stamp = revision.stamp
        self.state = state
        waiting = waits ? .toPut : .none
    }
}

/// The changes of one import.
struct MergePlan: Sendable {
    var inserts: [(entity: String, values: [String: AttributeValue])] = []
    var updates: [(object: StoredObject, changes: [String: AttributeValue])] = []
    var deletes: [StoredObject] = []
    var rows: [MapRow] = []
    var conflicts: [RecordedConflict] = []
    /// The changes of the updates by the names of the records, and the conflicts that they resolve.
    var changed: [String: [String: AttributeValue]] = [:]
    var resolved: [ObjectID] = []

    var removals: Int { deletes.count }

    /// Adds the changes to the work of a context, each for the version that was read.
    func save(in context: StoreContext) async throws(StoreError) {
        for (entity, values) in inserts { try await context.insert(entity, values) }
        for (object, changes) in updates {
            try await context.update(object.id, changes, onVersion: object.version)
        }
        for object in deletes { try await context.delete(object.id, onVersion: object.version) }
        for row in rows { try await row.save(in: context) }
        for conflict in conflicts { try await conflict.save(in: context) }
        for id in resolved { try await context.delete(id) }
    }
}
