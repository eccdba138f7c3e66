import PersistentStore

/// Turns transactions into changes of one list: for each clip, where it was in the list before, and the row
/// that it is now.
///
/// The present state is read from the snapshot that the transactions lead up to; the earlier one is found by
/// walking the changes back from it, since history keeps what updates and deletions replaced.
struct ClipListChanges {
    let query: ClipQuery
    let snapshot: StoreSnapshot

    func changes(of transactions: [HistoryTransaction]) throws -> [LiveList<ClipRow>.Change] {
        var order: [Int64] = []
        var histories: [Int64: [HistoryChange]] = [:]
        for transaction in transactions {
            for change in transaction.changes where change.objectID.entity == ClipModel.entity {
                if histories[change.objectID.key] == nil { order.append(change.objectID.key) }
                histories[change.objectID.key, default: []].append(change)
            }
        }
        guard !order.isEmpty else { return [] }
        let (objects, rows) = try presentState(of: order)
        var changes: [LiveList<ClipRow>.Change] = []
        for key in order {
            let earlier = earlierValues(histories[key] ?? [], present: objects[key]?.values)
            let old = try earlier.flatMap { try place(of: key, $0) }
            guard old != nil || rows[key] != nil else { continue }
            changes.append(LiveList.Change(id: key, old: old, new: rows[key]))
        }
        return changes
    }

    /// The objects that there are, and the rows of those that are in the list.
    private func presentState(of keys: [Int64]) throws -> ([Int64: StoredObject], [Int64: ClipRow]) {
        var request = FetchRequest(ClipModel.entity, where: .keys(keys))
        if query.predicate == nil { request.attributes = ClipModel.listAttributes }
        let objects = try snapshot.fetch(request)
        var admitted = Set(keys)
        if let predicate = query.predicate {
            var matching = FetchRequest(ClipModel.entity, where: .and([.keys(keys), predicate]))
            matching.attributes = []
            admitted = Set(try snapshot.fetch(matching).map(\.id.key))
        }
        var rows: [Int64: ClipRow] = [:]
        for object in objects where admitted.contains(object.id.key) {
            rows[object.id.key] = ClipRow(object, position: snapshot.position(of: object, in: query.sort))
        }
        return (Dictionary(uniqueKeysWithValues: objects.map { ($0.id.key, $0) }), rows)
    }

    /// What the clip was before these changes; nil when it was not there.
    private func earlierValues(_ changes: [HistoryChange], present: [String: Value]?) -> [String: Value]? {
        var values = present
        for change in changes.reversed() {
            switch change.kind {
            case .insert: values = nil
            case .update: values?.merge(change.oldValues) { $1 }
            case .delete: values = change.tombstone ?? [:]
            }
        }
        return values
    }

    private func place(of key: Int64, _ values: [String: Value]) throws -> SortPosition? {
        guard try snapshot.matches(query.predicate, values, entity: ClipModel.entity) else { return nil }
        let value = values[query.sort.attribute] ?? .null
        return snapshot.position(of: ClipModel.objectID(key), value: value, in: query.sort)
    }
}
