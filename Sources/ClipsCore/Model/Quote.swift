import PersistentStore

/// A passage of a clip that the user marked, with its surroundings, by which it is found again in a changed text.
package struct Quote: Hashable, Sendable {
    package var uuid: String
    package var text: String
    /// The text before and after the passage, up to ``maxContext`` characters each.
    package var prefix: String
    package var suffix: String
    package var note: String
    package var author: String?
    /// Milliseconds since 1970.
    package var created: Int64?

    package static let maxContext = 100
    /// The maximum size of a text or a note in bytes, and the maximum number of quotes of a clip in a file.
    package static let maxText = 1 << 20
    package static let maxCount = 1000

    package init(
        uuid: String? = nil, _ text: String, prefix: String = "", suffix: String = "", note: String = "",
        author: String? = nil, created: Int64? = nil
    ) {
        self.uuid = uuid ?? ClipUUID.make(at: created ?? 0)
        self.text = text
        self.prefix = String(prefix.suffix(Self.maxContext))
        self.suffix = String(suffix.prefix(Self.maxContext))
        self.note = note
        self.author = author
        self.created = created
    }

    init(_ object: StoredObject) {
        func text(_ name: String) -> String { object[name].textValue ?? "" }
        uuid = text("uuid")
        self.text = text("text")
        prefix = text("prefix")
        suffix = text("suffix")
        note = text("note")
        author = text("author")
        created = object["created"].integerValue
    }
}

extension Quote {
    package static let entity = "Quote"
    /// The attribute with the UUID of the clip, which is the same on all machines.
    static let clip = "clip"
    static let text = "text"
    static let note = "note"

    static let description = EntityDescription(
        entity,
        attributes: [
            AttributeDescription(
                "uuid", .text, defaultValue: .uuid, isUnique: true, history: [.preservesValueOnDeletion]),
            AttributeDescription(clip, .text, defaultValue: .value(""), isIndexed: true, history: all),
        ]
            + ["text", "prefix", "suffix", "note", "author"].map {
                AttributeDescription($0, .text, defaultValue: .value(""), history: all)
            } + [AttributeDescription("created", .integer, defaultValue: .now, history: all)])

    private static let all: Set<AttributeDescription.History> = [.preservesValueOnDeletion, .recordsOldValue]

    /// Whether one of a clip's quotes is this one. Files of other programs have no UUIDs of ours, and some no times.
    func isKnown(among quotes: [Quote]) -> Bool {
        quotes.contains {
            $0.uuid == uuid || $0.text == text && (created == nil || $0.created == created)
        }
    }

    func values(clip: String, author: String, now: Int64) -> [String: AttributeValue] {
        [
            "uuid": .text(uuid), Self.clip: .text(clip), "text": .text(text), "prefix": .text(prefix),
            "suffix": .text(suffix), "note": .text(note), "author": .text(self.author ?? author),
            "created": .integer(created ?? now),
        ]
    }
}
