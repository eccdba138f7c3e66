import ClipsCore

/// A reader of one JSON document: a browser's tree of bookmarks, or a service's list.
struct JSONDocumentReader: FormatReader {
    private let source: UTF8Source
    private var items: [ImportItem]?
    private(set) var form = "JSON"
    private(set) var unread = UnreadFields()

    init(_ source: UTF8Source) { self.source = source }

    mutating func next() throws(ImportError) -> ImportItem? {
        if items == nil {
            let records = try read()
            (form, unread) = (records.form, records.unread)
            items = records.items.reversed()
        }
        return items?.popLast()
    }

    private func read() throws(ImportError) -> JSONRecords {
        var bytes: [UInt8] = []
        while let piece = try source.next() {
            bytes += piece
            guard bytes.count <= source.limits.document else {
                throw .refused(
                    "The JSON document has more than \(ImportLimits.megabytes(source.limits.document)).",
                    "Split it, or write one object a line.")
            }
        }
        let parsed = JSONParser.parse(bytes, maxValues: source.limits.values)
        bytes = []
        var records = JSONRecords()
        if let value = parsed.value { records.add(value) }
        if let problem = parsed.problem {
            guard records.hasClips else {
                throw .refused(
                    "The file is not JSON that can be read (line \(problem.line): \(problem.reason)).",
                    "Export it again.")
            }
            records.items.append(.failure(ImportProblem(line: problem.line, problem.reason)))
        } else if !records.hasClips && !records.isKnown {
            throw .refused(
                "This JSON has no bookmarks in a known form.",
                "Export HTML or CSV, or write one object a line with the keys url, title, text, note, and tags."
            )
        }
        return records
    }
}

/// The bookmarks found in a document.
struct JSONRecords {
    var items: [ImportItem] = []
    private(set) var form = "JSON"
    private(set) var unread = UnreadFields()
    /// Whether the document has a known form, even with nothing in it.
    private(set) var isKnown = false

    var hasClips: Bool { items.contains { if case .success = $0 { true } else { false } } }

    /// Adds a tree, a service's document, or a list.
    mutating func add(_ value: JSONValue) {
        isKnown = true
        if case .object(let folders)? = value["roots"] {
            form = "Chromium JSON"
            for (_, folder) in folders.sorted(by: { $0.key < $1.key }) {
                addTree(folder, tags: [], isRoot: true)
            }
        } else if value["children"]?.array != nil {
            form = "Firefox JSON"
            addTree(value, tags: [], isRoot: true)
        } else if let collections = value["collections"]?.array,
            collections.contains(where: { $0["links"] != nil })
        {
            form = "Linkwarden JSON"
            addLinkwarden(value, collections)
        } else if let values = value.array {
            isKnown = values.isEmpty
            addList(values)
        } else if case .object(let members) = value {
            isKnown = members.count == 1 && members.values.allSatisfy { $0.array?.isEmpty == true }
            addDocument(members)
        } else {
            isKnown = false
        }
    }

    /// Adds an object that is a record, or has lists under any keys.
    private mutating func addDocument(_ members: [String: JSONValue]) {
        if members["url"]?.string != nil || members["href"]?.string != nil {
            return addList([.object(members)])
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            guard let list = value.array ?? Self.values(value) else {
                unread.insert(name)
                continue
            }
            var records = JSONRecords()
            records.addList(list)
            // A list without any clip holds something other than bookmarks.
            guard records.hasClips else {
                unread.insert(name)
                continue
            }
            form = list.contains { $0["content"]?.isObject == true } ? "Karakeep JSON" : records.form
            items += records.items
            for name in records.unread.names { unread.insert(name) }
        }
    }

    /// Returns the values of an object whose keys are IDs, as in Pocket's lists.
    private static func values(_ value: JSONValue) -> [JSONValue]? {
        guard case .object(let members) = value, members.values.allSatisfy(\.isObject) else { return nil }
        return members.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func addList(_ values: [JSONValue]) {
        form = values.contains { $0["href"] != nil && $0["url"] == nil } ? "Pinboard JSON" : "JSON list"
        for (index, value) in values.enumerated() { addObject(value, "entry \(index + 1)") }
    }

    private mutating func addObject(
        _ value: JSONValue, _ name: String, _ change: (inout FieldedDraft) -> Void = { _ in }
    ) {
        if value["children"]?.array != nil { return addTree(value, tags: [], isRoot: false) }
        guard var fielded = FieldedDraft(value, &unread), fielded.draft.hasSource else {
            return fail("\(name) has no URL and no text")
        }
        change(&fielded)
        items.append(.success(fielded.draft))
        for complaint in fielded.complaints { fail("\(name): \(complaint)") }
    }

    private mutating func addLinkwarden(_ document: JSONValue, _ collections: [JSONValue]) {
        let pinned = Set((document["pinnedLinks"]?.array ?? []).compactMap { $0["id"]?.word })
        for collection in collections {
            let name = collection["name"]?.string ?? ""
            for (index, link) in (collection["links"]?.array ?? []).enumerated() {
                let isPinned = link["id"]?.word.map(pinned.contains) ?? false
                addObject(link, "link \(index + 1) of a collection") { draft in
                    if name != "Unorganized" && !name.isEmpty { draft.addTags([name]) }
                    if isPinned { draft.set(.starred, "yes") }
                }
            }
        }
        if case .object(let members) = document {
            for (name, value) in members
            where !value.isEmpty && name != "collections" && name != "pinnedLinks" { unread.insert(name) }
        }
    }

    private mutating func fail(_ reason: String) { items.append(.failure(ImportProblem(line: 0, reason))) }

    /// The members of a browser's bookmark that are read, or describe only its storage.
    private static let structure: Set<String> = [
        "title", "name", "uri", "url", "dateAdded", "date_added", "lastModified", "date_modified", "tags",
        "keyword",
        "annos", "children", "guid", "id", "index", "root", "type", "typeCode",
    ]

    private mutating func addTree(_ node: JSONValue, tags: [String], isRoot: Bool) {
        let name = (node["title"] ?? node["name"])?.string ?? ""
        if let children = node["children"]?.array {
            let isPlace = isRoot || node["root"] != nil
            for child in children {
                addTree(child, tags: isPlace || name.isEmpty ? tags : tags + [name], isRoot: false)
            }
            return
        }
        guard let url = (node["uri"] ?? node["url"])?.string, !url.isEmpty else {
            let type = (node["type"]?.string ?? "") + (node["typeCode"]?.word ?? "")
            let isOther = type.contains("separator") || type.contains("container") || type.contains("folder")
            if !isOther { fail("a bookmark\(name.isEmpty ? "" : " with a title") has no URL") }
            return
        }
        var fielded = FieldedDraft()
        fielded.set(.url, url)
        fielded.set(.title, name)
        fielded.set(.unread, "no")
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
        items.append(.success(fielded.draft))
        for complaint in fielded.complaints { fail(complaint) }
    }
}
