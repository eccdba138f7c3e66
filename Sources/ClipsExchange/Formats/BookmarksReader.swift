import ClipsCore

/// A reader of Netscape's bookmark files, which all browsers write, and of any page with links. Closed or not, `DT`
/// `H3` `DL` are folders, `A` is a bookmark, and `DD` its note.
struct BookmarksReader: FormatReader {
    private let source: UTF8Source
    private var tokenizer: MarkupTokenizer
    /// Attributes that bookmarks have and clips do not.
    private(set) var unread = UnreadFields()
    var items: [ImportItem] = []

    let form = "HTML bookmarks"

    private enum Target { case nothing, title, note, folder, heading }

    private var folders: [String?] = []
    private var named: String?
    private var heading = ""
    private var target = Target.nothing
    private var bookmark: Bookmark?
    /// The link inside a note, and the offset of its words.
    private var noteLink: (url: String, start: Int)?
    private var isAfterTerm = false
    private var hasTerms = false

    /// The outermost folders of browsers, buku, and Raindrop, whose names are not the user's.
    private static let places: Set<String> = [
        "bookmarks", "bookmarks bar", "bookmarksbar", "bookmarks toolbar", "bookmarks menu",
        "other bookmarks",
        "mobile bookmarks", "unfiled bookmarks", "unsorted bookmarks", "favorites bar", "other favorites",
        "buku bookmarks", "unsorted",
    ]

    private static let maxDepth = 256
    private static let maxLength = ClipDraft.largestText + 1

    init(_ source: UTF8Source) {
        self.source = source
        tokenizer = MarkupTokenizer(.html, limits: source.limits)
    }

    mutating func read() throws(ImportError) -> Bool {
        let bytes = try source.next()
        if let bytes { tokenizer.feed(bytes.map { $0 == 0 ? 0x20 : $0 }) } else { tokenizer.finish() }
        for (token, line) in tokenizer.tokens { handle(token, line: line) }
        tokenizer.removeTokens()
        if bytes == nil { finish(isCut: tokenizer.isInsideMarkup, line: tokenizer.currentLine) }
        return bytes != nil
    }

    private mutating func handle(_ token: MarkupToken, line: Int) {
        switch token {
        case .start(let name, let attributes, let isCut):
            start(name, attributes, line)
            if isCut && name == "a" { fail("a bookmark has too many or too long attributes", line: line) }
        case .end(let name): end(name)
        case .text(let text): append(text)
        }
    }

    private mutating func finish(isCut: Bool, line: Int) {
        close()
        if isCut { fail("the file ends inside a tag or a comment", line: line) }
    }

    private mutating func start(_ name: String, _ attributes: [String: String], _ line: Int) {
        switch name {
        case "a":
            // In a file with terms, a link without one belongs to the note.
            if target == .note && hasTerms && !isAfterTerm {
                noteLink = (attributes["href"] ?? "", bookmark?.note.utf8.count ?? 0)
                return
            }
            close()
            bookmark = Bookmark(
                attributes: attributes, line: line, folders: folders.compactMap(\.self), heading: heading)
            target = .title
            isAfterTerm = false
        case "dt", "li":
            target = .nothing
            isAfterTerm = true
            if name == "dt" { hasTerms = true }
        case "dd":
            target = bookmark == nil ? .nothing : .note
            isAfterTerm = false
        case "h3", "h2", "h4":
            close()
            let isPlace = ["personal_toolbar_folder", "unfiled_bookmarks_folder"].contains {
                attributes[$0] != nil
            }
            named = isPlace ? nil : ""
            target = isPlace ? .nothing : .folder
        case "h1":
            close()
            heading = ""
            target = .heading
        case "dl":
            close()
            if let name = named, Self.places.contains(HTMLText.oneLine(name).lowercased()),
                !folders.contains(where: { $0 != nil })
            {
                named = nil
            }
            if folders.count < Self.maxDepth { folders.append(named) }
            named = nil
        case "hr": close()
        case "br", "p": append("\n")
        case "title", "script", "style": target = .nothing
        default: break
        }
    }

    private mutating func end(_ name: String) {
        switch name {
        case "a":
            if let link = noteLink {
                noteLink = nil
                let words = String(
                    decoding: Array((bookmark?.note ?? "").utf8.dropFirst(link.start)), as: UTF8.self)
                if !link.url.isEmpty && !words.contains(link.url) { bookmark?.note += " " + link.url }
            } else if target == .title {
                target = .nothing
            }
        case "h1", "h2", "h3", "h4":
            if target == .folder || target == .heading { target = .nothing }
        case "dl":
            close()
            folders.removeLast(folders.isEmpty ? 0 : 1)
        case "dd":
            if target == .note { target = .nothing }
        default: break
        }
    }

    private mutating func append(_ text: String) {
        switch target {
        case .nothing: break
        case .title:
            if (bookmark?.title.utf8.count ?? 0) < Self.maxLength { bookmark?.title += text }
        case .note:
            if (bookmark?.note.utf8.count ?? 0) < Self.maxLength { bookmark?.note += text }
        case .folder: if (named ?? "").utf8.count < 1000 { named? += text }
        case .heading: if heading.utf8.count < 1000 { heading += text }
        }
    }

    private mutating func close() {
        target = .nothing
        noteLink = nil
        guard let finished = bookmark else { return }
        bookmark = nil
        guard finished.attributes["href"]?.hasPrefix("place:") != true else {
            return unread.insert("place: queries")
        }
        for name in finished.unreadAttributes { unread.insert(name) }
        items += finished.items
    }
}
