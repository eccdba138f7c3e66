import ClipsCore

/// A reader of Netscape's bookmark files, which all browsers write, and of any page with links.
struct BookmarksReader: FormatReader {
    private let source: UTF8Source
    private var tokenizer: MarkupTokenizer
    private var outline = BookmarkOutline()
    private var isAtEnd = false
    private var given = 0

    let form = "HTML bookmarks"
    var unread: UnreadFields { outline.unread }

    init(_ source: UTF8Source) {
        self.source = source
        tokenizer = MarkupTokenizer(.html, limits: source.limits)
    }

    mutating func next() throws(ImportError) -> ImportItem? {
        while given == outline.items.count {
            guard !isAtEnd else { return nil }
            outline.items.removeAll(keepingCapacity: true)
            given = 0
            if let bytes = try source.next() {
                tokenizer.feed(bytes.map { $0 == 0 ? 0x20 : $0 })
            } else {
                isAtEnd = true
                tokenizer.finish()
            }
            for (token, line) in tokenizer.tokens { outline.handle(token, line: line) }
            tokenizer.removeTokens()
            if isAtEnd { outline.finish(isCut: tokenizer.isInsideMarkup, line: tokenizer.currentLine) }
        }
        given += 1
        return outline.items[given - 1]
    }
}
