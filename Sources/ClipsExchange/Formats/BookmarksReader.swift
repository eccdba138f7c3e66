import ClipsCore

/// A reader of Netscape's bookmark files, which all browsers write, and of any page with links.
struct BookmarksReader: FormatReader {
    private let source: UTF8Source
    private var tokenizer: MarkupTokenizer
    private var outline = BookmarkOutline()

    let form = "HTML bookmarks"
    var unread: UnreadFields { outline.unread }
    var items: [ImportItem] {
        get { outline.items }
        set { outline.items = newValue }
    }

    init(_ source: UTF8Source) {
        self.source = source
        tokenizer = MarkupTokenizer(.html, limits: source.limits)
    }

    mutating func read() throws(ImportError) -> Bool {
        let bytes = try source.next()
        if let bytes { tokenizer.feed(bytes.map { $0 == 0 ? 0x20 : $0 }) } else { tokenizer.finish() }
        for (token, line) in tokenizer.tokens { outline.handle(token, line: line) }
        tokenizer.removeTokens()
        if bytes == nil { outline.finish(isCut: tokenizer.isInsideMarkup, line: tokenizer.currentLine) }
        return bytes != nil
    }
}
