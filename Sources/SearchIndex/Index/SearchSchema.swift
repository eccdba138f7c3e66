package import PersistentStore

/// The entity and the attributes to search.
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
    package let archived: String
    /// The attribute with the stored ``LinkState``.
    package let link: String?
    package let attached: AttachedTexts?

    package init(
        entity: String, title: String, tags: String, url: String, text: String, note: String, author: String,
        created: String, starred: String, unread: String, archived: String, link: String? = nil,
        attached: AttachedTexts? = nil
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
        self.archived = archived
        self.link = link
        self.attached = attached
    }

    var attributes: [String] {
        [title, tags, url, text, note, author, created, starred, unread, archived]
            + [attached?.identifier, link].compactMap(\.self)
    }
    /// Those with short texts, in which words count more.
    var names: [String] { [title, tags, url] }
    /// The attributes whose update changes the index.
    var indexedAttributes: Set<String> { [title, tags, url, text, note, author, created] }
    var newestFirst: [SortKey] { [SortKey(created, isAscending: false)] }

    /// The size to which each text is searched: the longest novels have half of it.
    package static let maxTextBytes = 4 << 20
    /// The size of the texts that are in memory at a time.
    private static let maxResultBytes = 16 << 20

    /// Returns the first documents of a request, and whether they are all of them.
    func documents(_ request: FetchRequest, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> (
        documents: [SearchDocument], areAll: Bool
    ) {
        var request = request
        request.attributes = request.attributes ?? attributes
        if let name = attached?.identifier, request.attributes?.contains(name) == false {
            request.attributes?.append(name)
        }
        (request.maxTextBytes, request.maxResultBytes) = (Self.maxTextBytes, Self.maxResultBytes)
        let objects = try snapshot.fetch(request)
        let documents = try snapshot.documents(objects, self)
        // A text that was cut within a character has up to three bytes less than the fetch has counted.
        let size = objects.reduce(0) { size, object in
            object.stored.reduce(size) { $0 + ($1.textValue?.utf8.count ?? 0) + 3 }
        }
        return (documents, size < Self.maxResultBytes)
    }

    /// Removes some of the objects, which may be deleted, and returns them with their documents.
    func documents(
        ofNext objects: inout [Int64], attributes: [String]? = nil, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (documents: [SearchDocument], objects: [Int64]) {
        let request = FetchRequest(entity, where: .keys(objects), attributes: attributes)
        let (documents, areAll) = try documents(request, in: snapshot)
        let read = areAll ? Set(objects) : Set(documents.map(\.id))
        defer { objects.removeAll(where: read.contains) }
        return (documents, objects.filter(read.contains))
    }
}

/// The searchable attributes of one object.
package struct SearchDocument: Sendable {
    package let id: Int64
    package let title: String
    /// Separated by commas, as in the store.
    package let tags: String
    package let url: String
    package let text: String
    package let note: String
    package let author: String
    /// Milliseconds since 1970.
    package let created: Int64
    package let isStarred: Bool
    package let isUnread: Bool
    package let isArchived: Bool
    private let storedLink: String

    /// - Parameter attached: The texts of attached objects, which are searched as a part of the note.
    package init(
        id: Int64, _ schema: SearchSchema, attached: [String] = [], _ value: (String) -> AttributeValue
    ) {
        func text(_ name: String) -> String { value(name).textValue ?? "" }
        self.id = id
        title = text(schema.title)
        tags = text(schema.tags)
        url = text(schema.url)
        self.text = text(schema.text)
        note =
            attached.isEmpty
            ? text(schema.note) : ([text(schema.note)] + attached).joined(separator: "\n\n")
        author = text(schema.author)
        created = value(schema.created).integerValue ?? 0
        isStarred = value(schema.starred).booleanValue
        isUnread = value(schema.unread).booleanValue
        isArchived = value(schema.archived).booleanValue
        storedLink = schema.link.map(text) ?? ""
    }

    package init(_ object: StoredObject, _ schema: SearchSchema, attached: [String] = []) {
        self.init(id: object.id.key, schema, attached: attached) { object[$0] }
    }

    /// The state of the link; nil if it is never checked.
    package var link: LinkState? { LinkState(storedLink, of: url) }

    package var position: SearchPosition { SearchPosition(created: created, id: id) }

    /// The texts of the index's columns, in their order.
    var indexed: [(column: String, text: String)] {
        [
            ("title", title), ("tags", tags), ("url", SearchURL.searched(url)),
            ("text", text + UnmarkedText.dividedWords(of: text)),
            ("note", note + UnmarkedText.dividedWords(of: note)), ("author", author),
        ]
    }

    /// The host of the URL without `www.`; empty if there is none.
    var site: String {
        let url = SearchURL.decoded(url)
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return "" }
        var host = url[url.index(colon, offsetBy: 3)...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = host.lastIndex(of: "@") { host = host[host.index(after: at)...] }
        return String(host.hasPrefix("www.") ? host.dropFirst(4) : host)
    }
}

/// A position among the objects, ordered by creation time; the smaller position is the older one.
package struct SearchPosition: Hashable, Sendable, Comparable {
    package let created: Int64
    package let id: Int64

    package init(created: Int64, id: Int64) {
        self.created = created
        self.id = id
    }

    package static func < (left: SearchPosition, right: SearchPosition) -> Bool {
        (left.created, left.id) < (right.created, right.id)
    }
}
