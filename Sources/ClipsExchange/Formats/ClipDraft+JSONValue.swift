import ClipsCore

extension ClipDraft {
    /// Whether there is anything to come back to; a title or a note alone is a clip only in a file of this program.
    var hasSource: Bool { !url.isEmpty || !text.isEmpty }
}

extension FieldedDraft {
    /// A clip from an object of JSON under any known names; nil if it is not an object.
    init?(_ object: JSONValue, _ unread: inout UnreadFields) {
        guard case .object(let members) = object else { return nil }
        self.init()
        read(members, &unread)
    }

    /// Reads the members of an object, except those that are read already.
    mutating func read(
        _ members: [String: JSONValue], except known: Set<String> = [], _ unread: inout UnreadFields
    ) {
        // Pinboard, Delicious, and Scuttle call the title a description.
        let isPosts = members["href"] != nil && members["url"] == nil
        for (name, value) in members.sorted(by: { $0.key < $1.key })
        where !known.contains(name) && !value.isEmpty {
            if isPosts && name == "description" {
                value.word.map { set(.title, $0) }
            } else if isPosts && name == "shared" {
                if value.word == "no" { addTags(["private"]) }
            } else if name == "content", case .object(let content) = value {
                // Karakeep's link, or text.
                for (name, value) in content.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
                    if name != "type" && !set(value, name) { unread.insert("content.\(name)") }
                }
            } else if !set(value, name, spacedTags: isPosts) {
                unread.insert(name)
            }
        }
        if isPosts && members["toread"] == nil { set(.unread, "no") }
    }

    /// False when there is no field for it.
    private mutating func set(_ value: JSONValue, _ name: String, spacedTags: Bool = false) -> Bool {
        guard let field = ClipField(name: name) else { return false }
        if let values = value.array {
            return set(values, field)
        } else if let word = value.word {
            set(field, word, spacedTags: spacedTags)
        } else if let title = (value["title"] ?? value["name"])?.string {
            set(field, title)
        } else {
            return false
        }
        return true
    }

    private mutating func set(_ values: [JSONValue], _ field: ClipField) -> Bool {
        let words = values.compactMap {
            $0.word ?? $0["name"]?.string ?? $0["tag"]?.string ?? $0["text"]?.string
        }
        if field == .tags {
            addTags(words)
        } else {
            for word in words { set(field, word) }
        }
        return words.count == values.count
    }
}

/// A clip as `clips list --json` prints it and `clips add --jsonl` reads it.
enum ClipObject {
    /// The keys that are read, and those that belong to the store that printed them.
    static let keys: Set<String> = [
        "url", "title", "text", "note", "tags", "starred", "unread", "created", "updated", "author", "id",
        "uuid",
        "version",
    ]

    /// Lays what stands in an object over a draft; returns the key whose value has the wrong type.
    static func apply(_ object: JSONValue, to draft: inout ClipDraft) -> String? {
        let texts: [(String, WritableKeyPath<ClipDraft, String>)] = [
            ("url", \.url), ("title", \.title), ("text", \.text), ("note", \.note),
        ]
        for (key, path) in texts {
            guard let value = object[key] else { continue }
            guard let text = value.string else { return key }
            draft[keyPath: path] = text
        }
        let switches: [(String, WritableKeyPath<ClipDraft, Bool>)] = [
            ("starred", \.isStarred), ("unread", \.isUnread),
        ]
        for (key, path) in switches {
            guard let value = object[key] else { continue }
            guard case .bool(let isOn) = value else { return key }
            draft[keyPath: path] = isOn
        }
        let times: [(String, WritableKeyPath<ClipDraft, Int64?>)] = [
            ("created", \.created), ("updated", \.updated),
        ]
        for (key, path) in times {
            guard let value = object[key] else { continue }
            guard let time = value.word.flatMap(FileDate.milliseconds) ?? epoch(value) else { return key }
            draft[keyPath: path] = time
        }
        if let value = object["author"] {
            guard let author = value.string else { return "author" }
            draft.author = author
        }
        if let value = object["tags"] {
            if let text = value.string {
                draft.tags = Tags(joined: text).names
            } else if let names = value.array, names.allSatisfy({ $0.string != nil }) {
                draft.tags = names.compactMap(\.string)
            } else {
                return "tags"
            }
        }
        return nil
    }

    /// 1970 itself, which elsewhere stands for no time at all.
    private static func epoch(_ value: JSONValue) -> Int64? {
        value.string?.hasPrefix("1970-01-01T00:00:00") == true ? 0 : nil
    }
}
