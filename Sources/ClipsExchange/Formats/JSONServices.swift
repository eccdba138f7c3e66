import ClipsCore

/// The collections of a Linkwarden export, which name their parents and the pinned links by ID, in any order.
struct LinkwardenCollections {
    private struct Link {
        var draft: FieldedDraft
        let id: String?
        let collection: String?
    }

    private var links: [Link] = []
    private var folders = FolderNames()
    private var pinned: Set<String> = []
    private var problems: [ImportItem] = []

    mutating func add(_ collection: JSONValue, _ unread: inout UnreadFields) {
        // The default collection is no topic.
        folders.add(collection, isNamed: collection["name"]?.string != "Unorganized")
        for (index, link) in (collection["links"]?.array ?? []).enumerated() {
            guard let draft = FieldedDraft(link, &unread), draft.draft.hasSource else {
                let name = "link \(index + 1) of a collection"
                problems.append(.problem("\(name) has no URL and no text"))
                continue
            }
            links.append(Link(draft: draft, id: link["id"]?.word, collection: collection["id"]?.word))
        }
    }

    mutating func pin(_ link: JSONValue) { if let id = link["id"]?.word { pinned.insert(id) } }

    var items: [ImportItem] {
        links.flatMap { link -> [ImportItem] in
            var draft = link.draft
            draft.addTags(folders.path(link.collection))
            if link.id.map(pinned.contains) == true { draft.set(.starred, "yes") }
            return [.success(draft.draft)]
                + draft.complaints.map { .problem("a link: \($0)", changed: 1) }
        } + problems
    }
}

/// The lists of a Karakeep export, which its bookmarks name by ID.
struct KarakeepLists {
    private var held: [(draft: ClipDraft, lists: [String])] = []

    /// Returns the keys of a bookmark that are not read as fields.
    func references(of bookmark: JSONValue) -> Set<String> {
        bookmark["content"]?.isObject == true && bookmark.articleAddress == nil ? ["lists"] : []
    }

    /// Retains a bookmark that is in lists until the names of the lists are known.
    mutating func hold(_ draft: ClipDraft, _ bookmark: JSONValue) -> Bool {
        guard !references(of: bookmark).isEmpty else { return false }
        let lists = (bookmark["lists"]?.array ?? []).compactMap(\.word)
        if !lists.isEmpty { held.append((draft, lists)) }
        return !lists.isEmpty
    }

    /// - Parameter lists: The lists of the document, of which a smart one is a saved search.
    func items(lists: JSONValue?) -> [ImportItem] {
        var folders = FolderNames()
        for list in lists?.array ?? [] { folders.add(list, isNamed: list["type"]?.string != "smart") }
        return held.map { bookmark in
            var draft = bookmark.draft
            draft.tags += bookmark.lists.flatMap { folders.path($0) }
            return .success(draft)
        }
    }
}

/// Folders that name their parents by ID.
private struct FolderNames {
    private var folders: [String: (name: String, parent: String?)] = [:]
    private static let maxDepth = 64

    mutating func add(_ folder: JSONValue, isNamed: Bool) {
        guard let id = folder["id"]?.word else { return }
        let name = isNamed ? folder["name"]?.string ?? "" : ""
        folders[id] = (name, (folder["parentId"] ?? folder["parent_id"])?.word)
    }

    /// Returns the names from the outermost folder to the one with the ID.
    func path(_ id: String?) -> [String] {
        var (names, next): ([String], String?) = ([], id)
        while let id = next, let folder = folders[id], names.count < Self.maxDepth {
            names.append(folder.name)
            next = folder.parent
        }
        return names.reversed().filter { !$0.isEmpty }
    }
}
