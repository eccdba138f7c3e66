extension SearchQuery {
    /// The characters before an excerpt that are not omitted alone.
    private static let maxOmitted = 8
    /// The bytes of a text that are searched at a time, and those that two parts share.
    private static let partSize = 1 << 18
    private static let overlap = 1 << 12

    /// Returns the whole words around the first match in a text with marks of Markdown, as it is read, with the matches
    /// in them; nil if there is no match.
    ///
    /// Addresses of links and marks are only in the excerpt if the match is in them.
    ///
    /// - Parameter hasForms: Whether other forms of the words match instead of these.
    package func readExcerpt(
        of text: String, in field: SearchField, length: Int, hasForms: Bool = false
    ) -> SearchExcerpt? {
        let wanted = texts(in: field)
        guard !wanted.isEmpty else { return nil }
        if hasForms {
            let part = Self.part(of: text) { !forms(in: $0, of: field, limit: 1).isEmpty }
            return part.flatMap {
                excerpt(of: ReadText.line($0), in: field, length: length, hasForms: true)
            }
        }
        guard let part = Self.part(of: text, where: { Self.isFound(wanted, in: $0) }) else { return nil }
        return excerpt(of: ReadText.line(part), in: field, length: length)
            ?? excerpt(of: ReadText.line(part, hasAddresses: true), in: field, length: length)
            ?? excerpt(of: Self.oneLine(part), in: field, length: length)
    }

    private static func isFound(_ wanted: [SearchText], in part: String) -> Bool {
        let folded = Folding.fold(part)
        let unmarked =
            wanted.contains(where: \.crossesMarks) || UnmarkedText.divides(part)
            ? UnmarkedText(part).map { $0.text } : nil
        let others = unmarked.map { Folding.fold($0) } ?? []
        return wanted.contains { $0.isFound(in: folded) || $0.isFound(in: others) }
    }

    /// Returns the first part of a long text with a match, from its beginning or that of a line on.
    private static func part(of text: String, where hasMatch: (String) -> Bool) -> String? {
        guard text.utf8.count > partSize else { return text }
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + partSize)
            let part = String(decoding: bytes[start..<end], as: UTF8.self)
            if hasMatch(part) { return part }
            guard end < bytes.count else { return nil }
            let line = bytes[(end - overlap)..<end].firstIndex(of: UInt8(ascii: "\n"))
            start = line.map { $0 + 1 } ?? end - overlap
        }
        return nil
    }

    package static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Returns the whole words around the first match in a text, with the matches in them; nil if there is no match.
    ///
    /// A match is whole, also one that is longer than the length.
    ///
    /// - Parameter hasForms: Whether other forms of the words match instead of these.
    package func excerpt(
        of text: String, in field: SearchField, length: Int, hasForms: Bool = false
    ) -> SearchExcerpt? {
        func found(in text: String, limit: Int = Self.maxMatches) -> [Range<String.Index>] {
            hasForms ? forms(in: text, of: field, limit: limit) : matches(in: text, of: field, limit: limit)
        }
        guard let first = found(in: text, limit: 1).first else { return nil }
        var start =
            text.index(first.lowerBound, offsetBy: -length / 3, limitedBy: text.startIndex) ?? text.startIndex
        // The end of a text leaves room for more before the match.
        let last = text.index(text.endIndex, offsetBy: -length, limitedBy: text.startIndex) ?? text.startIndex
        start = min(start, last)
        if start > text.startIndex, !text[text.index(before: start)].isWhitespace {
            let fitting =
                text.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
            if let space = text[start..<first.lowerBound].firstIndex(where: \.isWhitespace) {
                start = text.index(after: space)
            } else if first.upperBound <= fitting,
                text.distance(from: text.startIndex, to: start) <= Self.maxOmitted
            {
                // Instead of an ellipsis for a few characters, such as a scheme.
                start = text.startIndex
            }
        }
        var end = text.index(start, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
        if end < first.upperBound {
            (start, end) = (first.lowerBound, first.upperBound)
        } else if end < text.endIndex, !text[end].isWhitespace,
            let space = text[first.upperBound..<end].lastIndex(where: \.isWhitespace)
        {
            end = space
        }
        let part = (start > text.startIndex ? "…" : "") + text[start..<end] + (end < text.endIndex ? "…" : "")
        return SearchExcerpt(text: part, matches: found(in: part))
    }
}

/// A part of a text and the matches in it.
package struct SearchExcerpt: Hashable, Sendable {
    package let text: String
    package let matches: [Range<String.Index>]
}
