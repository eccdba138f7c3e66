package import PersistentStore

/// Which entity is searched, and by which of its attributes.
package struct SearchSchema: Hashable, Sendable {
    package let entity: String
    package let title: String
    package let tags: String
    package let url: String
    package let text: String
    package let note: String
    package let author: String
    package let created: String
    package let starred: String
    package let unread: String

    package init(
        entity: String, title: String, tags: String, url: String, text: String, note: String, author: String,
        created: String, starred: String, unread: String
    ) {
        self.entity = entity
        self.title = title
        self.tags = tags
        self.url = url
        self.text = text
        self.note = note
        self.author = author
        self.created = created
        self.starred = starred
        self.unread = unread
    }

    var attributes: [String] { [title, tags, url, text, note, author, created, starred, unread] }
    /// An update of any other changes nothing in the index.
    var indexedAttributes: Set<String> { [title, tags, url, text, note, author, created] }
    var newestFirst: SortOrder { SortOrder(created, isAscending: false) }
}

/// What a search looks at of one object.
package struct SearchDocument: Sendable {
    package let id: Int64
    package let title: String
    /// As the store keeps them: with commas between.
    package let tags: String
    package let url: String
    package let text: String
    package let note: String
    package let author: String
    /// Milliseconds since 1970.
    package let created: Int64
    package let isStarred: Bool
    package let isUnread: Bool

    package init(id: Int64, _ schema: SearchSchema, _ value: (String) -> Value) {
        func text(_ name: String) -> String { value(name).textValue ?? "" }
        self.id = id
        title = text(schema.title)
        tags = text(schema.tags)
        url = text(schema.url)
        self.text = text(schema.text)
        note = text(schema.note)
        author = text(schema.author)
        created = value(schema.created).integerValue ?? 0
        isStarred = value(schema.starred).booleanValue
        isUnread = value(schema.unread).booleanValue
    }

    package init(_ object: StoredObject, _ schema: SearchSchema) {
        self.init(id: object.id.key, schema) { object[$0] }
    }

    var place: SearchPlace { SearchPlace(created: created, id: id) }

    /// The host of the address without `www.`, or nothing.
    var site: String {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return "" }
        var host = url[url.index(colon, offsetBy: 3)...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = host.lastIndex(of: "@") { host = host[host.index(after: at)...] }
        return String(host.hasPrefix("www.") ? host.dropFirst(4) : host)
    }
}

/// A place among the objects, newest first; the smaller place is the older one.
package struct SearchPlace: Hashable, Sendable, Comparable {
    package let created: Int64
    package let id: Int64

    package init(created: Int64, id: Int64) {
        self.created = created
        self.id = id
    }

    package static func < (left: SearchPlace, right: SearchPlace) -> Bool {
        (left.created, left.id) < (right.created, right.id)
    }
}
