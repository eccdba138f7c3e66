import ClipsCore

extension FieldedDraft {
    /// A clip from an object of JSON, by whatever names; nil when there is nothing of a clip in it.
    init?(_ object: JSONValue) {
        guard case .object(let members) = object else { return nil }
        self.init()
        // Pinboard and Delicious call the title a description.
        let isPinboard = members["href"] != nil && members["extended"] != nil
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if isPinboard && name == "description" {
                value.word.map { set(.title, $0) }
                continue
            }
            if isPinboard && name == "shared" {
                if value.word == "no" { addTags(["private"]) }
                continue
            }
            guard let field = ClipField(name: name) else { continue }
            if let values = value.array {
                set(values, field)
            } else if let word = value.word {
                set(field, word, spacedTags: isPinboard)
            } else if let title = value["title"]?.string {
                set(field, title)
            }
        }
        if isPinboard && members["toread"] == nil { set(.unread, "no") }
    }

    private mutating func set(_ values: [JSONValue], _ field: ClipField) {
        let words = values.compactMap {
            $0.word ?? $0["name"]?.string ?? $0["tag"]?.string ?? $0["text"]?.string
        }
        if field == .tags {
            addTags(words)
        } else {
            for word in words { set(field, word) }
        }
    }
}

/// A clip as `clips list --json` prints it and `clips add --jsonl` reads it.
enum ClipObject {
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
