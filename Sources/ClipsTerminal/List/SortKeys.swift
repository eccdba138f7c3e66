import ClipsCore
import PersistentStore
import SearchIndex

extension ClipQuery {
    /// The sort keys, each with its letter in the menu.
    static let sortKeys: [(key: Character, attribute: ClipAttribute, label: String)] = [
        ("c", .created, "time saved"), ("m", .updated, "time changed"), ("t", .title, "title"),
        ("u", .url, "URL"), ("a", .author, "author"), ("g", .tags, "tags"), ("s", .starred, "star"),
        ("r", .unread, "unread"),
    ]

    /// Creates the query for the clips with a name in a field, such as a tag.
    init(field: String, _ name: String, sort: SortKey) {
        // An asterisk at the end of a word is for all words that begin with it.
        let isQuoted = name.unicodeScalars.contains { $0.properties.isWhitespace || $0 == "\"" || $0 == "*" }
        self.init(filter: "\(field):" + (isQuoted ? SearchQuery.quoted(name) : name), sort: sort)
    }

    static let relevance = "relevance"

    /// The arguments of `:sort`.
    static var sortNames: [String] { sortKeys.map(\.attribute.rawValue) + [relevance] }

    /// Returns a label such as `by title`, `by time saved, oldest first`, or `unread first`.
    static func label(of sort: SortKey) -> String {
        guard let (_, attribute, label) = sortKeys.first(where: { $0.attribute.rawValue == sort.attribute })
        else { return "by \(sort.attribute)" }
        switch attribute {
        case .created, .updated: return "by \(label), " + (sort.isAscending ? "oldest first" : "newest first")
        case .starred, .unread: return "\(attribute.rawValue) " + (sort.isAscending ? "last" : "first")
        default: return "by \(label)" + (sort.isAscending ? "" : ", from Z to A")
        }
    }

    /// Returns a sentence without an end for a filter that no clip passes.
    static func noClip(for filter: String) -> String {
        "No clip \(ClipQuery(filter: filter).hasOnlyWords ? "contains" : "matches") “\(filter)”"
    }
}

extension SortKey {
    var reversed: SortKey { SortKey(attribute, isAscending: !isAscending) }
}
