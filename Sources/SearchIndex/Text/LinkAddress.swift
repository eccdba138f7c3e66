import Platform

/// The addresses to which links lead.
package enum LinkAddress {
    /// The schemes of pages and files, which a browser shows.
    package static let pages: Set = ["https", "http", "file", "ftp"]
    /// The schemes that other programs open.
    package static let others: Set = [
        "geo", "gemini", "gopher", "irc", "ircs", "magnet", "mailto", "matrix", "news", "sms", "tel", "xmpp",
    ]

    /// Whether bytes begin with one of the schemes, or are a mail address.
    package static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool { hasScheme(bytes) || isMail(bytes) }

    package static func hasScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        let scheme = bytes.prefix(8).prefix(while: \.isASCIILetter)
        guard bytes.count > scheme.count + 1, bytes[scheme.endIndex] == UInt8(ascii: ":") else {
            return false
        }
        let name = String(decoding: scheme, as: UTF8.self).lowercased()
        return others.contains(name)
            || pages.contains(name) && bytes[scheme.endIndex...].starts(with: "://".utf8)
    }

    package static func isMail(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].dropFirst().contains(UInt8(ascii: "."))
            && bytes.allSatisfy { $0 > 0x20 && !":/[]()<>\",;\\".utf8.contains($0) }
    }

    /// Returns the target of a link: in angle brackets, if CommonMark would otherwise read another one, or none.
    package static func target(_ address: [UInt8]) -> [UInt8] {
        var depth = 0
        for byte in address where depth >= 0 {
            depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
        }
        return depth == 0 ? address : Array("<".utf8) + address + Array(">".utf8)
    }

    /// Returns the URLs in a text from an index on, which begin with a scheme and two slashes.
    ///
    /// - Parameter stops: The indexes at which a URL ends at the latest, in ascending order.
    package static func urls(in bytes: [UInt8], from start: Int = 0, stops: [Int] = []) -> [Range<Int>] {
        var (found, index, last, rest): ([Range<Int>], Int, Int, ArraySlice<Int>) = (
            [], start, start, stops[...]
        )
        while index + 2 < bytes.count {
            guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == UInt8(ascii: "/"),
                bytes[index + 2] == UInt8(ascii: "/"), let start = self.start(bytes, at: index, after: last)
            else {
                index += 1
                continue
            }
            while let stop = rest.first, stop <= start { rest.removeFirst() }
            let end = self.end(bytes, from: index + 3, upTo: max(index + 3, rest.first ?? bytes.count))
            index = max(end, index + 3)
            guard end > start + 8 else { continue }
            last = end
            found.append(start..<end)
        }
        return found
    }

    /// Returns the URLs in a text, which end at marks.
    package static func urls(in bytes: [UInt8], between marks: [InlineMark]) -> [Range<Int>] {
        let stops = marks.filter { $0.kind != .literal }.flatMap {
            [$0.opening.lowerBound, $0.closing.lowerBound, $0.closing.upperBound]
        }
        return urls(in: bytes, stops: stops.sorted())
    }

    private static let schemes = pages.map { Array($0.utf8) }
    /// The reader's mark of a quote, which is not in the text.
    private static let quote = Array("❞".utf8)

    /// Returns the start of the scheme that ends at an index.
    private static func start(_ bytes: [UInt8], at end: Int, after first: Int) -> Int? {
        let scheme = bytes[max(first, end - 6)..<end].reversed().prefix(while: \.isASCIILetter).reversed().map
        {
            $0 | 0x20
        }
        return schemes.contains(scheme) ? end - scheme.count : nil
    }

    /// Whether a quote, an ellipsis, or punctuation of a language without spaces begins at an index.
    private static func isSign(_ bytes: [UInt8], at index: Int) -> Bool {
        guard index + 1 < bytes.count else { return false }
        let (second, third) = (bytes[index + 1], index + 2 < bytes.count ? bytes[index + 2] : 0)
        return switch (bytes[index], second) {
        case (0xC2, 0xAB), (0xC2, 0xBB): true
        case (0xE2, 0x80): 0x98...0x9F ~= third || third == 0xA6 || third == 0xB9 || third == 0xBA
        // Three of them are letters.
        case (0xE3, 0x80): !(0x85...0x87 ~= third)
        case (0xEF, 0xBC): 0x81...0x8F ~= third || 0x9A...0xA0 ~= third || third >= 0xBB
        case (0xEF, 0xBD): third == 0x80 || 0x9B...0xA5 ~= third
        default: false
        }
    }

    /// Whether a text after an address does not belong to it.
    package static func endsAddress(_ bytes: [UInt8]) -> Bool {
        bytes.first.map { ".,;:!?)]}'\"<>`*".utf8.contains($0) } ?? true || isSign(bytes, at: 0)
    }

    /// Returns the address that the bytes of a link spell with backslashes.
    package static func string(of target: ArraySlice<UInt8>) -> String {
        var (bytes, index) = ([UInt8](), target.startIndex)
        while index < target.endIndex {
            let next = index + 1 < target.endIndex ? target[index + 1] : 0
            if target[index] == UInt8(ascii: "\\"), next.isPunctuation { index += 1 }
            bytes.append(target[index])
            index += target[index...].starts(with: "&amp;".utf8) ? 5 : 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a bracket ends the words of a link, of which a URL is the end.
    private static func isEnd(ofLink index: Int, _ url: ArraySlice<UInt8>) -> Bool {
        index + 1 < url.endIndex && "[(".utf8.contains(url[index + 1])
            && !url[..<index].contains(UInt8(ascii: "["))
    }

    /// Returns the end of a URL: at white space, a quote, an angle bracket, or the mark of a note, without closing
    /// punctuation.
    private static func end(_ bytes: [UInt8], from start: Int, upTo limit: Int) -> Int {
        var end = start
        while end < limit, bytes[end] > 0x20, bytes[end] != 0x7F, !"<>\"`".utf8.contains(bytes[end]),
            bytes[end] != UInt8(ascii: "[") || !bytes[end...].starts(with: "[^".utf8),
            bytes[end] < 0x80 || !bytes[end...].starts(with: quote) && !isSign(bytes, at: end),
            bytes[end] != UInt8(ascii: "]") || !isEnd(ofLink: end, bytes[start..<limit])
        {
            end += 1
        }
        while end > start {
            let last = bytes[end - 1]
            let opening: UInt8? =
                switch last {
                case UInt8(ascii: ")"): UInt8(ascii: "(")
                case UInt8(ascii: "]"): UInt8(ascii: "[")
                case UInt8(ascii: "}"): UInt8(ascii: "{")
                default: nil
                }
            if let opening {
                let part = bytes[start..<end]
                if part.count(where: { $0 == opening }) >= part.count(where: { $0 == last }) { break }
            } else if !".,;:!?'*_|([{\\".utf8.contains(last) {
                break
            }
            end -= 1
        }
        return end
    }
}
