import PersistentStore

/// Turns transactions into changes of one list: for each clip, where it was in the list before, and the row
/// that it is now.
///
/// The present state is read from the snapshot that the transactions lead up to; the earlier one is found by
/// walking the changes back from it, since history keeps what updates and deletions replaced. A search knows what it
/// has found.
struct ClipListChanges {
    let query: ClipQuery
    let snapshot: StoreSnapshot
    /// What a search has found, when the list is of that; the changes go into it.
    var selection: ClipSelection?
    /// The order of all clips, where it is held; they go into that too.
    var sorted: SortedClips?

    mutating func changes(of transactions: [HistoryTransaction]) throws -> [LiveList<ClipRow>.Change] {
        var order: [Int64] = []
        var histories: [Int64: [HistoryChange]] = [:]
        for transaction in transactions {
            for change in transaction.changes where change.objectID.entity == ClipModel.entity {
                if histories[change.objectID.key] == nil { order.append(change.objectID.key) }
                histories[change.objectID.key, default: []].append(change)
            }
        }
        guard !order.isEmpty else { return [] }
        let objects = try presentState(of: order)
        var changes: [LiveList<ClipRow>.Change] = []
        var moved: [Int64: SortPosition?] = [:]
        for key in order {
            let object = objects[key]
            let old: SortPosition?
            let new: SortPosition?
            if selection != nil {
                (old, new) = selection?.place(key, object, in: snapshot) ?? (nil, nil)
            } else {
                let earlier = earlierValues(histories[key] ?? [], present: object?.values)
                old = earlier.map { place(of: key, $0, in: query.sort) }
                new = object.map { snapshot.position(of: $0, in: query.sort) }
                // By its own sort: another one may just have been asked for.
                if let sort = sorted?.sort {
                    let place = object.map { snapshot.position(of: $0, in: sort) }
                    if earlier.map({ self.place(of: key, $0, in: sort) }) != place {
                        moved[key] = .some(place)
                    }
                }
            }
            guard old != nil || new != nil else { continue }
            let row = new.flatMap { new in object.map { ClipRow($0, position: new) } }
            changes.append(LiveList.Change(id: key, old: old, new: row))
        }
        if !moved.isEmpty { try sorted?.move(moved, in: snapshot) }
        return changes
    }

    private func presentState(of keys: [Int64]) throws -> [Int64: StoredObject] {
        var request = FetchRequest(ClipModel.entity, where: .keys(keys))
        if selection == nil { request.attributes = ClipModel.listAttributes }
        return Dictionary(uniqueKeysWithValues: try snapshot.fetch(request).map { ($0.id.key, $0) })
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

    private func place(of key: Int64, _ values: [String: Value], in sort: SortOrder) -> SortPosition {
        snapshot.position(of: ClipModel.objectID(key), value: values[sort.attribute] ?? .null, in: sort)
    }
}
