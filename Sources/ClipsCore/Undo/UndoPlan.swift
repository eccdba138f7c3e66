import PersistentStore

/// What taking back a transaction has to write, given what became of its clips since.
///
/// What others changed of the same is found by values: the transaction left one behind, which the first later
/// change of it replaced, and it is contested when another stands there now. Tags are a set: what the
/// transaction gave is taken, what it took is given, and nobody else's tags are touched.
struct UndoPlan {
    enum Step {
        case restore([String: Value])
        case delete(version: Int64)
        /// What nobody else has changed, and what somebody has.
        case update([String: Value], contested: [String: Value], version: Int64)
        case contestedDelete(version: Int64)
    }

    private(set) var steps: [(id: ObjectID, step: Step)] = []
    private(set) var conflict: UndoConflict?

    /// Of what is in the store now the values that a person can see; whether a clip was read is nobody's work.
    private static let visible: [ClipAttribute] = [.title, .url, .tags, .note, .text, .author, .starred]
    /// More keys than that are looked for one by one among all later changes.
    private static let mostKeysAsked = 10_000

    init(_ transaction: HistoryTransaction, in snapshot: StoreSnapshot) throws {
        let effects = Effects(transaction)
        let ids = effects.order.map(\.key)
        let later = try Self.laterChanges(of: Set(ids), after: transaction.token, in: snapshot)
        var request = FetchRequest(ClipModel.entity, where: .keys(ids))
        request.attributes = []
        let versions = Dictionary(
            uniqueKeysWithValues: try snapshot.fetch(request).map { ($0.id.key, $0.version) })
        let touched = FetchRequest(ClipModel.entity, where: .keys(later.keys.filter { versions[$0] != nil }))
        let present = Dictionary(uniqueKeysWithValues: try snapshot.fetch(touched).map { ($0.id.key, $0) })

        var clips: [UndoConflict.Clip] = []
        var (count, hasRest) = (0, false)
        var authors: [String?] = []
        for id in effects.order {
            guard let effect = effects[id] else { continue }
            let (version, now, since) = (versions[id.key], present[id.key], later[id.key])
            let fields: [UndoConflict.Field]
            switch (effect, version) {
            case (.restore(let values), nil):
                steps.append((id, .restore(values)))
                fields = []
                hasRest = true
            case (.delete, let version?):
                fields = Self.changedFields(of: now, since)
                steps.append(
                    (id, fields.isEmpty ? .delete(version: version) : .contestedDelete(version: version)))
                hasRest = hasRest || fields.isEmpty
            case (.update(let old), let version?):
                let (values, contested) = Self.split(old, now, since)
                guard !values.isEmpty || !contested.isEmpty else { continue }
                let overwritten = contested.reduce(into: [:]) { $0[$1.attribute] = $1.mine }
                steps.append((id, .update(values, contested: overwritten, version: version)))
                fields = contested
                hasRest = hasRest || !values.isEmpty
            default:
                // Gone, or there again: there is nothing left to take back of it.
                continue
            }
            guard !fields.isEmpty else { continue }
            count += 1
            for author in since?.authors ?? [] where !authors.contains(author) { authors.append(author) }
            guard clips.count < UndoConflict.mostClips else { continue }
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

    /// What of an update goes back as it is, and what somebody else has changed since.
    private static func split(
        _ old: [String: Value], _ now: StoredObject?, _ since: Since?
    ) -> (values: [String: Value], contested: [UndoConflict.Field]) {
        guard let now, let since else { return (old, []) }
        var values: [String: Value] = [:]
        var contested: [UndoConflict.Field] = []
        for (name, value) in old where name != ClipAttribute.updated.rawValue {
            let theirs = now[name]
            guard let left = since.left[name], !left.isSameText(as: theirs) else {
                values[name] = value
                continue
            }
            if name == ClipAttribute.tags.rawValue {
                let merged = Self.tags(theirs, withoutChange: value, to: left)
                if !merged.isSameText(as: theirs) { values[name] = merged }
            } else if !theirs.isSameText(as: value) {
                contested.append(UndoConflict.Field(attribute: name, base: left, theirs: theirs, mine: value))
            }
        }
        let names = ClipAttribute.allCases.map(\.rawValue)
        func place(_ field: UndoConflict.Field) -> Int { names.firstIndex(of: field.attribute) ?? 0 }
        return (values, contested.sorted { place($0) < place($1) })
    }

    private static func tags(_ now: Value, withoutChange old: Value, to left: Value) -> Value {
        func names(_ value: Value) -> [String] { Tags(joined: value.textValue ?? "").names }
        let (given, taken) = (
            Set(names(left)).subtracting(names(old)), names(old).filter { !names(left).contains($0) }
        )
        return .text(Tags(names(now).filter { !given.contains($0) } + taken).joined)
    }

    /// What others made of a clip since it was saved.
    private static func changedFields(of now: StoredObject?, _ since: Since?) -> [UndoConflict.Field] {
        guard let now, let since else { return [] }
        return visible.compactMap { attribute in
            let name = attribute.rawValue
            guard let left = since.left[name], !left.isSameText(as: now[name]) else { return nil }
            return UndoConflict.Field(attribute: name, base: left, theirs: now[name], mine: nil)
        }
    }
}

extension UndoPlan {
    /// What became of a clip after a transaction.
    private struct Since {
        /// The values that the transaction left behind, of what was changed later.
        var left: [String: Value] = [:]
        var authors: [String?] = []
    }

    private static func laterChanges(
        of keys: Set<Int64>, after token: HistoryToken, in snapshot: StoreSnapshot
    ) throws -> [Int64: Since] {
        let predicate: ChangePredicate =
            keys.count <= mostKeysAsked
            ? .objects(Set(keys.map(ClipModel.objectID))) : .entity(ClipModel.entity)
        var later: [Int64: Since] = [:]
        try snapshot.forEachChange(HistoryFetchRequest(.token(token), changes: predicate)) { change, origin in
            let key = change.objectID.key
            guard change.objectID.entity == ClipModel.entity, keys.contains(key) else { return true }
            let replaced = change.kind == .delete ? change.tombstone ?? [:] : change.oldValues
            later[key, default: Since()].left.merge(replaced) { first, _ in first }
            if later[key]?.authors.contains(origin.author) == false {
                later[key]?.authors.append(origin.author)
            }
            return true
        }
        return later
    }

    /// What a transaction did to each clip in the end, turned around.
    private struct Effects {
        enum Effect {
            case delete
            case restore([String: Value])
            case update([String: Value])
        }

        private(set) var order: [ObjectID] = []
        private var effects: [ObjectID: Effect] = [:]

        subscript(_ id: ObjectID) -> Effect? { effects[id] }

        init(_ transaction: HistoryTransaction) {
            for change in transaction.changes.reversed() where change.objectID.entity == ClipModel.entity {
                let id = change.objectID
                let known = effects[id]
                if known == nil { order.append(id) }
                effects[id] = Self.before(change, known)
            }
        }

        /// Nil when nothing came of it: saved and deleted again.
        private static func before(_ change: HistoryChange, _ after: Effect?) -> Effect? {
            let tombstone = change.tombstone ?? [:]
            switch (change.kind, after) {
            case (.insert, .restore): return nil
            case (.insert, _): return .delete
            case (.update, .update(let values)): return .update(values.merging(change.oldValues) { $1 })
            case (.update, .restore(let values)): return .restore(values.merging(change.oldValues) { $1 })
            case (.update, .delete): return .delete
            case (.update, nil): return .update(change.oldValues)
            // Another took its place under the same id.
            case (.delete, .delete), (.delete, .update): return .update(tombstone)
            case (.delete, _): return .restore(tombstone)
            }
        }
    }
}

extension Value {
    /// Texts byte by byte: two ways of writing an accent are two texts.
    fileprivate func isSameText(as other: Value) -> Bool {
        guard case .text(let text) = self, case .text(let other) = other else { return self == other }
        return text.utf8.elementsEqual(other.utf8)
    }
}
