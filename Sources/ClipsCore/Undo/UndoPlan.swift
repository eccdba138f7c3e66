import PersistentStore

/// The writes that undo a transaction, given the later changes of its clips.
///
/// A value is contested if the present one is not the one that the transaction left, which the first later
/// change recorded. Tags are a set: the ones that the transaction added are removed, the ones that it removed
/// are added, and all others remain.
struct UndoPlan {
    enum Step {
        case restore([String: AttributeValue])
        /// Restores a clip under a new ID, since another one has its ID now.
        case insert([String: AttributeValue])
        case delete
        /// Values without and with a conflict.
        case update([String: AttributeValue], contested: [String: AttributeValue])
        case contestedDelete
    }

    private(set) var steps: [(id: ObjectID, step: Step)] = []
    private(set) var conflict: UndoConflict?
    /// The number of changed clips that do not exist anymore.
    private(set) var deleted = 0
    /// The number of clips with which others have done the same again.
    private(set) var repeated = 0

    /// The attributes whose changes by other writers prevent a deletion. Reading a clip is not an edit.
    private static let visible: [ClipAttribute] = [.title, .url, .tags, .note, .text, .author, .starred]

    /// - Parameter later: The changes after the step, read in the same snapshot.
    init(
        _ piece: UndoPieces.Piece, _ later: LaterChanges, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        var effects = Effects(try snapshot.transaction(piece))
        try effects.removeReturned(in: snapshot)
        try effects.renewTakenUUIDs(in: snapshot)
        let ids = effects.order.filter { $0.entity == ClipModel.entity }.map(\.key)
        let later = try later.values(of: ids, after: piece.token, in: snapshot)
        let known = try snapshot.fetch(FetchRequest(clips: .keys(ids), [.uuid, .created]))
            .reduce(into: [:]) { $0[$1.id.key] = $1 }
        let existing = Set(known.keys)
        let gone = later.filter { $1.endsForeign && !existing.contains($0) }.mapValues(\.left)
        repeated += effects.keepDeleted(gone)
        try addQuotes(effects, in: snapshot)
        let touched = FetchRequest(ClipModel.entity, where: .keys(later.keys.filter(existing.contains)))
        let present = Dictionary(uniqueKeysWithValues: try snapshot.fetch(touched).map { ($0.id.key, $0) })

        let (uuid, created) = (ClipAttribute.uuid.rawValue, ClipAttribute.created.rawValue)
        let moved = later.compactMapValues(\.tombstone)
            .filter { known[$0]?.isClip(deletedAs: $1) != true }
        let returned = FetchRequest(
            ClipModel.entity, where: .isOneOf(uuid, moved.values.compactMap { $0[uuid] }))
        let others = moved.isEmpty ? [] : try snapshot.fetch(returned)

        var clips: [UndoConflict.Clip] = []
        var (count, hasRest) = (0, false)
        var authors: [String?] = []
        for id in effects.order where id.entity == ClipModel.entity {
            guard let effect = effects[id] else { continue }
            var (id, since) = (id, later[id.key])
            var (exists, now) = (existing.contains(id.key), present[id.key])
            if !effect.isRestoring, let tombstone = moved[id.key] {
                // Without the clip that has its ID now.
                now = others.first { clip in
                    [uuid, created].allSatisfy { clip[$0] == tombstone[$0] }
                }
                (exists, id) = (now != nil, now?.id ?? id)
                since = since?.ofMovedClip
            }
            let fields: [UndoConflict.Field]
            switch (effect, exists) {
            case (.restore(let values), false):
                steps.append((id, .restore(values)))
                fields = []
                hasRest = true
            case (.restore(let values), true)
            where effects.uuid(of: id) != known[id.key]?[.uuid] && values[created] != known[id.key]?[.created]:
                steps.append((id, .insert(values)))
                fields = []
                hasRest = true
            case (.delete, true):
                fields = Self.changedFields(of: now, since)
                steps.append((id, fields.isEmpty ? .delete : .contestedDelete))
                hasRest = hasRest || fields.isEmpty
            case (.update(let old), true):
                let (values, contested, isRepeated) = Self.split(old, now, since)
                repeated += isRepeated ? 1 : 0
                guard !values.isEmpty || !contested.isEmpty else { continue }
                let overwritten = contested.reduce(into: [:]) { $0[$1.attribute] = $1.mine }
                steps.append((id, .update(values, contested: overwritten)))
                fields = contested
                hasRest = hasRest || !values.isEmpty
            case (.update, false):
                deleted += 1
                continue
            default:
                // Deleted, or restored already: nothing is left to undo.
                continue
            }
            guard !fields.isEmpty else { continue }
            count += 1
            for field in fields {
                let author = since?.authors[field.attribute] ?? nil
                if !authors.contains(author) { authors.append(author) }
            }
            guard clips.count < UndoConflict.maxClips else { continue }
            let isDeletion = if case .delete = effect { true } else { false }
            clips.append(
                UndoConflict.Clip(
                    id: id.key, title: now.map { Clip($0).displayTitle } ?? "", fields: fields,
                    isDeletion: isDeletion))
        }
        if count > 0 {
            conflict = UndoConflict(clips: clips, count: count, authors: authors, hasRest: hasRest)
        }
    }

    /// Adds the steps of quotes, whose texts do not change: one that a later writer deleted or restored remains so.
    private mutating func addQuotes(
        _ effects: Effects, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        let ids = effects.order.filter { $0.entity == Quote.entity }
        guard !ids.isEmpty else { return }
        let request = FetchRequest(Quote.entity, where: .keys(ids.map(\.key)), attributes: [])
        let existing = Set(try snapshot.fetch(request).map(\.id.key))
        let uuid = ClipAttribute.uuid.rawValue
        var (wanted, clips): (Set<AttributeValue>, Set<AttributeValue>) = ([], [])
        var hasClip = false
        for id in effects.order {
            switch effects[id] {
            case .restore(let values) where id.entity == Quote.entity:
                wanted.insert(values[Quote.clip] ?? .null)
            case .restore(let values) where id.entity == ClipModel.entity: clips.insert(values[uuid] ?? .null)
            case .update(let values) where id.entity == ClipModel.entity:
                hasClip = true
                clips.insert(values[uuid] ?? .null)
            default: continue
            }
        }
        let present = FetchRequest(clips: .isOneOf(uuid, Array(wanted)), [.uuid])
        clips.formUnion(try snapshot.fetch(present).map { $0[.uuid] })
        // The update of a deleted clip is counted with the clips.
        if !hasClip { deleted += wanted.subtracting(clips).count }
        for id in ids {
            switch (effects[id], existing.contains(id.key)) {
            // Its clip may be deleted.
            case (.restore(let values), false):
                if clips.contains(values[Quote.clip] ?? .null) { steps.append((id, .restore(values))) }
            case (.delete, true): steps.append((id, .delete))
            case (.update(let old), true): steps.append((id, .update(old, contested: [:])))
            default: continue
            }
        }
    }

    /// Splits the old values of an update into those without and with a conflict, except for those that others have set
    /// again.
    private static func split(
        _ old: [String: AttributeValue], _ now: StoredObject?, _ since: LaterChanges.Values?
    ) -> (values: [String: AttributeValue], contested: [UndoConflict.Field], isRepeated: Bool) {
        guard let now, let since else { return (old, [], false) }
        var values: [String: AttributeValue] = [:]
        var (contested, isRepeated): ([UndoConflict.Field], Bool) = ([], false)
        for (name, value) in old where name != ClipAttribute.updated.rawValue {
            let theirs = now[name]
            guard let left = since.left[name], !left.isSameText(as: theirs) else {
                // Others who changed and restored a tag concern that tag alone.
                if since.foreign.contains(name), name != ClipAttribute.tags.rawValue {
                    isRepeated = true
                } else {
                    values[name] = value
                }
                continue
            }
            if name == ClipAttribute.tags.rawValue {
                let merged = Self.tags(theirs, withoutChange: value, to: left)
                if !merged.isSameText(as: theirs) { values[name] = merged }
            } else if !theirs.isSameText(as: value) {
                contested.append(UndoConflict.Field(attribute: name, base: left, theirs: theirs, mine: value))
            }
        }
        // Its last change again, if all later ones were undone.
        let updated = ClipAttribute.updated.rawValue
        if contested.isEmpty, !isRepeated || !values.isEmpty, let value = old[updated],
            since.left[updated] == now[updated]
        {
            values[updated] = value
        }
        let names = ClipAttribute.allCases.map(\.rawValue)
        func order(_ field: UndoConflict.Field) -> Int { names.firstIndex(of: field.attribute) ?? 0 }
        return (values, contested.sorted { order($0) < order($1) }, isRepeated)
    }

    private static func tags(
        _ now: AttributeValue, withoutChange old: AttributeValue, to left: AttributeValue
    ) -> AttributeValue {
        func names(_ value: AttributeValue) -> [String] { Tags(joined: value.textValue ?? "").names }
        let added = Set(names(left)).subtracting(names(old))
        let removed = names(old).filter { !names(left).contains($0) }
        return .text(Tags(names(now).filter { !added.contains($0) } + removed).joined)
    }

    /// Returns the changes of a clip since it was inserted.
    private static func changedFields(of now: StoredObject?, _ since: LaterChanges.Values?) -> [UndoConflict
        .Field]
    {
        guard let now, let since else { return [] }
        return visible.compactMap { attribute in
            let name = attribute.rawValue
            guard let left = since.left[name], !left.isSameText(as: now[name]) else { return nil }
            return UndoConflict.Field(attribute: name, base: left, theirs: now[name], mine: nil)
        }
    }
}

extension UndoPlan {
    /// The inverse of a transaction's net effect on each clip.
    private struct Effects {
        enum Effect {
            case delete
            case restore([String: AttributeValue])
            case update([String: AttributeValue])

            var isRestoring: Bool { if case .restore = self { true } else { false } }
        }

        private(set) var order: [ObjectID] = []
        private var effects: [ObjectID: Effect] = [:]
        /// The UUIDs that the clips to restore had.
        private var uuids: [ObjectID: AttributeValue] = [:]

        subscript(_ id: ObjectID) -> Effect? { effects[id] }

        init(_ transaction: HistoryTransaction) {
            for change in transaction.changes.reversed()
            where [ClipModel.entity, Quote.entity].contains(change.objectID.entity) {
                let id = change.objectID
                let known = effects[id]
                if known == nil { order.append(id) }
                effects[id] = Self.before(change, known)
                if let uuid = change.tombstone?[ClipAttribute.uuid.rawValue] { uuids[id] = uuid }
            }
        }

        func uuid(of id: ObjectID) -> AttributeValue? { uuids[id] }

        /// Leaves out the clips to restore that exist under other IDs, as those that a mirror returned.
        mutating func removeReturned(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
            let uuid = ClipAttribute.uuid.rawValue
            let attributes = ClipAttribute.identifying
            var restored: [AttributeValue: (id: ObjectID, values: [String: AttributeValue])] = [:]
            for id in order where id.entity == ClipModel.entity {
                if case .restore(let values) = effects[id], let key = values[uuid] {
                    restored[key] = (id, values)
                }
            }
            guard !restored.isEmpty else { return }
            let request = FetchRequest(clips: .isOneOf(uuid, Array(restored.keys)), attributes)
            for object in try snapshot.fetch(request) where effects[object.id] == nil {
                guard let (id, values) = restored[object[uuid]],
                    attributes.allSatisfy({ values[$0.rawValue]?.isSameText(as: object[$0]) == true })
                else { continue }
                effects[id] = nil
            }
        }

        /// Leaves out clips that others restored and deleted, with their quotes. Returns their number.
        ///
        /// - Parameter left: The values before the later changes, of clips that others deleted last.
        mutating func keepDeleted(_ left: [Int64: [String: AttributeValue]]) -> Int {
            var count = 0
            for id in order where id.entity == ClipModel.entity {
                // Another clip may have had the ID.
                guard case .restore? = effects[id], let uuid = uuids[id],
                    left[id.key]?[ClipAttribute.uuid.rawValue] == uuid
                else { continue }
                effects[id] = nil
                count += 1
                for quote in order where quote.entity == Quote.entity {
                    if case .restore(let values)? = effects[quote], values[Quote.clip] == uuid {
                        effects[quote] = nil
                    }
                }
            }
            return count
        }

        /// Gives new UUIDs to the clips and quotes to restore whose UUIDs others have now.
        mutating func renewTakenUUIDs(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
            let uuid = ClipAttribute.uuid.rawValue
            var clips: [AttributeValue: AttributeValue] = [:]
            for entity in [ClipModel.entity, Quote.entity] {
                let restored = order.compactMap { id -> (id: ObjectID, values: [String: AttributeValue])? in
                    guard id.entity == entity, case .restore(let values) = effects[id] else { return nil }
                    return (id, values)
                }
                let renewed = try ClipStore.restorable(restored.map(\.values), of: entity, in: snapshot)
                for (old, var new) in zip(restored, renewed) {
                    if entity == ClipModel.entity, let known = old.values[uuid] { clips[known] = new[uuid] }
                    if let clip = new[Quote.clip].flatMap({ clips[$0] }) { new[Quote.clip] = clip }
                    effects[old.id] = .restore(new)
                }
            }
        }

        /// Returns nil if there is no net effect: inserted and deleted.
        private static func before(_ change: HistoryChange, _ after: Effect?) -> Effect? {
            let tombstone = change.tombstone ?? [:]
            switch (change.kind, after) {
            case (.insert, .restore): return nil
            case (.insert, _): return .delete
            case (.update, .update(let values)): return .update(values.merging(change.oldValues) { $1 })
            case (.update, .restore(let values)): return .restore(values.merging(change.oldValues) { $1 })
            case (.update, .delete): return .delete
            case (.update, nil): return .update(change.oldValues)
            // A clip with the same ID was inserted after the deletion.
            case (.delete, .delete), (.delete, .update): return .update(tombstone)
            case (.delete, _): return .restore(tombstone)
            }
        }
    }
}

extension AttributeValue {
    /// Compares texts by bytes: two encodings of an accent are two texts.
    fileprivate func isSameText(as other: AttributeValue) -> Bool {
        guard case .text(let text) = self, case .text(let other) = other else { return self == other }
        return text.utf8.elementsEqual(other.utf8)
    }
}
