package import PersistentStore

/// The changes of one transaction with the values before and after, as far as history records them.
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
        /// Whether the clip exists now.
        package let exists: Bool
    }

    /// The maximum number of changes; a batch may have a million.
    package static let maxChanges = 200
    /// The maximum number of later changes that are searched for the values after a change; with more, the
    /// present values are shown. Searching takes up to a second, not on the thread of the keys.
    package static let maxLaterChanges = 500_000

    package let token: HistoryToken
    package let changes: [Change]
    /// Whether more changes follow.
    package let isCut: Bool
    /// Whether the new values are those after the change, not the present ones.
    package let showsOriginalValues: Bool

    package init?(
        _ token: HistoryToken, maxLaterChanges: Int = Self.maxLaterChanges,
        in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        let piece = try snapshot.transaction(
            token, changes: .entity(ClipModel.entity), maxChanges: Self.maxChanges)
        guard let piece else { return nil }
        self.token = token
        let role = UndoHistory.Role(contextName: piece.contextName)
        isCut = !piece.isComplete
        let isNear = try !snapshot.hasMoreChanges(after: token, than: maxLaterChanges)
        showsOriginalValues = isNear
        let keys = Set(piece.changes.map(\.objectID.key))
        let present = try snapshot.fetch(FetchRequest(ClipModel.entity, where: .keys(keys.sorted())))
        var states: [Int64: [String: AttributeValue]] = [:]
        for object in present { states[object.id.key] = object.values }
        let there = Set(states.keys)
        if isNear {
            let ids = Set(keys.map { ClipModel.objectID($0) })
            let later = try snapshot.changes(HistoryFetchRequest(.after(token), changes: .objects(ids)))
            for change in later.reversed() {
                states[change.objectID.key] = change.reverting(states[change.objectID.key])
            }
        }
        var changes: [Change] = []
        for change in piece.changes.reversed() {
            let after = states[change.objectID.key]
            let before = change.reverting(after)
            states[change.objectID.key] = before
            changes.append(Change(change, before: before, after: after, there: there, role: role))
        }
        self.changes = changes.reversed()
    }
}

extension TransactionDetail.Change {
    fileprivate init(
        _ change: HistoryChange, before: [String: AttributeValue]?, after: [String: AttributeValue]?,
        there: Set<Int64>, role: UndoHistory.Role
    ) {
        kind = change.kind
        clip = change.objectID.key
        exists = there.contains(clip)
        title = (after ?? before).flatMap(ClipModel.title(of:)) ?? ""
        words = ChangeWords(change, tags: after?[ClipAttribute.tags.rawValue]?.textValue, role: role)
        let names: [String]
        switch change.kind {
        case .update: names = change.updatedAttributes.filter { $0 != ClipAttribute.updated.rawValue }
        case .insert, .delete:
            names = [.title, .url, .tags, .note, .text, .author].map { (name: ClipAttribute) in
                name.rawValue
            }
        }
        replacements = names.compactMap { name in
            let old = change.kind == .update ? change.oldValues[name] : before?[name]
            let new = after?[name]
            let isEmpty = [old, new].allSatisfy { $0 == nil || $0 == .null || $0 == .text("") }
            guard change.kind == .update || !isEmpty else { return nil }
            return TransactionDetail.Replacement(attribute: name, old: old, new: new)
        }
    }
}

extension StoreSnapshot {
    /// Returns the transaction that ends at a token, or its first piece; nil if there is none.
    func transaction(
        _ token: HistoryToken, changes: ChangePredicate? = nil, maxChanges: Int? = nil
    ) throws(StoreError) -> HistoryTransaction? {
        try check(token)
        var request = HistoryFetchRequest(.ending(at: token), changes: changes, limit: 1)
        if let maxChanges { request.maxChangesAtOnce = maxChanges }
        var found: HistoryTransaction?
        try forEachTransaction(request) { transaction in
            if transaction.token == token { found = transaction }
            return false
        }
        return found
    }
}
