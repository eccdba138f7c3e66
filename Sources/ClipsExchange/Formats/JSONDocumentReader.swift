import ClipsCore

/// One JSON document: a browser's tree of bookmarks, or a service's list.
struct JSONDocumentReader: FormatReader {
    private let source: UTF8Source
    private var items: [ImportItem]?

    init(_ source: UTF8Source) { self.source = source }

    mutating func next() throws(ImportError) -> ImportItem? {
        if items == nil { items = try read().reversed() }
        return items?.popLast()
    }

    private func read() throws(ImportError) -> [ImportItem] {
        var bytes: [UInt8] = []
        while let piece = try source.next() {
            bytes += piece
            guard bytes.count <= ImportLimits.document else {
                throw ImportError(
                    "A JSON document may have \(ImportLimits.megabytes(ImportLimits.document)); one object a line "
                        + "may be of any length.")
            }
        }
        let parsed = JSONParser.parse(bytes)
        var found = Found()
        if let value = parsed.value { found.add(value) }
        if let problem = parsed.problem {
            found.items.append(.failure(ImportProblem(line: problem.line, problem.reason)))
        } else if found.items.isEmpty {
            found.items.append(.failure(ImportProblem(line: 1, "there are no bookmarks in it")))
        }
        return found.items
    }
}

/// The bookmarks found in a document.
private struct Found {
    var items: [ImportItem] = []

    /// A list, an object that has lists under any keys, or a tree.
    mutating func add(_ value: JSONValue) {
        if let roots = value["roots"], case .object(let folders) = roots {
            for (_, folder) in folders.sorted(by: { $0.key < $1.key }) {
                addTree(folder, tags: [], isRoot: true)
            }
        } else if value["children"] != nil {
            addTree(value, tags: [], isRoot: true)
        } else if let values = value.array {
            for (index, value) in values.enumerated() { addObject(value, number: index + 1) }
        } else if case .object(let members) = value {
            let lists = members.sorted { $0.key < $1.key }.compactMap {
                $0.value.array ?? Self.values($0.value)
            }
            for list in lists {
                for (index, value) in list.enumerated() { addObject(value, number: index + 1) }
            }
            if lists.isEmpty { addObject(value, number: 1) }
        }
    }

    /// Pocket's lists are objects with ids for keys.
    private static func values(_ value: JSONValue) -> [JSONValue]? {
        guard case .object(let members) = value else { return nil }
        let values = members.sorted { $0.key < $1.key }.map(\.value)
        return values.allSatisfy { if case .object = $0 { true } else { false } } ? values : nil
    }

    private mutating func addObject(_ value: JSONValue, number: Int) {
        if value["children"] != nil { return addTree(value, tags: [], isRoot: false) }
        guard let fielded = FieldedDraft(value), !fielded.draft.isEmpty else {
            return fail("the entry \(number) has no address, title or text")
        }
        items.append(.success(fielded.draft))
        for complaint in fielded.complaints { fail("the entry \(number): \(complaint)") }
    }

    private mutating func fail(_ reason: String) { items.append(.failure(ImportProblem(line: 1, reason))) }

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
            if !isOther { fail("a bookmark\(name.isEmpty ? "" : " with a title") has no address") }
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
        items.append(.success(fielded.draft))
        for complaint in fielded.complaints { fail(complaint) }
    }
}
