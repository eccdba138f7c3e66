import PersistentStore
import Platform

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
        case text(Text)
        case quotes(QuoteCounts)

        /// The words after a title.
        var phrase: String {
            switch self {
            case .verb(let verb): verb
            case .mark(let state): "marked as \(state)"
            case .tags(let before, let after):
                ChangeWords.difference(before, after).map { "tags \($0.words)" } ?? "tags changed"
            case .attributes(let verb, let names): "\(names) \(verb)"
            case .text(let text): "\(text.attribute.words) \(text.verb)"
            case .quotes(let counts): counts.phrase
            }
        }

        /// Returns a part that says the same as this and a later one; nil if they are about different attributes.
        func followed(by later: Part) -> Part? {
            switch (self, later) {
            case (.verb(let verb), .verb(let other)):
                verb == other || "un" + verb == other || verb == "un" + other ? later : nil
            case (.mark, .mark): later
            case (.tags(let before, _), .tags(_, let after)): .tags(before: before, after: after)
            case (.text(let text), .text(let other)) where text.attribute == other.attribute:
                .text(Text(attribute: text.attribute, before: text.before, after: other.after))
            default: self == later ? self : nil
            }
        }
    }

    /// A text that was added, deleted, or changed.
    private struct Text: Hashable {
        let attribute: ClipAttribute
        /// Whether the text is empty; nil if that is not known.
        var before: Bool?
        var after: Bool?

        var verb: String {
            // Of several changes together, the last one may have undone the others.
            before == true && after != true
                ? "added" : after == true && before != true ? "deleted" : "changed"
        }
    }

    private var parts: [Part]
    /// Whether the change is the return of a deleted clip.
    package private(set) var isReturn = false
    private let role: UndoHistory.Role

    /// Creates the words of a change.
    ///
    /// - Parameters:
    ///   - after: The values after the change; nil if they are not known.
    ///   - isReverse: Whether to describe the opposite, from the values after the change to those before.
    ///   - quotes: The quotes of the clip that the transaction changed, if they are known.
    ///   - role: The role of the transaction. An undo is described by the work that it undid.
    init(
        _ change: HistoryChange, after: ValuesAfter? = nil, quotes: QuoteCounts? = nil,
        isReverse: Bool = false,
        role: UndoHistory.Role = .work
    ) {
        self.role = role
        let isReverse = isReverse || role.isUndo
        switch change.kind {
        case .insert where role.isUndo:
            parts = [.verb("deleted")]
            isReturn = true
        case .insert where role.isOfRestore:
            parts = [.verb(isReverse ? "deleted" : "restored")]
            isReturn = true
        case .insert: parts = [.verb(isReverse ? "deleted" : "saved")]
        case .delete where isReverse: parts = [.verb(role.isOfRestore ? "restored" : "saved")]
        case .delete: parts = [.verb("deleted")]
        case .update: parts = Self.parts(of: change, after, quotes, isReverse)
        }
    }

    /// Creates the words of a transaction that changed quotes alone.
    init(_ quotes: QuoteCounts, role: UndoHistory.Role) {
        self.role = role
        parts = [.quotes(role.isUndo ? quotes.reversed : quotes)]
    }

    private static func parts(
        of change: HistoryChange, _ values: ValuesAfter?, _ quotes: QuoteCounts?, _ isReverse: Bool
    ) -> [Part] {
        var parts: [Part] = []
        var texts: [Text] = []
        var others: [String] = []
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
                let (before, after) =
                    isReverse ? (values?.tags, old?.textValue) : (old?.textValue, values?.tags)
                parts.append(.tags(before: before, after: after))
            case (let attribute?, _) where ClipAttribute.texts.contains(attribute):
                let empty = (old?.textValue?.isEmpty, values.map { $0.empty.contains(attribute) })
                texts.append(
                    Text(
                        attribute: attribute, before: isReverse ? empty.1 : empty.0,
                        after: isReverse ? empty.0 : empty.1))
            case (let attribute, _): others.append(attribute?.words ?? name)
            }
        }
        if change.changesOnlyTime {
            if let quotes, !quotes.isEmpty { return [.quotes(isReverse ? quotes.reversed : quotes)] }
            others = [ClipAttribute.updated.words]
        }
        parts += texts.map(Part.text)
        parts += others.map { .attributes("changed", $0) }
        return parts
    }

    /// The parts, with all texts of a verb as one.
    private var joined: [Part] {
        var (joined, names): ([Part], [String: [String]]) = ([], [:])
        for part in parts {
            switch part {
            case .text(let text): names[text.verb, default: []].append(text.attribute.words)
            case .attributes(let verb, let others): names[verb, default: []].append(others)
            default: joined.append(part)
            }
        }
        for verb in ["added", "deleted", "changed"] {
            if let names = names[verb] { joined.append(.attributes(verb, names.listed("and"))) }
        }
        return joined
    }

    /// Returns nil if the names are not known, or if only their order changed.
    private static func difference(_ before: String?, _ after: String?) -> TagChange? {
        guard let before, let after else { return nil }
        let (old, new) = (Tags(joined: before).names, Tags(joined: after).names)
        let change = TagChange(
            adding: new.filter { !old.contains($0) }, removing: old.filter { !new.contains($0) })
        return change.isEmpty ? nil : change
    }

    /// The attributes whose values after the change the words need.
    package var lacking: Set<ClipAttribute> {
        Set(
            parts.compactMap { part in
                switch part {
                case .tags(let before, let after): (role.isUndo ? before : after) == nil ? .tags : nil
                case .text(let text):
                    text.verb == "changed" && (role.isUndo ? text.before : text.after) == nil
                        ? text.attribute : nil
                default: nil
                }
            })
    }

    /// Whether several attributes changed.
    package var isOfSeveral: Bool { joined.count > 1 }

    /// The words without the tags that were added or removed.
    package var withoutTags: ChangeWords {
        var words = self
        words.parts = parts.map { if case .tags = $0 { .tags(before: nil, after: nil) } else { $0 } }
        return words
    }

    /// Returns the words with the values after the change.
    package func with(_ values: ValuesAfter) -> ChangeWords {
        let tags = values.tags
        var words = self
        words.parts = parts.map { part in
            switch part {
            case .tags(nil, let after) where role.isUndo: .tags(before: tags, after: after)
            case .tags(let before, nil): .tags(before: before, after: tags)
            case .text(let text): .text(with(values, text))
            default: part
            }
        }
        return words
    }

    private func with(_ values: ValuesAfter, _ text: Text) -> Text {
        var text = text
        let isEmpty = values.empty.contains(text.attribute)
        if role.isUndo { text.before = text.before ?? isEmpty } else { text.after = text.after ?? isEmpty }
        return text
    }

    /// Returns the words of this and a later update of the same clip as those of one update.
    func followed(by later: ChangeWords) -> ChangeWords {
        var words = self
        for part in later.parts {
            let index = words.parts.indices.first { words.parts[$0].followed(by: part) != nil }
            if let index, let both = words.parts[index].followed(by: part) {
                words.parts[index] = both
            } else {
                words.parts.append(part)
            }
        }
        return words
    }

    /// The change after a title, such as `starred, tags +swift`.
    package var phrase: String {
        switch role {
        case .undo: "undone: \(ownPhrase)"
        case .redo: "redone: \(ownPhrase)"
        case .work, .restore: ownPhrase
        }
    }

    private var ownPhrase: String {
        parts.isEmpty ? "changed" : joined.map(\.phrase).joined(separator: ", ")
    }

    /// Returns a sentence without an end, such as `marked “Title” as read`.
    package func sentence(_ subject: String) -> String {
        role.sentence(ownSentence(subject))
    }

    /// Returns the shortest words of a change, such as `“Title” read`, with an author before them.
    package func brief(_ subject: String, by author: String) -> String {
        guard [.work, .restore].contains(role) else {
            return author + role.sentence(ownBrief(subject, by: ""))
        }
        return ownBrief(subject, by: author)
    }

    private func ownBrief(_ subject: String, by author: String) -> String {
        switch joined.count == 1 ? joined[0] : nil {
        case .verb(let verb): "\(author)\(verb) \(subject)"
        case .mark(let state): "\(author.isEmpty ? "" : author.dropLast() + ": ")\(subject) \(state)"
        case .tags(let before, let after):
            switch Self.difference(before, after) {
            case let change? where change.removing.isEmpty: "\(author)tagged \(subject)"
            case let change? where change.adding.isEmpty: "\(author)untagged \(subject)"
            default: "\(author)changed \(subject)"
            }
        default: "\(author)changed \(subject)"
        }
    }

    private func ownSentence(_ subject: String) -> String {
        let parts = joined
        guard parts.count == 1 else {
            return "changed \(subject)" + (parts.isEmpty ? "" : ": \(ownPhrase)")
        }
        return switch parts[0] {
        case .verb(let verb): "\(verb) \(subject)"
        case .mark(let state): "marked \(subject) as \(state)"
        case .tags(let before, let after):
            Self.difference(before, after)?.sentence(subject) ?? "changed the tags of \(subject)"
        case .attributes(let verb, let names): "\(verb) the \(names) of \(subject)"
        case .text(let text): "\(text.verb) the \(text.attribute.words) of \(subject)"
        case .quotes(let counts): counts.sentence(subject)
        }
    }
}

extension HistoryChange {
    /// Whether only the time of a clip changed, as with a change of its quotes.
    var changesOnlyTime: Bool { updatedAttributes == [ClipAttribute.updated.rawValue] }
}
