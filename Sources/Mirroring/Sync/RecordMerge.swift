import PersistentStore

/// The merge of received records with the store, computed in one snapshot.
struct RecordMerge: Sendable {
    let zone: MirrorZone
    let configuration: MirrorConfiguration
    let values: [String: RecordValues]
    let number: Int64
    /// The number of local edits that got clocks since the mirror started.
    let edits: Int
    let mode: MirrorZone.Reconciliation
    /// Whether revisions come in the order of the log, so that those before a known one are superseded.
    let isOrdered: Bool

    /// Whether a later merge has the same result, if the rows of the records did not change.
    func isCurrent(_ later: RecordMerge) -> Bool {
        zone.machine == later.zone.machine && edits == later.edits && mode == later.mode
            && isOrdered == later.isOrdered
    }

    /// Returns the changes; nil if a local edit of one of the objects has no clock yet.
    ///
    /// - Parameter token: The end of the history whose edits have clocks; nil to ignore edits without one.
    func plan(
        _ entries: [MergedEntry], absorbed token: HistoryToken?, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> MergePlan? {
        let objects = try snapshot.objects(
            of: entries.map { ($0.form.entity, $0.form.uuid) }, configuration)
        let rows = try snapshot.mapRows(entries.map(\.name))
        let unabsorbed =
            try token.map { token throws(StoreError) in try snapshot.objectsChanged(after: token) } ?? []
        var plan = MergePlan()
        for entry in entries {
            let name = entry.name
            var row = rows[name] ?? MapRow(name: name)
            if isOrdered, entry.revision.number < row.revision { continue }
            if row.state.lacksEdit(by: zone.machine, in: entry.merged) { plan.showsCopy = true }
            guard let values = values[entry.form.entity] else {
                // An entity of a newer program is stored verbatim, with its values.
                let state = row.state.merged(entry.merged)
                row.read(entry.revision, state: state, waits: entry.form.state.lacks(state))
                plan.rows.append(row)
                continue
            }
            let object = objects[name]
            if let object, unabsorbed.contains(object.id) { return nil }
            if object == nil, !unabsorbed.isEmpty, row.state.isAlive(values.mirrored) { return nil }
            if row.revision == entry.revision.number, row.stamp == entry.revision.stamp, !mode.comparesValues,
                row.waiting != .held, object != nil || !row.state.isAlive(values.mirrored)
            {
                continue
            }
            merge(entry, row, object, values, into: &plan)
        }
        try updateConflicts(&plan, in: snapshot)
        var texts = StateTexts()
        for index in plan.rows.indices { plan.rows[index].encode(&texts) }
        return plan
    }

    /// Adds the rows of conflicts that the records have, and deletes those that were restored or dismissed.
    private func updateConflicts(
        _ plan: inout MergePlan, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        let rows = plan.rows.filter { !$0.state.conflicts.isEmpty }
        guard !rows.isEmpty else { return }
        let stored = try snapshot.fetch(
            FetchRequest(MirrorNames.conflict, where: .isOneOf("object", rows.map { .text($0.name) })))
        let ids = Dictionary(stored.map { ($0["name"].textValue ?? "", $0.id) }) { $1 }
        for row in rows {
            for (key, lost) in row.state.conflicts {
                let id = ids["\(row.name)/\(key)"]
                switch (lost.value, id) {
                case (let value?, nil):
                    plan.conflicts +=
                        RecordedConflict(row.name, key, value, machine: zone.machine).map { [$0] } ?? []
                case (nil, let id?): plan.resolved.append(id)
                default: break
                }
            }
        }
    }

    /// The origin of edits that the history lost.
    private func unrecorded(at time: Int64) -> LocalTransaction {
        LocalTransaction(machine: zone.machine, number: number, milliseconds: time)
    }

    private func lostClock(after clock: MirrorClock) -> MirrorClock? {
        unrecorded(at: LocalTransaction.unknownTime).clock(after: clock, seen: nil)
    }

    /// Whether a value here may be an edit that the history lost: it differs from the one with its clock, or the relay
    /// does not have that one to compare.
    private func mayBeUnrecorded(
        _ attribute: RecordState.Attribute, _ name: String, _ theirs: RecordState
    ) -> Bool {
        guard let their = theirs.attributes[name] else {
            return theirs.saw[name]?.covers(attribute.clock) != true
        }
        return their.clock == attribute.clock ? isOther(their, attribute) : their.clock < attribute.clock
    }

    /// Whether an attribute was edited after it was sent with the clock that it has.
    private func isOther(_ their: RecordState.Attribute?, _ attribute: RecordState.Attribute) -> Bool {
        their?.clock == attribute.clock && their?.value != nil && their?.value != attribute.value
    }

    private func merge(
        _ entry: MergedEntry, _ row: MapRow, _ object: StoredObject?, _ values: RecordValues,
        into plan: inout MergePlan
    ) {
        let theirs = entry.merged
        var mine = values.filled(row.state, from: object)
        if mode.comparesValues, let object {
            let edited = mine.attributes.filter {
                $0.value.value != nil && mayBeUnrecorded($0.value, $0.key, theirs)
            }
            let members = values.members(of: object)
            let lost = edited.filter { isOther(theirs.attributes[$0.key], $0.value) }
            let others = edited.keys.filter { lost[$0] == nil }
            mine.edit(lost.keys, members: [:], in: unrecorded(at: LocalTransaction.lostTime))
            mine.edit(
                others + members.keys, members: members, in: unrecorded(at: LocalTransaction.unknownTime))
            mine = values.filled(mine, from: object)
        }
        let undeleted = mine.undeleted(next: theirs)
        var state = undeleted.mine.joined(undeleted.theirs)
        state.normalize(values.mirrored)
        state.conflicts.merge(conflicts(undeleted.mine, undeleted.theirs, values.mirrored)) { known, _ in
            known
        }
        if state.isAlive(values.mirrored) {
            var changes = values.changes(to: state, of: object)
            if object == nil { changes[values.mirrored.identifier] = .text(entry.form.uuid) }
            if let object {
                if !changes.isEmpty { plan.updates.append((object, changes)) }
            } else {
                plan.inserts.append((entry.form.entity, changes))
            }
            // The machine that put the record may have merged edits of others.
            plan.machines.formUnion(state.machines(of: changes, since: undeleted.mine))
        } else if let object {
            var held = row
            held.hold(entry.revision)
            plan.deletes.append(object)
            plan.held[plan.rows.count] = held
            plan.machines.insert(entry.form.machine)
        }
        var row = row
        row.read(entry.revision, state: values.stripped(state), waits: entry.form.state.lacks(state))
        plan.rows.append(row)
    }

    /// Returns the values of this machine that lose, and those that lose to one of this machine, if neither
    /// machine had seen the edit of the other, or it is not known whether.
    private func conflicts(
        _ mine: RecordState, _ theirs: RecordState, _ entity: MirroredEntity
    ) -> [String: RecordState.LosingValue] {
        var conflicts: [String: RecordState.LosingValue] = [:]
        for attribute in theirs.attributes where !mine.attributes.isEmpty {
            let (name, their) = (attribute.key, attribute.value)
            guard let own = mine.attributes[name], !entity.minor.contains(name),
                let ownValue = own.value, let theirValue = their.value, ownValue != theirValue
            else { continue }
            let isOwn = own.clock < their.clock
            let isSeen =
                own.clock.milliseconds == LocalTransaction.earlierTime
                ? their.seen.has(own.clock) : their.seen.covers(own.clock)
            // A copy that was seen loses to the edit that saw it. If it wins, its machine lost its history, too, and gave
            // the same value a later clock.
            let hasSeen = isOwn ? own.seen.has(their.clock) : own.seen.covers(their.clock)
            let isUnseen =
                own.clock.machine == zone.machine && their.clock.machine != zone.machine
                && !hasSeen && !isSeen
            let mayBeUnrecorded = isOwn && mode == .recover
            guard isUnseen || mayBeUnrecorded else { continue }
            // Another edit than the one with the clock, of which there may be a conflict.
            let clock = mayBeUnrecorded ? lostClock(after: own.clock) : nil
            let key = RecordState.conflictKey(name, clock ?? (isOwn ? own.clock : their.clock))
            conflicts[key] = RecordState.LosingValue(value: isOwn ? ownValue : theirValue)
        }
        return conflicts
    }
}

extension RecordState {
    /// Returns the machines whose edits of changed attributes an earlier state does not have.
    fileprivate func machines(
        of changes: [String: AttributeValue], since earlier: RecordState
    ) -> Set<UInt64> {
        var machines: Set<UInt64> = []
        for entry in attributes {
            let (name, clock) = (entry.key, entry.value.clock)
            if machines.contains(clock.machine) { continue }
            if clock != earlier.attributes[name]?.clock, changes[name] != nil {
                machines.insert(clock.machine)
            }
        }
        for (name, elements) in elements where changes[name] != nil {
            for (element, entry) in elements where entry.clock != earlier.elements[name]?[element]?.clock {
                machines.insert(entry.clock.machine)
            }
        }
        return machines
    }

    /// Whether another state knows an edit that this one does not.
    func lacks(_ other: RecordState) -> Bool { self != other && merged(other) != self }
}

extension MapRow {
    mutating func read(_ revision: MirrorRevision, state: RecordState, waits: Bool) {
        self.revision = revision.number
        stamp = revision.stamp
        self.state = state
        waiting = waits ? .toPut : .none
    }

    /// Notes a revision that deletes the object once the user allows it; an edit that follows is put after it.
    mutating func hold(_ revision: MirrorRevision) {
        (self.revision, stamp, waiting) = (revision.number, revision.stamp, .held)
    }
}

/// The changes of one import.
struct MergePlan: Sendable {
    var inserts: [(entity: String, values: [String: AttributeValue])] = []
    var updates: [(object: StoredObject, changes: [String: AttributeValue])] = []
    var deletes: [StoredObject] = []
    var rows: [MapRow] = []
    /// The rows of objects that are deleted, by their index, as they are if the deletion waits.
    var held: [Int: MapRow] = [:]
    var conflicts: [RecordedConflict] = []
    /// The conflicts that were restored or dismissed.
    var resolved: [ObjectID] = []

    /// Whether a record has an edit with the name of this machine that the store does not know: its file was replaced by
    /// an older copy.
    var showsCopy = false

    var removals: Int { deletes.count }
    /// The machines that made the changes.
    var machines: Set<UInt64> = []

    /// Lets the deletions wait for the user's answer.
    mutating func holdRemovals() {
        for (index, row) in held { rows[index] = row }
        (deletes, held) = ([], [:])
    }

    /// Saves the changes, each for the version that was read.
    func save(in transaction: inout StoreTransaction) throws(StoreError) {
        for (entity, values) in inserts { try transaction.insert(entity, values) }
        try transaction.apply(updates: updates, deletions: deletes)
        for row in rows { try row.save(in: &transaction) }
        for conflict in conflicts { try conflict.save(in: &transaction) }
        for id in resolved { try transaction.delete(id) }
    }
}
