import ClipsCore

/// A reader of one JSON document: a browser's tree of bookmarks, or a service's list, of which one element at a
/// time is in memory.
struct JSONDocumentReader: FormatReader {
    private var pieces: JSONPieces
    /// The bookmarks that are complete, and problems.
    var items: [ImportItem] = []
    private(set) var form = "JSON"
    private(set) var unread = UnreadFields()
    /// Whether the document has a known form, even with nothing in it.
    private var isKnown = false
    private var hasClips = false

    private var members: [(name: String, value: JSONValue)] = []
    private var list = OpenList()
    private var linkwarden = LinkwardenCollections()
    private var karakeep = KarakeepLists()
    /// The folders of Firefox, until its tags are known, which are a folder of their own in old backups.
    private var firefox = JSONTree()

    /// A list that is being read.
    private struct OpenList {
        var count = 0
        var hasClips = false
        /// The elements before the first clip, and their problems: the list may hold something other than bookmarks.
        var unproven: [JSONValue] = []
        var problems: [ImportItem] = []
        var unread = UnreadFields()
    }

    /// The number of elements after which a list without a clip is not one of bookmarks.
    private static let maxUnproven = 1000

    private static let unknown = ImportError.refused(
        "This JSON has no bookmarks in a known form.",
        "Export HTML or CSV, or write one object a line with the keys url, title, text, note, and tags.")

    init(_ source: UTF8Source) { pieces = JSONPieces(source) }

    mutating func read() throws(ImportError) -> Bool {
        guard let piece = try pieces.next() else {
            try finish()
            return false
        }
        try add(piece)
        return true
    }

    private mutating func finish() throws(ImportError) {
        addRest()
        if let problem = pieces.problem {
            guard hasClips else {
                throw .refused(
                    "The file is not JSON that can be read (line \(problem.line): \(problem.reason)).",
                    "Export it again.")
            }
            items.append(.failure(problem))
        } else if !hasClips && !isKnown {
            throw Self.unknown
        }
    }

    private mutating func add(_ piece: JSONPieces.Piece) throws(ImportError) {
        switch piece {
        case .element(let value, "children"): addTree(value, of: "Firefox JSON", isRoot: false)
        case .element(let value, "collections") where value["links"]?.array != nil:
            (form, isKnown) = ("Linkwarden JSON", true)
            linkwarden.add(value, &unread)
        case .element(let value, "pinnedLinks"): linkwarden.pin(value)
        case .element(let value, nil):
            addElement(value)
            if list.unproven.count > Self.maxUnproven { throw Self.unknown }
        case .element(let value, _): if list.unproven.count <= Self.maxUnproven { addElement(value) }
        case .end(let key): endList(key)
        case .member("children", .array), .member("roots", .array): isKnown = true
        case .member("roots", .object(let folders)):
            for (_, folder) in folders.sorted(by: { $0.key < $1.key }) {
                addTree(folder, of: "Chromium JSON", isRoot: true)
            }
        case .member(let name, let value): members.append((name, value))
        case .scalar: break
        }
    }

    /// Adds the content of the whole document: a single record, objects by their IDs, or the rest of a service's export.
    private mutating func addRest() {
        endList("")
        let object = Dictionary(members) { $1 }
        switch form {
        case "Firefox JSON": append(firefox.items)
        case "Chromium JSON": break
        case "Linkwarden JSON":
            append(linkwarden.items)
            for (name, value) in members where !value.isEmpty { unread.insert(name) }
        default:
            isKnown =
                isKnown || !members.isEmpty && members.allSatisfy { $0.value.array?.isEmpty == true }
            if object["url"]?.string != nil || object["href"]?.string != nil {
                addElement(.object(object))
                endList(nil)
            } else {
                append(karakeep.items(lists: object["lists"]))
                for (name, value) in members where !value.isEmpty { addMember(name, value) }
            }
        }
    }

    /// Adds an object whose keys are IDs, as in Pocket's lists; any other member is not read.
    private mutating func addMember(_ name: String, _ value: JSONValue) {
        guard name != "lists" || form != "Karakeep JSON" else { return }
        if case .object(let objects) = value, objects.values.allSatisfy(\.isObject) {
            list = OpenList()
            for (_, record) in objects.sorted(by: { $0.key < $1.key }) { addElement(record) }
            if list.hasClips { return endList(nil) }
        }
        list = OpenList()
        unread.insert(name)
    }

    private mutating func endList(_ key: String?) {
        defer { list = OpenList() }
        if list.hasClips { return }
        if key == nil {
            isKnown = isKnown || list.count == 0
        } else if let key, list.count > Self.maxUnproven {
            unread.insert(key)
        } else if let key, !list.unproven.isEmpty {
            members.append((key, .array(list.unproven)))
        }
    }

    private mutating func addElement(_ value: JSONValue) {
        list.count += 1
        if value["children"]?.array != nil {
            list.hasClips = true
            return addTree(value, of: "Firefox JSON", isRoot: false)
        }
        if addOwn(value) { return }
        let name = "entry \(list.count)"
        var unread = list.hasClips ? unread : list.unread
        let fielded = FieldedDraft(value, except: karakeep.references(of: value), &unread)
        if list.hasClips { self.unread = unread } else { list.unread = unread }
        guard let fielded, fielded.draft.hasSource else {
            let problem = ImportItem.problem("\(name) has no URL and no text")
            if list.hasClips {
                items.append(problem)
            } else {
                list.unproven.append(value)
                list.problems.append(problem)
            }
            return
        }
        if !list.hasClips {
            (list.hasClips, hasClips) = (true, true)
            items += list.problems
            (list.unproven, list.problems) = ([], [])
            for name in list.unread.names { self.unread.insert(name) }
            setForm(value)
        }
        if !karakeep.hold(fielded.draft, value) { items.append(.success(fielded.draft)) }
        items += fielded.problems(of: name)
    }

    /// Adds a clip of this program's export; returns false for another object.
    private mutating func addOwn(_ value: JSONValue) -> Bool {
        guard value["uuid"]?.string != nil, value["version"] != nil else { return false }
        var draft = ClipDraft()
        guard (try? ClipRecord.apply(value, to: &draft)) != nil, !draft.isEmpty else { return false }
        if !list.hasClips { items += list.problems }
        (list.hasClips, hasClips, form) = (true, true, "JSON of this program")
        items.append(.success(draft))
        return true
    }

    /// Names the service that writes such records.
    private mutating func setForm(_ value: JSONValue) {
        guard case .object(let members) = value else { return }
        if value.articleAddress != nil {
            form = "Google Reader JSON"
        } else if !karakeep.references(of: value).isEmpty {
            form = "Karakeep JSON"
        } else {
            form = ImportForm.name(.json, of: Set(members.keys)) ?? "JSON list"
        }
    }

    private mutating func append(_ more: [ImportItem]) {
        items += more
        hasClips = hasClips || more.contains { if case .success = $0 { true } else { false } }
    }

    private mutating func addTree(_ node: JSONValue, of form: String, isRoot: Bool) {
        (self.form, isKnown) = (form, true)
        if form == "Firefox JSON" {
            firefox.add(node, tags: [], isRoot: isRoot)
            for name in firefox.unread.names { unread.insert(name) }
            hasClips = hasClips || !firefox.isEmpty
        } else {
            var tree = JSONTree()
            tree.add(node, tags: [], isRoot: isRoot)
            append(tree.items)
            for name in tree.unread.names { unread.insert(name) }
        }
    }
}
