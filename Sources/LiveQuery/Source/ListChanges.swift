import PersistentStore

/// Converts transactions to changes of one list: the old position and the new row of each object.
///
/// The present state is read from the snapshot at the end of the transactions. The earlier one is derived
/// from it by reverting the changes, if the history recorded the values that they replaced.
struct ListChanges {
    let plan: ListPlan
    /// The hits of a filtered list, updated with the changes.
    var selection: (any ListSelection)?
    /// The order of the list, if it is in memory; updated with the changes.
    var sorted: SortedObjects?

    /// The changes of one object.
    private struct Changed {
        let key: Int64
        let changes: [HistoryChange]
        /// The present object; nil if it was deleted.
        let object: StoredObject?

        /// The values before the changes; nil if the object did not exist.
        var earlier: [String: AttributeValue]? {
            if changes.first?.kind == .insert { return nil }
            return changes.reversed().reduce(object?.values) { $1.reverting($0) }
        }
    }

    /// The change of one object in the list, without its row. Not generic: a generic type costs a search for its
    /// metadata wherever it is used.
    struct Change {
        let key: Int64
        let old: SortPosition?
        let new: SortPosition?
        /// The present object; nil if it was deleted.
        let object: StoredObject?
    }

    /// Returns the changes; nil if the list must be read again.
    mutating func changes(
        of transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Change]? {
        let changed = try changedObjects(transactions, in: snapshot)
        guard !changed.isEmpty else { return [] }
        if selection != nil { return try selectedChanges(changed, in: snapshot) }
        var changes: [Change] = []
        var moved: [Int64: SortPosition?] = [:]
        for change in changed {
            let new = try position(of: change.object, in: snapshot)
            guard plan.isRecorded else {
                moved[change.key] = .some(new)
                continue
            }
            let old = try position(of: change.key, change.earlier, in: snapshot)
            if old != new { moved[change.key] = .some(new) }
            if old != nil || new != nil {
                changes.append(Change(key: change.key, old: old, new: new, object: change.object))
            }
        }
        if !moved.isEmpty { try sorted?.move(moved, in: snapshot) }
        return plan.isRecorded ? changes : nil
    }

    /// Returns the changes of objects that changed before others were found.
    mutating func changes(ofUnmoved keys: [Int64], in snapshot: borrowing StoreSnapshot) throws(StoreError)
        -> [Change]
    {
        let objects = try objects(keys, in: snapshot)
        let changed = keys.map { Changed(key: $0, changes: [], object: objects[$0]) }
        return try selectedChanges(changed, in: snapshot) ?? []
    }

    /// Returns the changes of a list with a selection; none while its order is unknown.
    private mutating func selectedChanges(
        _ changed: [Changed], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Change]? {
        guard var found = selection else { return nil }
        selection = nil
        let candidates = changed.map { change in
            ListCandidate(
                key: change.key, earlier: change.earlier.map { plan.order.position(of: change.key, $0) },
                object: change.object)
        }
        let positions = try found.apply(candidates, in: snapshot)
        selection = found
        guard found.isSorted else { return [] }
        return zip(changed, positions).compactMap { change, position in
            guard position.old != nil || position.new != nil else { return nil }
            return Change(key: change.key, old: position.old, new: position.new, object: change.object)
        }
    }

    private func changedObjects(
        _ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Changed] {
        var order: [Int64] = []
        var histories: [Int64: [HistoryChange]] = [:]
        for transaction in transactions {
            for change in transaction.changes where change.objectID.entity == plan.request.entity {
                if histories[change.objectID.key] == nil { order.append(change.objectID.key) }
                histories[change.objectID.key, default: []].append(change)
            }
        }
        guard !order.isEmpty else { return [] }
        let objects = try objects(order, in: snapshot)
        return order.map { Changed(key: $0, changes: histories[$0] ?? [], object: objects[$0]) }
    }

    private func objects(
        _ keys: [Int64], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Int64: StoredObject] {
        var request = FetchRequest(plan.request.entity, where: .keys(keys))
        if selection == nil { request.attributes = plan.changedAttributes }
        return Dictionary(uniqueKeysWithValues: try snapshot.fetch(request).map { ($0.id.key, $0) })
    }

    /// Returns the position of an object; nil if the list does not contain it.
    private func position(
        of object: StoredObject?, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> SortPosition? {
        guard let object, try snapshot.matches(plan.request.predicate, object) else { return nil }
        return plan.order.position(of: object)
    }

    /// Returns the position of an object with these values; nil if the list does not contain it.
    private func position(
        of key: Int64, _ values: [String: AttributeValue]?, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> SortPosition? {
        guard var values else { return nil }
        values["id"] = .integer(key)
        guard try snapshot.matches(plan.request.predicate, values, entity: plan.request.entity) else {
            return nil
        }
        return plan.order.position(of: key, values)
    }
}

extension LiveList.Change where Row: StoredRow {
    init(_ change: ListChanges.Change) {
        var row: Row?
        if let object = change.object, let position = change.new { row = Row(object, position: position) }
        self.init(id: change.key, old: change.old, new: row)
    }
}
