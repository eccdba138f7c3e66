import Platform

/// A clip as a JSON object. The only codec of a clip: `list --json`, `add --jsonl`, retained clips, exports,
/// and imports use it.
///
/// Not `Codable`: imports read the values before an error, which a decoder does not return; messages name the
/// key and never quote the value; and ``JSONParser`` bounds the number of values.
package struct ClipRecord: Sendable {
    /// A value that is missing or not valid.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The key of the value; nil for the object as a whole.
        package let key: String?
        /// The reason, without any content of the file.
        package let description: String

        init(_ description: String, key: String? = nil) {
            self.key = key
            self.description = key.map { "'\($0)' \(description)" } ?? description
        }
    }

    /// The keys of a clip, and those of the store that wrote it.
    package static let keys: Set<String> = [
        "url", "title", "text", "note", "tags", "starred", "unread", "archived", "created", "updated",
        "author", "quotes", "id", "uuid", "version",
    ]

    private let draft: ClipDraft
    private var identity: (id: Int64, uuid: String, version: Int64)?

    package init(_ draft: ClipDraft) { self.draft = draft }

    package init(_ clip: Clip) {
        draft = ClipDraft(clip)
        identity = (clip.id, clip.uuid, clip.version)
    }
}

extension ClipRecord {
    /// Returns one object on one line, safe for a terminal: keys in alphabetical order, times in ISO 8601.
    ///
    /// - Parameter isCut: Whether a value was cut, which a member says then.
    package func json(omitting omitted: Set<ClipAttribute> = [], isCut: Bool = false) -> String {
        func isWritten(_ attribute: ClipAttribute) -> Bool { omitted.isEmpty || !omitted.contains(attribute) }
        var object = JSONObject()
        if isWritten(.archived) { object.add("archived", draft.isArchived) }
        if isWritten(.author), let author = draft.author { object.add("author", author) }
        if isWritten(.created), let time = draft.created {
            object.add("created", JSONLiteral(Self.literal(time)))
        }
        if let identity { object.add("id", identity.id) }
        if isCut { object.add("isCut", true) }
        if isWritten(.note) { object.add("note", draft.note) }
        if !draft.quotes.isEmpty { object.add("quotes", JSONLiteral(Self.json(draft.quotes))) }
        if isWritten(.starred) { object.add("starred", draft.isStarred) }
        if isWritten(.tags) { object.add("tags", draft.tags) }
        if isWritten(.text) { object.add("text", draft.text) }
        if isWritten(.title) { object.add("title", draft.title) }
        if isWritten(.unread) { object.add("unread", draft.isUnread) }
        if isWritten(.updated), let time = draft.updated {
            object.add("updated", JSONLiteral(Self.literal(time)))
        }
        if isWritten(.url) { object.add("url", draft.url) }
        if let identity {
            object.add("uuid", identity.uuid)
            object.add("version", identity.version)
        } else if let uuid = draft.uuid {
            object.add("uuid", uuid)
        }
        return object.json
    }

    /// Returns the attributes that a file format does not carry exactly, for an extra attribute or comment in
    /// the file.
    package func remainder(carried: Set<ClipAttribute>) -> String {
        var omitted = carried
        if draft.text.isEmpty { omitted.insert(.text) }
        if draft.note.isEmpty { omitted.insert(.note) }
        if draft.tags.isEmpty { omitted.insert(.tags) }
        if !draft.isStarred { omitted.insert(.starred) }
        if !draft.isArchived { omitted.insert(.archived) }
        return ClipRecord(draft).json(omitting: omitted)
    }

    /// Returns quotes as an array of objects.
    package static func json(_ quotes: some Sequence<Quote>) -> String {
        let objects = quotes.map { quote in
            var object = JSONObject()
            if let author = quote.author { object.add("author", author) }
            if let time = quote.created { object.add("created", JSONLiteral(literal(time))) }
            if !quote.note.isEmpty { object.add("note", quote.note) }
            object.add("prefix", quote.prefix)
            object.add("suffix", quote.suffix)
            object.add("text", quote.text)
            object.add("uuid", quote.uuid)
            return object.json
        }
        return "[" + objects.joined(separator: ",") + "]"
    }

    /// Years 0 to 999999 have a form that is read back; others are numbers of milliseconds.
    private static func literal(_ time: Int64) -> String {
        (-62_167_219_200_000...31_494_784_780_799_999).contains(time)
            ? "\"\(FileDate.text(time))\"" : String(time)
    }
}

extension ClipRecord {
    /// External writers may use other identifiers than UUIDs.
    package static let longestUUID = 64

    /// Applies the members of an object to a draft, up to the first that is not valid. Ignores unknown keys.
    package static func apply(_ object: JSONValue, to draft: inout ClipDraft) throws(Problem) {
        let members = JSONMembers(object)
        if let url = try members.text("url") { draft.url = url }
        if let title = try members.text("title") { (draft.title, draft.hasExactTitle) = (title, true) }
        if let text = try members.text("text") { draft.text = text }
        if let note = try members.text("note") { draft.note = note }
        if let isStarred = try members.flag("starred") { draft.isStarred = isStarred }
        if let isUnread = try members.flag("unread") {
            (draft.isUnread, draft.hasReadState) = (isUnread, true)
        }
        if let isArchived = try members.flag("archived") { draft.isArchived = isArchived }
        if let created = try members.time("created") { draft.created = created }
        if let updated = try members.time("updated") { draft.updated = updated }
        if let author = try members.text("author") { draft.author = author }
        if let uuid = try members.text("uuid"), !uuid.isEmpty {
            guard uuid.utf8.count <= longestUUID else { throw Problem("is not a UUID", key: "uuid") }
            draft.uuid = uuid
        }
        if let quotes = object["quotes"] { draft.quotes = try Self.quotes(quotes) }
        guard let tags = object["tags"] else { return }
        if let text = tags.string {
            draft.tags = Tags(joined: text).names
        } else if let values = tags.array, values.allSatisfy({ $0.string != nil }) {
            draft.tags = values.compactMap(\.string)
        } else {
            throw JSONMembers.wrongType("tags")
        }
    }
}

extension ClipRecord {
    /// Returns the quotes of an array of objects. Whether their size is allowed is checked where they are saved.
    package static func quotes(_ value: JSONValue) throws(Problem) -> [Quote] {
        guard let objects = value.array else { throw JSONMembers.wrongType("quotes") }
        guard objects.count <= Quote.maxCount else {
            throw Problem("has more than \(Quote.maxCount) quotes", key: "quotes")
        }
        guard objects.allSatisfy({ $0["text"]?.string?.isEmpty == false }) else {
            throw Problem("has a quote without a text", key: "quotes")
        }
        var quotes: [Quote] = []
        for object in objects {
            let members = JSONMembers(object)
            let uuid = try members.text("uuid")
            guard uuid?.utf8.count ?? 0 <= longestUUID else { throw Problem("is not a UUID", key: "uuid") }
            quotes.append(
                Quote(
                    uuid: uuid?.isEmpty == false ? uuid : nil, try members.text("text") ?? "",
                    prefix: try members.text("prefix") ?? "", suffix: try members.text("suffix") ?? "",
                    note: try members.text("note") ?? "", author: try members.text("author"),
                    created: try members.time("created")))
        }
        return quotes
    }
}

/// The members of an object, of which each has the expected type, or is an error.
private struct JSONMembers {
    private let object: JSONValue

    init(_ object: JSONValue) { self.object = object }

    static func wrongType(_ key: String) -> ClipRecord.Problem {
        ClipRecord.Problem("has a value of the wrong type", key: key)
    }

    func text(_ key: String) throws(ClipRecord.Problem) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.string else { throw Self.wrongType(key) }
        return text
    }

    func flag(_ key: String) throws(ClipRecord.Problem) -> Bool? {
        guard let value = object[key] else { return nil }
        guard case .bool(let isOn) = value else { throw Self.wrongType(key) }
        return isOn
    }

    func time(_ key: String) throws(ClipRecord.Problem) -> Int64? {
        guard let value = object[key] else { return nil }
        if case .bool = value { throw Self.wrongType(key) }
        guard let word = value.word else { throw Self.wrongType(key) }
        guard let time = FileDate.milliseconds(word) else {
            throw ClipRecord.Problem("is not a time", key: key)
        }
        return time
    }
}

extension ClipDraft {
    /// The draft as one line, with its line end, for `clips add --jsonl`.
    ///
    /// A clip that is unread by default has no read state in it, so that a merge leaves that of a saved clip.
    package var jsonLine: String {
        ClipRecord(self).json(omitting: isUnread && !hasReadState ? [.unread] : []) + "\n"
    }
}
