package import PersistentStore

/// The changes of one transaction with the values before and after, as far as history records them.
package struct TransactionDetail: Hashable, Sendable {
    package struct Replacement: Hashable, Sendable {
        package let attribute: String
        package let old: Value?
        package let new: Value?
    }

    package struct Change: Hashable, Sendable {
        package let kind: HistoryChange.Kind
        package let clip: Int64
        package let title: String
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
        _ token: HistoryToken, maxLaterChanges: Int = Self.maxLaterChanges, in snapshot: StoreSnapshot
    ) throws {
        try snapshot.check(token)
        var piece: HistoryTransaction?
        var request = HistoryFetchRequest(.ending(at: token), changes: .entity(ClipModel.entity), limit: 1)
        request.maxChangesAtOnce = Self.maxChanges
        try snapshot.forEachTransaction(request) { transaction in
            if transaction.token == token { piece = transaction }
            return false
        }
        guard let piece else { return nil }
        self.token = token
        isCut = !piece.isComplete
        let isNear = try !snapshot.hasMoreChanges(after: token, than: maxLaterChanges)
        showsOriginalValues = isNear
        let keys = Set(piece.changes.map(\.objectID.key))
        let present = try snapshot.fetch(FetchRequest(ClipModel.entity, where: .keys(keys.sorted())))
        var states: [Int64: [String: Value]] = [:]
        for object in present { states[object.id.key] = object.values }
        let there = Set(states.keys)
        if isNear {
            let ids = Set(keys.map { ClipModel.objectID($0) })
            let later = try snapshot.changes(HistoryFetchRequest(.token(token), changes: .objects(ids)))
            for change in later.reversed() { Self.revert(change, in: &states) }
        }
        var changes: [Change] = []
        for change in piece.changes.reversed() {
            let after = states[change.objectID.key]
            Self.revert(change, in: &states)
            changes.append(
                Change(change, before: states[change.objectID.key], after: after, there: there))
        }
        self.changes = changes.reversed()
    }

    private static func revert(_ change: HistoryChange, in states: inout [Int64: [String: Value]]) {
        switch change.kind {
        case .insert: states[change.objectID.key] = nil
        case .update: states[change.objectID.key]?.merge(change.oldValues) { $1 }
        case .delete: states[change.objectID.key] = change.tombstone ?? [:]
        }
    }
}

extension TransactionDetail.Change {
    fileprivate init(
        _ change: HistoryChange, before: [String: Value]?, after: [String: Value]?, there: Set<Int64>
    ) {
        kind = change.kind
        clip = change.objectID.key
        exists = there.contains(clip)
        title = (after ?? before).flatMap(ClipModel.title(of:)) ?? ""
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
