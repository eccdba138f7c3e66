import Platform

/// A text without the marks of links, code, and emphasis in Markdown, which phrases cross, and the backslashes before
/// signs.
///
/// `the [manual][2] says` and, as the reader shows it, `the manual [2] says` become `the manual says`.
package struct UnmarkedText {
    package let text: String
    /// The beginnings of the retained parts, in the text and in its source.
    private let parts: [(start: Int, source: Int)]

    private static let maxNumber = 5

    /// - Returns: nil if the text has no marks.
    package init?(_ source: String) {
        guard source.utf8.contains(where: "[*~\\`<".utf8.contains) else { return nil }
        let (bytes, parts) = Self.unmarked(Array(source.utf8)) { name, _ in Self.isNumber(name) }
        guard parts.count > 1 else { return nil }
        (text, self.parts) = (String(decoding: bytes, as: UTF8.self), parts)
    }

    /// Whether a name is that of a link in the list of a page.
    static func isNumber(_ name: ArraySlice<UInt8>) -> Bool {
        1...maxNumber ~= name.count && name.allSatisfy { 48...57 ~= $0 }
    }

    /// Returns a text without marks, and the beginnings of its parts.
    ///
    /// - Parameter hasAddresses: Whether the addresses of links remain.
    static func unmarked(
        _ bytes: [UInt8], hasAddresses: Bool = false,
        isName: (ArraySlice<UInt8>, InlineMark.Reference) -> Bool
    ) -> (bytes: [UInt8], parts: [(start: Int, source: Int)]) {
        var omitted: [(range: Range<Int>, address: Range<Int>?)] = []
        for mark in InlineMark.all(in: bytes, code: TextCode.all(in: bytes), isName: isName) {
            let (start, isLink) = (mark.opening.lowerBound, mark.kind == .link || mark.kind == .image)
            let address = isLink ? mark.isNamed ? 0..<0 : mark.target : nil
            if mark.isNumber(in: bytes) {
                let hasSpace = start > 0 && bytes[start - 1] == 0x20
                omitted.append(((hasSpace ? start - 1 : start)..<mark.closing.upperBound, 0..<0))
            } else {
                omitted += [(mark.opening, nil), (mark.closing, address)]
            }
        }
        var (result, parts, start) = ([UInt8](), [(start: 0, source: 0)], 0)
        for mark in omitted.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where mark.range.lowerBound >= start && !mark.range.isEmpty {
            result += bytes[start..<mark.range.lowerBound]
            start = mark.range.upperBound
            if hasAddresses, let address = mark.address { result += [0x20] + bytes[address] }
            // Words on both sides of a link remain two.
            if mark.address != nil, start < bytes.count, bytes[start].isOfWord, let last = result.last,
                last.isOfWord
            {
                parts.append((result.count, mark.range.lowerBound))
                result.append(0x20)
            }
            parts.append((result.count, start))
        }
        return (result + bytes[start...], parts)
    }

    /// Returns the offset in the source of an offset in the text.
    package func source(_ offset: Int) -> Int {
        let part = parts[max(0, parts.partitionPoint { $0.start > offset } - 1)]
        return part.source + offset - part.start
    }

    /// Returns the words of a text that emphasis divides, without its signs, so that they are found as words.
    static func dividedWords(of text: String) -> String {
        guard divides(text), let unmarked = UnmarkedText(text) else { return "" }
        let bytes = Array(unmarked.text.utf8)
        let words = unmarked.parts.dropFirst().compactMap { part -> Range<Int>? in
            let before = bytes[..<part.start].suffix(maxWord).reversed().prefix(while: \.isOfWord).count
            let after = bytes[part.start...].prefix(maxWord).prefix(while: \.isOfWord).count
            return before > 0 && after > 0 ? part.start - before..<part.start + after : nil
        }
        return words.map { " " + String(decoding: bytes[$0], as: UTF8.self) }.joined()
    }

    /// Whether signs of emphasis or code are within a word.
    static func divides(_ text: String) -> Bool {
        var (last, signs): (UInt8, Int) = (0x20, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "~") || byte == UInt8(ascii: "`") {
                signs += 1
            } else {
                if signs > 0, last.isOfWord, byte.isOfWord { return true }
                (last, signs) = (byte, 0)
            }
        }
        return false
    }

    /// The bytes of a divided word on each side, most of which are shorter.
    private static let maxWord = 200
}
