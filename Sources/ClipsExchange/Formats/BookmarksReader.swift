import ClipsCore

/// Netscape's bookmark file, which all browsers still write, and any page with links.
struct BookmarksReader: FormatReader {
    private let source: UTF8Source
    private let tags = HTMLTags()
    private var outline = BookmarkOutline()
    private var isAtEnd = false
    private var given = 0

    /// Small enough that one piece of a hostile file does not take long.
    private static let pieceSize = 1 << 16

    init(_ source: UTF8Source) { self.source = source }

    mutating func next() throws(ImportError) -> ImportItem? {
        while given == outline.items.count {
            guard !isAtEnd else { return nil }
            outline.items.removeAll(keepingCapacity: true)
            given = 0
            try feed(try source.next())
        }
        given += 1
        return outline.items[given - 1]
    }

    private mutating func feed(_ bytes: [UInt8]?) throws(ImportError) {
        guard let bytes else {
            isAtEnd = true
            take(tags.feed(nil) ?? [])
            return outline.finish()
        }
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Self.pieceSize)
            // libxml2 takes a NUL for the end.
            let piece = bytes[start..<end].map { $0 == 0 ? 0x20 : $0 }
            guard let found = tags.feed(piece) else {
                throw ImportError("There is no memory to read on in the file.")
            }
            take(found)
            start = end
        }
    }

    private mutating func take(_ found: [(tag: HTMLTag, line: Int)]) {
        for (tag, line) in found { outline.take(tag, line: line) }
    }
}
