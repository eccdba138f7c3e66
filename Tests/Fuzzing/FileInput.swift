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
        do {
            let draft = try ClipDraft(jsonLine: bytes)
            return draft.isEmpty ? "a clip is empty" : nil
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
        // One byte of another encoding may become three of UTF-8, and a list item has a mark.
        // The addresses of links repeat that of the page.
        let links = page.text.utf8.count { $0 == UInt8(ascii: ":") } * 4096
        if page.text.utf8.count > 4 * bytes.count + 16 + min(links, 999 * 4096) {
            return "there is more text than markup"
        }
        return page.text.utf8.contains(0) || page.title.contains(where: \.isNewline)
            ? "the text is not clean" : nil
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
