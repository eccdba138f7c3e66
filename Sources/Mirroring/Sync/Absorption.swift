import FoundationEssentials
import PersistentStore

/// The rows of the record map that a part of the history changes.
struct Absorption {
    private let zone: MirrorZone
    private let values: [String: RecordValues]
    private var texts = StateTexts()
    private(set) var rows: [String: MapRow] = [:]
    /// Whether an object changed in attributes alone that remain on the machine: an import waits for the cursor to pass.
    private(set) var hasExcludedChanges = false
    /// The sets in another order than on other machines.
    private var reordered: [ObjectID: (object: StoredObject, changes: [String: AttributeValue])] = [:]

    init(zone: MirrorZone, values: [String: RecordValues]) { (self.zone, self.values) = (zone, values) }

    private func local(_ number: Int64, at milliseconds: Int64) -> LocalTransaction {
        LocalTransaction(
            machine: zone.machine, number: number, milliseconds: milliseconds + zone[.offset])
    }

    /// Applies transactions in order. The values are those of the snapshot: a later edit of the same attribute
    /// gets a clock of its own.
    mutating func run(
        _ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        let changes = transactions.flatMap { transaction in
            transaction.changes.map { (change: $0, transaction: transaction) }
        }
        var objects: [ObjectID: StoredObject] = [:]
        for (entity, group) in Dictionary(grouping: changes, by: \.change.objectID.entity) {
            guard let mirrored = values[entity]?.mirrored else { continue }
            let keys = Set(group.map(\.change.objectID.key))
            var request = FetchRequest(entity, where: .keys(Array(keys)))
            request.attributes = [mirrored.identifier] + mirrored.sets.keys
            for object in try snapshot.fetch(request) { objects[object.id] = object }
        }
        let named = changes.compactMap { change, transaction in
            name(of: change, objects[change.objectID]).map { (change, transaction, $0) }
        }
        rows = try snapshot.mapRows(Set(named.map(\.2)))
        for (change, transaction, name) in named {
            apply(change, of: transaction, to: name, objects[change.objectID])
        }
        rows = rows.filter(\.value.isChanged)
        for name in rows.keys { rows[name]?.encode(&texts) }
    }

    private func name(of change: HistoryChange, _ object: StoredObject?) -> String? {
        guard let mirrored = values[change.objectID.entity]?.mirrored else { return nil }
        let values = change.kind == .delete ? change.tombstone : object?.values
        return values?[mirrored.identifier]?.textValue.map { MapRow.name(mirrored.name, $0) }
    }

    private mutating func apply(
        _ change: HistoryChange, of transaction: HistoryTransaction, to name: String, _ object: StoredObject?
    ) {
        guard let values = values[change.objectID.entity] else { return }
        var row = rows[name] ?? MapRow(name: name)
        let milliseconds = Int64((transaction.timestamp.timeIntervalSince1970 * 1000).rounded())
        let local = local(transaction.number, at: milliseconds)
        if change.kind == .delete {
            row.state.delete(values.mirrored)
        } else if let object {
            let names =
                change.kind == .insert ? values.names : change.updatedAttributes.filter(values.isMirrored)
            guard !names.isEmpty else {
                hasExcludedChanges = true
                return
            }
            row.state.edit(names, members: values.members(of: object), in: local)
            noteOrder(of: row.state, in: object, values)
        }
        (row.waiting, row.isChanged) = (.toPut, true)
        rows[name] = row
    }

    private mutating func noteOrder(of state: RecordState, in object: StoredObject, _ values: RecordValues) {
        let changes = values.order(of: state, in: object)
        reordered[object.id] = changes.isEmpty ? nil : (object, changes)
    }

    /// - Parameter edited: The attributes of which the history has edits.
    mutating func scan(
        _ objects: [StoredObject], number: Int64, edited: [ObjectID: Set<String>],
        in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        let named = objects.compactMap { object in
            values[object.id.entity].flatMap { values in
                let mirrored = values.mirrored
                return object[mirrored.identifier].textValue.map {
                    (name: MapRow.name(mirrored.name, $0), object: object, values: values)
                }
            }
        }
        let known = try snapshot.mapRows(named.map(\.name))
        // The states of unedited objects without a record, which differ in their sets alone.
        var states: [String: [[String: [String]]: RecordState]] = [:]
        for (name, object, values) in named {
            var row = known[name] ?? MapRow(name: name)
            // A record that was never put is not compared with the relay's.
            guard row.revision == 0 || !row.state.isAlive(values.mirrored) else { continue }
            let (members, edited) = (values.members(of: object), edited[object.id] ?? [])
            let isPlain = edited.isEmpty && known[name] == nil
            if isPlain, let state = states[object.id.entity]?[members] {
                row.state = state
            } else {
                for isEdited in [false, true] {
                    let time = isEdited ? LocalTransaction.earlierTime : LocalTransaction.unknownTime
                    row.state.edit(
                        values.names.filter { edited.contains($0) == isEdited }, members: members,
                        in: LocalTransaction(machine: zone.machine, number: number, milliseconds: time))
                }
                if isPlain { states[object.id.entity, default: [:]][members] = row.state }
            }
            noteOrder(of: row.state, in: object, values)
            row.waiting = .toPut
            row.encode(&texts)
            rows[name] = row
        }
    }

    func save(in transaction: inout StoreTransaction) throws(StoreError) {
        for row in rows.values { try row.save(in: &transaction) }
        try transaction.apply(updates: Array(reordered.values))
    }
}
