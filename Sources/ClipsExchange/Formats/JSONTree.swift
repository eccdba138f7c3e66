import ClipsCore

/// The bookmarks in the folders of a browser.
struct JSONTree {
    private var read: [ImportItem] = []
    private(set) var unread = UnreadFields()
    /// The tags of URLs, which old versions of Firefox store as folders.
    private var tags: [String: [String]] = [:]

    /// The bookmarks with their tags, and the problems.
    var items: [ImportItem] {
        guard !tags.isEmpty else { return read }
        return read.map { item in
            item.map { draft in
                var draft = draft
                for tag in tags[draft.url] ?? [] where !draft.tags.contains(tag) { draft.tags.append(tag) }
                return draft
            }
        }
    }

    var isEmpty: Bool { read.isEmpty }

    private mutating func addTagFolder(_ folder: JSONValue) {
        for tag in folder["children"]?.array ?? [] {
            for page in tag["children"]?.array ?? [] {
                guard let name = tag["title"]?.string, let url = page["uri"]?.string else { continue }
                tags[url, default: []].append(name)
            }
        }
    }

    /// The members of a browser's bookmark that are read, or describe only its storage.
    private static let structure: Set<String> = [
        "title", "name", "uri", "url", "dateAdded", "date_added", "lastModified", "date_modified", "tags",
        "keyword",
        "annos", "children", "guid", "id", "index", "root", "type", "typeCode",
    ]

    mutating func add(_ node: JSONValue, tags: [String], isRoot: Bool) {
        let name = (node["title"] ?? node["name"])?.string ?? ""
        if node["root"]?.string == "tagsFolder" || node["guid"]?.string == "tags________" {
            return addTagFolder(node)
        }
        if let children = node["children"]?.array {
            let isPlace = isRoot || node["root"] != nil
            for child in children {
                add(child, tags: isPlace || name.isEmpty ? tags : tags + [name], isRoot: false)
            }
            return
        }
        guard let url = (node["uri"] ?? node["url"])?.string, !url.isEmpty else {
            let type = (node["type"]?.string ?? "") + (node["typeCode"]?.word ?? "")
            let isOther = type.contains("separator") || type.contains("container") || type.contains("folder")
            let titled = name.isEmpty ? "" : " with a title"
            if !isOther { read.append(.problem("a bookmark\(titled) has no URL")) }
            return
        }
        guard !url.hasPrefix("place:") else { return unread.insert("place: queries") }
        var fielded = FieldedDraft()
        fielded.set(.url, url)
        fielded.set(.title, name)
        fielded.assumeRead()
        fielded.addTags(tags)
        for key in ["dateAdded", "date_added"] { node[key]?.word.map { fielded.set(.created, $0) } }
        for key in ["lastModified", "date_modified"] { node[key]?.word.map { fielded.set(.updated, $0) } }
        if let words = node["tags"]?.string { fielded.set(.tags, words) }
        if let keyword = node["keyword"]?.string { fielded.set(.note, "keyword: \(keyword)") }
        for annotation in node["annos"]?.array ?? []
        where annotation["name"]?.string?.hasSuffix("/description") == true {
            annotation["value"]?.string.map { fielded.set(.note, $0) }
        }
        if case .object(let members) = node {
            for (name, value) in members where !Self.structure.contains(name) && !value.isEmpty {
                unread.insert(name)
            }
        }
        read.append(.success(fielded.draft))
        read += fielded.problems()
    }
}
