package import PersistentStore

/// A change of a clip in words, such as `marked as read`.
package struct ChangeWords: Hashable, Sendable {
    private enum Part: Hashable {
        /// A verb, before the title in a sentence.
        case verb(String)
        case mark(String)
        /// Joined names; nil if they are not known.
        case tags(before: String?, after: String?)
        /// A verb, and the names of attributes.
        case attributes(String, String)
        case quotes(QuoteCounts)

        /// The words after a title.
        var phrase: String {
            switch self {
            case .verb(let verb): verb
            case .mark(let state): "marked as \(state)"
            case .tags(let before, let after):
                ChangeWords.difference(before, after).map { "tags \($0)" } ?? "tags changed"
            case .attributes(let verb, let names): "\(names) \(verb)"
            case .quotes(let counts): counts.phrase
            }
        }
    }

    private var parts: [Part]
    /// Whether the change is the return of a deleted clip.
    package private(set) var isReturn = false
    private let role: UndoHistory.Role

    /// Creates the words of a change.
    ///
    /// - Parameters:
    ///   - tags: The tags after the change, joined; nil if they are not known.
    ///   - isReverse: Whether to describe the opposite, from the values after the change to those before.
    ///   - quotes: The quotes of the clip that the transaction changed, if they are known.
    ///   - role: The role of the transaction. An undo is described by the work that it undid.
    init(
        _ change: HistoryChange, tags: String? = nil, quotes: QuoteCounts? = nil, isReverse: Bool = false,
        role: UndoHistory.Role = .work
    ) {
        self.role = role
        let isReverse = isReverse || role.isUndo
        switch change.kind {
        case .insert where role.isUndo || role.isOfRestore:
            parts = [.verb("restored")]
            isReturn = true
        case .insert: parts = [.verb(isReverse ? "deleted" : "saved")]
        case .delete where isReverse: parts = [.verb(role.isOfRestore ? "restored" : "saved")]
        case .delete: parts = [.verb("deleted")]
        case .update: parts = Self.parts(of: change, tags, quotes, isReverse)
        }
    }

    /// Creates the words of a transaction that changed quotes alone.
    init(_ quotes: QuoteCounts, role: UndoHistory.Role) {
        self.role = role
        parts = [.quotes(role.isUndo ? quotes.reversed : quotes)]
    }

    private static func parts(
        of change: HistoryChange, _ tags: String?, _ quotes: QuoteCounts?, _ isReverse: Bool
    ) -> [Part] {
        var parts: [Part] = []
        var (others, added): ([String], [String]) = ([], [])
        for name in change.updatedAttributes {
            let old = change.oldValues[name]
            // A flag that changes has the opposite value.
            let isOn = old.map { $0.booleanValue == isReverse }
            switch (ClipAttribute(rawValue: name), isOn) {
            case (.updated?, _): break
            // An edited URL has no state yet.
            case (.link?, _):
                if !change.updatedAttributes.contains(ClipAttribute.url.rawValue) {
                    parts.append(.verb("checked"))
                }
            case (.starred?, let isOn?): parts.append(.verb(isOn ? "starred" : "unstarred"))
            case (.archived?, let isOn?): parts.append(.verb(isOn ? "archived" : "unarchived"))
            case (.unread?, let isOn?): parts.append(.mark(isOn ? "unread" : "read"))
            case (.tags?, _):
                let (before, after) = isReverse ? (tags, old?.textValue) : (old?.textValue, tags)
                parts.append(.tags(before: before, after: after))
            case (let attribute, _):
                let shown = attribute == .url ? "URL" : name
                if old?.textValue == "" { added.append(shown) } else { others.append(shown) }
            }
        }
        if change.changesOnlyTime {
            if let quotes, !quotes.isEmpty { return [.quotes(isReverse ? quotes.reversed : quotes)] }
            others = ["quotes"]
        }
        for (verb, names) in [(isReverse ? "deleted" : "added", added), ("changed", others)]
        where !names.isEmpty {
            parts.append(.attributes(verb, names.joined(separator: ", ")))
        }
        return parts
    }

    /// Returns signed names; nil if they are not known, or if only their order changed.
    private static func difference(_ before: String?, _ after: String?) -> String? {
        guard let before, let after else { return nil }
        let (old, new) = (Tags(joined: before).names, Tags(joined: after).names)
        let added = new.filter { !old.contains($0) }.map { "+\($0)" }
        let names = added + old.filter { !new.contains($0) }.map { "-\($0)" }
        return names.isEmpty ? nil : names.joined(separator: " ")
    }

    /// Whether the words need the tags after the change.
    package var lacksTags: Bool {
        parts.contains { part in
            guard case .tags(let before, let after) = part else { return false }
            return (role.isUndo ? before : after) == nil
        }
    }

    /// Returns the words with the tags after the change, joined.
    package func with(tags: String) -> ChangeWords {
        var words = self
        words.parts = parts.map { part in
            switch part {
            case .tags(nil, let after) where role.isUndo: .tags(before: tags, after: after)
            case .tags(let before, nil): .tags(before: before, after: tags)
            default: part
            }
        }
        return words
    }

    /// The change after a title, such as `starred, tags +swift`.
    package var phrase: String {
        let words = parts.isEmpty ? "changed" : parts.map(\.phrase).joined(separator: ", ")
        guard !isReturn else { return words }
        return switch role {
        case .undo: "undone: \(words)"
        case .redo: "redone: \(words)"
        case .work, .restore: words
        }
    }

    /// Returns a sentence without an end, such as `marked “Title” as read`.
    package func sentence(_ subject: String) -> String {
        let words = ownSentence(subject)
        guard !isReturn else { return words }
        return switch role {
        case .undo: "undid: \(words)"
        case .redo: "redid: \(words)"
        case .work, .restore: words
        }
    }

    private func ownSentence(_ subject: String) -> String {
        guard parts.count == 1 else {
            return "changed \(subject)" + (parts.isEmpty ? "" : ": \(phrase)")
        }
        return switch parts[0] {
        case .verb(let verb): "\(verb) \(subject)"
        case .mark(let state): "marked \(subject) as \(state)"
        case .tags(let before, let after):
            Self.difference(before, after).map { "tagged \(subject) \($0)" }
                ?? "changed the tags of \(subject)"
        case .attributes(let verb, let names): "\(verb) the \(names) of \(subject)"
        case .quotes(let counts): counts.sentence(subject)
        }
    }
}

extension HistoryChange {
    /// Whether only the time of a clip changed, as with a change of its quotes.
    var changesOnlyTime: Bool { updatedAttributes == [ClipAttribute.updated.rawValue] }
}

extension StoreSnapshot {
    /// Returns the tags after changes, joined, by the number of the change. A change that more than
    /// `maxLater` others follow has none, since they must be read.
    package func tags(
        after changes: [(number: Int64, clip: Int64)], maxLater: Int = TransactionDetail.maxLaterChanges
    ) throws(StoreError) -> [Int64: String] {
        guard let first = changes.map(\.number).min(), try newestToken().number - first <= maxLater else {
            return [:]
        }
        var waiting = Dictionary(grouping: changes, by: \.clip)
        var found: [Int64: String] = [:]
        let name = ClipAttribute.tags.rawValue
        let ids = Set(changes.map { ClipModel.objectID($0.clip) })
        let request = HistoryFetchRequest(.afterTransaction(first - 1), changes: .objects(ids))
        for change in try self.changes(request) {
            let clip = change.objectID.key
            guard let next = (change.oldValues[name] ?? change.tombstone?[name])?.textValue else { continue }
            for known in waiting[clip] ?? [] where known.number < change.number { found[known.number] = next }
            waiting[clip]?.removeAll { $0.number < change.number }
        }
        var present = FetchRequest(ClipModel.entity, where: .keys(waiting.keys.sorted()))
        present.attributes = [name]
        for object in try fetch(present) {
            for known in waiting[object.id.key] ?? [] { found[known.number] = object[name].textValue }
        }
        return found
    }
}
