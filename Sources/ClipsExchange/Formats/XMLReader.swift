import ClipsCore

/// The lists of bookmarks and feeds that are XML: OPML, XBEL, and the posts of Pinboard, Delicious, and
/// Scuttle. Any other document is refused.
struct XMLReader: FormatReader {
    private let source: UTF8Source
    private var tokenizer: MarkupTokenizer
    private(set) var unread = UnreadFields()
    var items: [ImportItem] = []

    private enum Root: String {
        case opml = "OPML"
        case xbel = "XBEL"
        case posts = "posts XML"
    }

    private var root: Root?
    var form: String { root?.rawValue ?? "XML" }

    /// An open element: a folder or a bookmark.
    private struct Element {
        let name: String
        var folder: String?
        var draft: FieldedDraft?
        var line: Int
        var hasChildren = false
    }

    private var open: [Element] = []
    private var text = ""

    private static let maxDepth = 256

    init(_ source: UTF8Source) {
        self.source = source
        tokenizer = MarkupTokenizer(.xml, limits: source.limits)
    }

    mutating func read() throws(ImportError) -> Bool {
        let bytes = try source.next()
        if let bytes { tokenizer.feed(bytes) } else { tokenizer.finish() }
        guard !tokenizer.hasDeclarations else {
            throw .refused(
                "This XML declares entities of its own, which are never read.", "Export it as HTML.")
        }
        for (token, line) in tokenizer.tokens { try handle(token, line: line) }
        tokenizer.removeTokens()
        if bytes == nil { try finish(isCut: tokenizer.isInsideMarkup, line: tokenizer.currentLine) }
        return bytes != nil
    }

    private mutating func handle(_ token: MarkupToken, line: Int) throws(ImportError) {
        switch token {
        case .start(let name, let attributes, let isCut):
            text = ""
            guard open.count < Self.maxDepth else {
                throw .refused(
                    "This XML has more than \(Self.maxDepth) elements inside each other.",
                    "Export it as HTML."
                )
            }
            if open.isEmpty { try begin(name) }
            if isCut { fail("an element has too many or too long attributes", line: line) }
            if !open.isEmpty { open[open.count - 1].hasChildren = true }
            open.append(element(name, attributes, line))
        case .end(let name):
            guard let index = open.lastIndex(where: { $0.name == name }) else { return }
            while open.count > index { close() }
            text = ""
        case .text(let words):
            if text.utf8.count <= ClipDraft.largestText { text += words }
        }
    }

    private mutating func finish(isCut: Bool, line: Int) throws(ImportError) {
        guard root != nil else { throw .refused("This XML has no elements.", "Export the bookmarks again.") }
        if isCut || !open.isEmpty { fail("the file ends before its last element does", line: line) }
        while !open.isEmpty { close() }
    }

    private mutating func begin(_ name: String) throws(ImportError) {
        guard root == nil else { return }
        root =
            switch name {
            case "opml": .opml
            case "xbel": .xbel
            case "posts": .posts
            default: nil
            }
        guard root == nil else { return }
        let kind =
            switch name {
            case "feed", "rss", "rdf:rdf": "a feed"
            case "plist": "a property list"
            default: "not a list of bookmarks"
            }
        throw .refused(
            "This XML is \(kind). OPML, XBEL, and the posts of Pinboard, Delicious, and Scuttle are read.",
            "Export the bookmarks as HTML.")
    }

    private mutating func element(_ name: String, _ attributes: [String: String], _ line: Int) -> Element {
        switch (root, name) {
        case (.opml, "outline"): outlineElement(attributes, line)
        case (.posts, "post"): Element(name: name, draft: post(attributes), line: line)
        case (.xbel, "bookmark"):
            Element(
                name: name,
                draft: draft(
                    attributes, ["href": .url, "added": .created, "modified": .updated], ignoring: ["id"]),
                line: line)
        case (.xbel, "folder"): Element(name: name, folder: "", line: line)
        default: Element(name: name, line: line)
        }
    }

    private mutating func outlineElement(_ attributes: [String: String], _ line: Int) -> Element {
        let words = attributes["text"] ?? attributes["title"] ?? ""
        // newsboat writes an empty page for a feed without one.
        let urls = ["url", "htmlurl", "xmlurl"].compactMap { attributes[$0] }
        guard let url = urls.first(where: { !$0.isEmpty }) ?? urls.first else {
            return Element(name: "outline", folder: words, line: line)
        }
        var fielded = draft(
            attributes,
            [
                "title": .title, "text": .title, "description": .note, "_note": .note, "created": .created,
                "category": .tags, "xmlurl": .feed,
            ], ignoring: ["url", "htmlurl", "type"], url: url)
        if attributes["xmlurl"] != nil { fielded.addTags(["feed"]) }
        return Element(name: "outline", draft: fielded, line: line)
    }

    private mutating func post(_ attributes: [String: String]) -> FieldedDraft {
        var fielded = draft(
            attributes,
            [
                "href": .url, "description": .title, "extended": .note, "time": .created, "toread": .unread,
                "private": .isPrivate,
            ], ignoring: ["tag", "tags", "shared"])
        fielded.set(.tags, (attributes["tag"] ?? attributes["tags"] ?? "").trimmed, spacedTags: true)
        if attributes["shared"] == "no" { fielded.set(.isPrivate, "yes") }
        return fielded
    }

    /// Bookmarks are read unless they are marked otherwise.
    private mutating func draft(
        _ attributes: [String: String], _ fields: [String: ClipField], ignoring: Set<String>,
        url: String? = nil
    ) -> FieldedDraft {
        var fielded = FieldedDraft()
        fielded.assumeRead()
        fielded.set(.url, HTMLText.address(url ?? ""))
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            if let field = fields[name] {
                fielded.set(field, field == .url ? HTMLText.address(value) : value)
            } else if !ignoring.contains(name) {
                unread.insert(name)
            }
        }
        return fielded
    }

    private mutating func close() {
        guard let element = open.popLast() else { return }
        if let parent = open.indices.last, !text.isEmpty { add(text, of: element.name, in: parent) }
        text = ""
        if let fielded = element.draft {
            var draft = fielded
            draft.addTags(
                open.compactMap(\.folder).map(HTMLText.oneLine).filter { !$0.isEmpty })
            guard draft.draft.hasSource else { return fail("a bookmark has no URL", line: element.line) }
            items.append(.success(draft.draft))
            items += draft.problems(line: element.line)
        } else if root == .opml && element.name == "outline" && !element.hasChildren {
            fail("an outline has no URL", line: element.line)
        }
    }

    /// XBEL has titles and descriptions as elements.
    private mutating func add(_ text: String, of name: String, in parent: Int) {
        let words = text.trimmed
        guard root == .xbel, !words.isEmpty else { return }
        switch name {
        case "title":
            if open[parent].draft != nil {
                open[parent].draft?.set(.title, HTMLText.oneLine(words))
            } else if open[parent].folder != nil {
                open[parent].folder = words
            }
        case "desc":
            if open[parent].draft != nil {
                open[parent].draft?.set(.note, words)
            } else {
                unread.insert(name)
            }
        default: unread.insert(name)
        }
    }
}
