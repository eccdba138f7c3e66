extension SearchQuery {
    /// Returns the ranges of the matches in a text, in order and without overlaps.
    package func matches(in text: String, of field: SearchField) -> [Range<String.Index>] {
        let wanted = clauses.joined().compactMap { literal -> SearchText? in
            guard !literal.isNegated, case .text(let text, let asked) = literal.condition,
                asked == .anywhere || asked == field || asked == .site && field == .url
            else { return nil }
            return text
        }
        guard !wanted.isEmpty else { return [] }
        let (folded, origins) = Folding.foldWithOrigins(text)
        var found: [Range<Int>] = []
        for range in wanted.flatMap({ $0.ranges(in: folded, limit: 100) }).sorted(by: {
            $0.lowerBound < $1.lowerBound
        }) {
            // A letter that folds to two bytes or more is marked as a whole.
            let last = origins[range.upperBound - 1]
            let end = origins[range.upperBound...].first { $0 > last } ?? text.utf8.count
            let start = max(origins[range.lowerBound], found.last?.upperBound ?? 0)
            if start < end { found.append(start..<end) }
        }
        func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }
        return found.map { index($0.lowerBound)..<index($0.upperBound) }
    }

    /// Returns the part of a text around its first match, with the matches in it; nil if there is no match.
    package func excerpt(of text: String, in field: SearchField, length: Int) -> SearchExcerpt? {
        guard let first = matches(in: text, of: field).first else { return nil }
        let start =
            text.index(first.lowerBound, offsetBy: -length / 3, limitedBy: text.startIndex) ?? text.startIndex
        let end = text.index(start, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
        let part = (start > text.startIndex ? "…" : "") + text[start..<end] + (end < text.endIndex ? "…" : "")
        return SearchExcerpt(text: part, matches: matches(in: part, of: field))
    }
}

/// A part of a text and the matches in it.
package struct SearchExcerpt: Hashable, Sendable {
    package let text: String
    package let matches: [Range<String.Index>]
}
