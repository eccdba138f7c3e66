import PersistentStore

/// Converts transactions to changes of one list: the old position and the new row of each clip.
///
/// The present state is read from the snapshot at the end of the transactions. The earlier one is derived
/// from it by reverting the changes, since history records the values that updates and deletions replaced.
struct ClipListChanges {
    let query: ClipQuery
    /// The hits of a filtered list, updated with the changes.
    var selection: ClipSelection?
    /// The order of all clips, if it is in memory; updated with the changes.
    var sorted: SortedClips?

    mutating func changes(
        of transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [LiveList<ClipRow>.Change] {
        var order: [Int64] = []
        var histories: [Int64: [HistoryChange]] = [:]
        for transaction in transactions {
            for change in transaction.changes where change.objectID.entity == ClipModel.entity {
                if histories[change.objectID.key] == nil { order.append(change.objectID.key) }
                histories[change.objectID.key, default: []].append(change)
            }
        }
        guard !order.isEmpty else { return [] }
        let objects = try presentState(of: order, snapshot)
        if selection != nil { return try foundChanges(order, histories, objects, snapshot) }
        var changes: [LiveList<ClipRow>.Change] = []
        var moved: [Int64: SortPosition?] = [:]
        for key in order {
            let object = objects[key]
            let earlier = (histories[key] ?? []).reversed().reduce(object?.values) { $1.reverting($0) }
            let old = earlier.map { position(of: key, $0, in: query.sort, snapshot) }
            let new = object.map { snapshot.position(of: $0, in: [query.sort]) }
            // In its own order: another one may be pending.
            if let sort = sorted?.sort {
                let position = object.map { snapshot.position(of: $0, in: [sort]) }
                if earlier.map({ self.position(of: key, $0, in: sort, snapshot) }) != position {
                    moved[key] = .some(position)
                }
            }
            if let change = Self.change(key, old, new, object) { changes.append(change) }
        }
        if !moved.isEmpty { try sorted?.move(moved, in: snapshot) }
        return changes
    }

    /// Returns the changes of a filtered list; none while its order is unknown.
    private mutating func foundChanges(
        _ order: [Int64], _ histories: [Int64: [HistoryChange]], _ objects: [Int64: StoredObject],
        _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [LiveList<ClipRow>.Change] {
        guard var found = selection else { return [] }
        selection = nil
        let changed = order.map { key in
            let earlier = (histories[key] ?? []).reversed().reduce(objects[key]?.values) { $1.reverting($0) }
            return ClipSelection.Changed(
                key: key, earlier: earlier.map { position(of: key, $0, in: found.sort, snapshot) },
                object: objects[key]
            )
        }
        let positions = try found.apply(changed, in: snapshot)
        selection = found
        guard found.isSorted else { return [] }
        return zip(changed, positions).compactMap { Self.change($0.key, $1.old, $1.new, $0.object) }
    }

    private static func change(
        _ key: Int64, _ old: SortPosition?, _ new: SortPosition?, _ object: StoredObject?
    ) -> LiveList<ClipRow>.Change? {
        guard old != nil || new != nil else { return nil }
        let row = new.flatMap { new in object.map { ClipRow($0, position: new) } }
        return LiveList.Change(id: key, old: old, new: row)
    }

    private func presentState(
        of keys: [Int64], _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Int64: StoredObject] {
        var request = FetchRequest(ClipModel.entity, where: .keys(keys))
        if selection == nil { request.attributes = ClipModel.listAttributes }
        return Dictionary(uniqueKeysWithValues: try snapshot.fetch(request).map { ($0.id.key, $0) })
    }

    private func position(
        of key: Int64, _ values: [String: AttributeValue], in sort: SortKey,
        _ snapshot: borrowing StoreSnapshot
    ) -> SortPosition {
        snapshot.position(of: ClipModel.objectID(key), values, in: [sort])
    }
}
