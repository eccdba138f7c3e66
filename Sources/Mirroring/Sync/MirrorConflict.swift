public import FoundationEssentials
public import PersistentStore
import Platform

/// An attribute that two machines edited, neither with knowledge of the other's edit.
public struct MirrorConflict: Hashable, Sendable, Identifiable {
    /// The name of the conflict, which is stable.
    public let id: String
    package let entity: String
    /// The identifier of the object.
    package let uuid: String
    public let attribute: String
    /// The losing value.
    public let value: AttributeValue
    /// Whether this machine made the losing edit.
    public let isOwn: Bool
    /// The name of the machine that made it; nil if it is not known.
    public let machine: String?
    /// The time of the losing edit.
    public let date: Date
    /// The object with its current values; nil if it was deleted.
    public let object: StoredObject?

    /// The value that the object has now.
    package var current: AttributeValue? { object?[attribute] }
}

extension MirrorConfiguration {
    /// Returns the conflicts, oldest first.
    nonisolated(nonsending) public func conflicts(in container: PersistentContainer)
        async throws(MirrorError) -> [MirrorConflict]
    {
        try await read(container) { [self] snapshot throws(StoreError) in
            let rows = try snapshot.fetch(FetchRequest(MirrorNames.conflict))
            let names = rows.map { MapRow(name: $0["object"].textValue ?? "") }
            let objects = try snapshot.objects(of: names.map { ($0.entity, $0.uuid) }, self)
            let machines = try snapshot.machines()
            return zip(rows, names).map { row, name in
                var json = JSONReader(row["value"].blobValue ?? [])
                let value: AttributeValue =
                    if case .known(let value)? = try? json.value() { value } else { .null }
                let id = row["name"].textValue ?? ""
                let clock = id.split(separator: "/").last.flatMap { MirrorClock(String($0)) }
                return MirrorConflict(
                    id: id, entity: name.entity, uuid: name.uuid,
                    attribute: row["attribute"].textValue ?? "", value: value,
                    isOwn: row["isOwn"].booleanValue, machine: clock.flatMap { machines[$0.machine]?.name },
                    date: Date(timeIntervalSince1970: Double(row["time"].integerValue ?? 0) / 1000),
                    object: objects[name.name])
            }
        }
    }

    /// Restores the losing value of a conflict, as an edit that other machines receive, or dismisses it.
    ///
    /// - Parameters:
    ///   - conflict: The conflict; it is deleted in the same commit, and on other machines.
    ///   - restoring: Whether to restore the losing value. Does nothing to an object that was deleted.
    ///   - transaction: The write that saves the edit; its author must not be `mirror`.
    /// - Throws: A conflict of the store if the object has changed since the conflict was read.
    public func resolve(
        _ conflict: MirrorConflict, restoring: Bool, in transaction: inout StoreTransaction
    ) throws(StoreError) {
        let request = FetchRequest(MirrorNames.conflict, where: .equal("name", .text(conflict.id)))
        for row in try transaction.fetch(request) { try transaction.delete(row.id) }
        let record = MapRow.name(conflict.entity, conflict.uuid)
        if var row = try transaction.snapshot.mapRows([record])[record] {
            row.state.conflicts[String(conflict.id.dropFirst(record.count + 1))] = RecordState.LosingValue()
            row.waiting = .toPut
            try row.save(in: &transaction)
        }
        if restoring, let object = conflict.object {
            try transaction.update(
                object.id, [conflict.attribute: conflict.value], onVersion: object.version)
        }
    }
}
