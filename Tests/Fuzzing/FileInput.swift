import ClipsCore
import ClipsExchange

/// Imported files, and lines that other programs send.
enum FileInput {
    static func broken(by bytes: [UInt8], _ format: ImportFormat?) -> String? {
        let whole = items(bytes, format, pieces: 1 << 16)
        // A short line needs a byte or two.
        if whole.count > bytes.count + 2 { return "there are more clips than bytes" }
        for item in whole {
            if case .success(let draft) = item, draft.isEmpty { return "a clip is empty" }
        }
        let pieces = bytes.count < 4096 ? [1, 7] : [997]
        for piece in pieces where items(bytes, format, pieces: piece) != whole {
            return "in pieces of \(piece), the clips differ"
        }
        return nil
    }

    static func broken(byLine bytes: [UInt8]) -> String? {
        var unread = UnreadFields()
        do {
            return try ClipLine(bytes, number: 1, &unread).draft.isEmpty ? "a clip is empty" : nil
        } catch {
            return error.description.isEmpty ? "the message is empty" : nil
        }
    }

    /// A damaged block is refused, and never has more bytes than declared or than its size allows.
    static func broken(byCompressed bytes: [UInt8]) -> String? {
        guard let contents = MozillaLZ4.decoded(bytes, limit: 1 << 20) else { return nil }
        return contents.count > min(1 << 20, 255 * bytes.count)
            ? "there are more bytes than the block has" : nil
    }

    /// A page has at most as much text as markup, and no control characters.
    static func broken(byPage bytes: [UInt8]) -> String? {
        guard let page = WebPage(bytes) else { return nil }
        let lines = page.text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let links = lines.reversed().prefix(while: isDefinition)
        let size = links.reduce(0) { $0 + $1.count + 1 }
        // One byte of another encoding may become three of UTF-8, and a list item has a mark.
        if page.text.utf8.count - size > 4 * bytes.count + 16 { return "there is more text than markup" }
        // An address repeats that of the page, and writes each byte of UTF-8 as three.
        if size > 9 * bytes.count + links.count * (9 * longestValue(in: bytes) + 16) {
            return "the addresses are longer than those of the markup"
        }
        return page.text.utf8.contains(0) || page.title.contains(where: \.isNewline)
            ? "the text is not clean" : nil
    }

    /// Whether a line is the address of a link: `[1]: https://example.org`.
    private static func isDefinition(_ line: Substring.UTF8View) -> Bool {
        guard line.first == UInt8(ascii: "[") else { return false }
        let rest = line.dropFirst().drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return rest.startIndex != line.index(after: line.startIndex) && rest.starts(with: "]: ".utf8)
    }

    /// Returns the size of the longest attribute, one of which may be the address of the page.
    private static func longestValue(in markup: [UInt8]) -> Int {
        // Of UTF-16, the second half of each letter of a mark is zero.
        let markup = markup.filter { $0 != 0 }
        let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
        return markup.indices.lazy.filter { markup[$0] == UInt8(ascii: "=") }.reduce(0) { longest, index in
            let value = markup[(index + 1)...].drop { $0 <= 0x20 }
            let isQuoted = value.first.map(quotes.contains) == true
            let end =
                isQuoted
                ? value.dropFirst().firstIndex(of: value[value.startIndex])
                : value.firstIndex { $0 <= 0x20 || $0 == UInt8(ascii: ">") }
            return max(longest, (end ?? value.endIndex) - value.startIndex)
        }
    }

    private enum Item: Equatable {
        case success(ClipDraft)
        case failure(String)
    }

    private static func items(_ bytes: [UInt8], _ format: ImportFormat?, pieces: Int) -> [Item] {
        var items: [Item] = []
        do {
            var clips = try ClipImport(ByteSource(bytes, pieces: pieces), fileName: "", format: format)
            while let item = try clips.next() {
                switch item {
                case .success(let draft): items.append(.success(draft))
                case .failure(let problem): items.append(.failure("\(problem)"))
                }
            }
        } catch {
            items.append(.failure(error.description))
        }
        return items
    }
}
