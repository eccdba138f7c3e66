package import PersistentStore

/// The changes of transactions with the values before and after, as far as history records them.
package struct TransactionDetail: Hashable, Sendable {
    package struct Replacement: Hashable, Sendable {
        package let attribute: String
        package let old: AttributeValue?
        package let new: AttributeValue?
    }

    package struct Change: Hashable, Sendable {
        package let kind: HistoryChange.Kind
        package let clip: Int64
        package let title: String
        /// The change in words.
        package let words: ChangeWords
        package let replacements: [Replacement]
        /// The clip now: another ID if it was restored when another clip had its own; nil if it is deleted.
        package let present: Int64?
        package var exists: Bool { present != nil }
    }

    /// The maximum number of changes; a batch may have a million.
    package static let maxChanges = 200
    /// The maximum number of later changes that are searched for the values after a change; with more, the
    /// present values are shown. Searching takes up to a second, not on the thread of the keys.
    package static let maxLaterChanges = 500_000

    /// The first transaction.
    package let token: HistoryToken
    /// The number of transactions.
    package let count: Int
    package let changes: [Change]
    /// Whether more changes follow.
    package let isCut: Bool
    /// Whether the new values are those after the change, not the present ones.
    package let showsOriginalValues: Bool

    /// - Parameter count: The number of transactions, which are of one author and of one change each if there are several.
    package init?(
        _ token: HistoryToken, count: Int = 1, maxLaterChanges: Int = Self.maxLaterChanges,
        in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        let entities = [ClipModel.entity, Quote.entity].map(ChangePredicate.entity)
        let pieces = try snapshot.pieces(
            from: token, count: count, changes: .or(entities), maxChanges: Self.maxChanges)
        guard let last = pieces.last else { return nil }
        (self.token, self.count) = (token, count)
        let role = UndoHistory.Role(contextName: last.contextName)
        isCut = !last.isComplete
        let recorded = pieces.flatMap(\.changes)
        showsOriginalValues = try !snapshot.hasMoreChanges(after: last.token, than: maxLaterChanges)
        // By entity and key.
        var states: [String: [Int64: [String: AttributeValue]]] = [:]
        for (entity, changes) in Dictionary(grouping: recorded, by: \.objectID.entity) {
            let keys = Set(changes.map(\.objectID.key)).sorted()
            let present = try snapshot.fetch(FetchRequest(entity, where: .keys(keys)))
            states[entity] = Dictionary(uniqueKeysWithValues: present.map { ($0.id.key, $0.values) })
        }
        let uuid = ClipAttribute.uuid.rawValue
        let there = states[ClipModel.entity, default: [:]].mapValues { $0[uuid] }
        func revert(_ change: HistoryChange) -> Step {
            let id = change.objectID
            let after = states[id.entity]?[id.key]
            let before = change.reverting(after)
            states[id.entity, default: [:]][id.key] = before
            return Step(change: change, before: before, after: after)
        }
        if showsOriginalValues {
            let ids = Set(recorded.map { ObjectID(entity: $0.objectID.entity, key: $0.objectID.key) })
            let later = try snapshot.changes(HistoryFetchRequest(.after(last.token), changes: .objects(ids)))
            for change in later.reversed() { _ = revert(change) }
        }
        let steps = Array(recorded.reversed().map(revert).reversed())
        let clips = steps.filter { $0.change.objectID.entity == ClipModel.entity }
        let quotes = steps.filter { $0.change.objectID.entity == Quote.entity }
        let counts = QuoteCounts(ofClipsIn: recorded)
        guard !clips.isEmpty else {
            let owners = try snapshot.clips(of: quotes.compactMap(\.owner), [.uuid])
            changes = quotes.map { Change($0, owner: $0.owner.flatMap { owners[$0]?.id.key }, role: role) }
            return
        }
        // Another clip may have the ID of one that was deleted, and restored under another ID.
        let others = clips.filter { there[$0.change.objectID.key] != $0.uuid }
        let moved = try snapshot.clips(of: others.compactMap(\.uuid), ClipAttribute.identifying)
        changes = clips.map { step in
            let isOfQuotes = clips.count == 1 && step.change.changesOnlyTime
            let key = step.change.objectID.key
            let other = step.uuid.flatMap { moved[$0] }
            let isOther = step.change.kind == .delete && other.map(step.isIdentical) == false
            let present = there[key] == step.uuid ? key : isOther ? nil : other?.id.key
            return Change(
                step, present: present, quotes: isOfQuotes ? quotes : [], counts: counts,
                role: role)
        }
    }

    /// A change with the values before and after.
    fileprivate struct Step {
        let change: HistoryChange
        let before: [String: AttributeValue]?
        let after: [String: AttributeValue]?

        private func quote(_ name: String) -> AttributeValue? { (after ?? before)?[name] }

        var uuid: AttributeValue? { (after ?? before)?[ClipAttribute.uuid.rawValue] }

        /// Whether a clip has the contents of a deleted one.
        func isIdentical(to clip: StoredObject) -> Bool {
            ClipAttribute.identity(before ?? [:]) == ClipAttribute.identity(clip.values)
        }

        /// The UUID of a quote's clip.
        var owner: AttributeValue? { quote(Quote.clip) }

        /// The words of a quote, or its note if that changed.
        var replacement: Replacement {
            let text = quote(Quote.text)
            switch change.kind {
            case .insert: return Replacement(attribute: "quote", old: .null, new: text)
            case .delete: return Replacement(attribute: "quote", old: text, new: .null)
            case .update:
                let words = text?.textValue.map { " “\($0.prefix(40))”" } ?? ""
                return Replacement(
                    attribute: "note of the quote\(words)", old: before?[Quote.note], new: after?[Quote.note])
            }
        }
    }
}

extension StoreSnapshot {
    /// Returns clips by their UUIDs.
    fileprivate func clips(
        of uuids: [AttributeValue], _ attributes: [ClipAttribute]
    ) throws(StoreError) -> [AttributeValue: StoredObject] {
        let uuid = ClipAttribute.uuid.rawValue
        var clips: [AttributeValue: StoredObject] = [:]
        for clip in try fetch(FetchRequest(clips: .isOneOf(uuid, Array(Set(uuids))), attributes)) {
            clips[clip[uuid]] = clip
        }
        return clips
    }
}

extension TransactionDetail.Change {
    /// Creates the change of a quote without its clip.
    fileprivate init(_ step: TransactionDetail.Step, owner: Int64?, role: UndoHistory.Role) {
        kind = step.change.kind
        clip = owner ?? 0
        title = ""
        words = ChangeWords(QuoteCounts([step.change]), role: role)
        replacements = [step.replacement]
        present = owner
    }

    /// - Parameter quotes: The quotes of the clip that the transaction changed, if that is all it changed.
    fileprivate init(
        _ step: TransactionDetail.Step, present: Int64?, quotes: [TransactionDetail.Step],
        counts: QuoteCounts?, role: UndoHistory.Role
    ) {
        let (change, before, after) = (step.change, step.before, step.after)
        kind = change.kind
        clip = change.objectID.key
        self.present = present
        title = (after ?? before).flatMap(ClipModel.title(of:)) ?? ""
        words = ChangeWords(
            change, after: after.map(ValuesAfter.init), quotes: counts, role: role)
        let names: [String]
        switch change.kind {
        case .update where change.changesOnlyTime && quotes.isEmpty: names = change.updatedAttributes
        case .update: names = change.updatedAttributes.filter { $0 != ClipAttribute.updated.rawValue }
        case .insert, .delete:
            names = [.title, .url, .tags, .note, .text, .author].map { (name: ClipAttribute) in
                name.rawValue
            }
        }
        var replacements = quotes.map(\.replacement)
        for name in names {
            let old = change.kind == .update ? change.oldValues[name] : before?[name]
            let new = after?[name]
            let isEmpty = [old, new].allSatisfy { [nil, .null, .text("")].contains($0) }
            guard change.kind == .update || !isEmpty else { continue }
            replacements.append(TransactionDetail.Replacement(attribute: name, old: old, new: new))
        }
        self.replacements = replacements
    }
}

extension StoreSnapshot {
    /// Returns the transaction that ends at a token, or its first piece; nil if there is none.
    func transaction(
        _ token: HistoryToken, changes: ChangePredicate? = nil, maxChanges: Int? = nil
    ) throws(StoreError) -> HistoryTransaction? {
        try pieces(from: token, count: 1, changes: changes, maxChanges: maxChanges).first
    }

    /// Returns a number of transactions from the one of a token on, only the first piece of one with many changes; none
    /// if the first does not exist.
    fileprivate func pieces(
        from token: HistoryToken, count: Int, changes: ChangePredicate?, maxChanges: Int?
    ) throws(StoreError) -> [HistoryTransaction] {
        try check(token)
        var request = HistoryFetchRequest(.ending(at: token), changes: changes, limit: count)
        if let maxChanges { request.maxChangesAtOnce = maxChanges }
        var found: [HistoryTransaction] = []
        try forEachTransaction(request) { transaction in
            guard !found.isEmpty || transaction.token == token else { return false }
            found.append(transaction)
            return found.count < count && transaction.isComplete
        }
        return found
    }
}
