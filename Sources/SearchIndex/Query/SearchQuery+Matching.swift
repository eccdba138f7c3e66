import CSearch

extension SearchQuery {
    /// Returns whether the query matches a document. This defines the correct results of the index.
    package func matches(_ document: SearchDocument) -> Bool {
        let folded = FoldedDocument(document)
        return clauses.allSatisfy { clause in clause.contains { $0.isTrue(of: folded) } }
    }
}

extension SearchQuery.Literal {
    fileprivate func isTrue(of document: FoldedDocument) -> Bool {
        let holds =
            switch condition {
            case .text(let text, let field): document.contains(text, in: field)
            case .flag(.starred): document.document.isStarred
            case .flag(.unread): document.document.isUnread
            case .flag(.read): !document.document.isUnread
            case .flag(.archived): document.document.isArchived
            case .flag(.dead): document.document.link == .dead
            case .flag(.moved): document.document.link == .moved
            case .flag(.unchecked): document.document.link == .unchecked
            case .time(.after, let period): document.document.created >= period.start
            case .time(.before, let period): document.document.created < period.start
            case .time(.on, let period):
                document.document.created >= period.start && document.document.created < period.end
            }
        return holds != isNegated
    }
}

/// A document whose texts are folded on first use.
final class FoldedDocument {
    let document: SearchDocument
    private(set) lazy var title = Folding.fold(document.title)
    private(set) lazy var tags = Folding.fold(document.tags)
    private(set) lazy var url = Folding.fold(SearchURL.searched(document.url))
    private(set) lazy var text = Folding.fold(document.text)
    private(set) lazy var note = Folding.fold(document.note)
    private lazy var unmarkedText = UnmarkedText(document.text).map { Folding.fold($0.text) }
    private lazy var unmarkedNote = UnmarkedText(document.note).map { Folding.fold($0.text) }
    private lazy var dividesText = UnmarkedText.divides(document.text)
    private lazy var dividesNote = UnmarkedText.divides(document.note)
    private(set) lazy var author = Folding.fold(document.author)
    private(set) lazy var site = Folding.fold(document.site)

    init(_ document: SearchDocument) { self.document = document }

    func contains(_ text: SearchText, in field: SearchField) -> Bool {
        switch field {
        case .anywhere:
            // The canonical form of a URL costs more than all other texts.
            text.isFound(in: title) || text.isFound(in: tags) || isInText(text) || isInNote(text)
                || text.isFound(in: url)
        case .heading: text.isFound(in: title) || text.isFound(in: tags)
        case .title: text.isFound(in: title)
        case .url: text.isFound(in: url)
        case .site: text.isSite(site)
        case .text: isInText(text)
        case .note: isInNote(text)
        case .tag: tags.split(separator: 44).contains { text.isName($0) }
        case .author: text.isName(author[...])
        }
    }

    private func isInText(_ text: SearchText) -> Bool {
        text.isFound(in: self.text)
            || (text.crossesMarks || dividesText) && unmarkedText.map(text.isFound) == true
    }

    private func isInNote(_ text: SearchText) -> Bool {
        text.isFound(in: note) || (text.crossesMarks || dividesNote) && unmarkedNote.map(text.isFound) == true
    }
}

extension SearchQuery {
    /// Whether a condition on tags admits a tag.
    package func names(tag: String) -> Bool {
        let folded = Folding.fold(tag)
        return clauses.joined().contains { literal in
            guard !literal.isNegated, case .text(let text, in: .tag) = literal.condition else { return false }
            return text.isName(folded[...])
        }
    }
}

extension SearchText {
    /// Returns whether a folded text contains this text at the required word boundaries.
    func isFound(in haystack: [UInt8]) -> Bool { !ranges(in: haystack, limit: 1).isEmpty }

    /// Whether the text has spaces or signs, where a document can have marks.
    var crossesMarks: Bool { folded.contains { ScalarKind(UInt32($0)) == .separator && $0 < 0x80 } }

    /// Returns whether a name matches: as a whole, or its beginning if this text ends with an asterisk.
    fileprivate func isName(_ name: ArraySlice<UInt8>) -> Bool {
        let name = Folding.trimmed(name)
        return isBeginning ? name.starts(with: folded) : name.elementsEqual(folded)
    }

    private var isBeginning: Bool { form == .prefix || form == .openPhrase }

    /// Returns whether a host has this label, or ends with these labels; those before an asterisk may be followed by others.
    fileprivate func isSite(_ host: [UInt8]) -> Bool {
        let dot = UInt8(ascii: ".")
        // `example` is a part of `example.org`, but `example.org` is no part of `example.org.uk`.
        let ends = [UInt8(ascii: ":")] + (folded.contains(dot) ? [] : [dot])
        return ranges(in: host, limit: .max).contains { range in
            (range.lowerBound == 0 || host[range.lowerBound - 1] == dot)
                && (isBeginning || range.upperBound == host.count || ends.contains(host[range.upperBound]))
        }
    }

    /// Returns the ranges of this text in a folded text.
    func ranges(in haystack: [UInt8], limit: Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        haystack.withUnsafeBufferPointer { text in
            folded.withUnsafeBufferPointer { needle in
                guard let base = text.baseAddress, let needleBase = needle.baseAddress else { return }
                var from = 0
                while found.count < limit {
                    let start = search_find(base, text.count, from, needleBase, needle.count)
                    guard start >= 0 else { return }
                    let range = start..<start + needle.count
                    if isBound(range, in: text) { found.append(range) }
                    from = start + 1
                }
            }
        }
        return found
    }

    private func isBound(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        (!isBoundAtStart || range.lowerBound == 0 || !Self.isInsideWord(text, at: range.lowerBound))
            && (!isBoundAtEnd || range.upperBound == text.count
                || !Self.isInsideWord(text, at: range.upperBound))
    }

    /// Returns whether the scalars on both sides of an index belong to one word.
    private static func isInsideWord(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        guard ScalarKind(UTF8.scalar(text, at: index).value) == .word else { return false }
        var before = index - 1
        while before > 0 && text[before] & 0xC0 == 0x80 { before -= 1 }
        return ScalarKind(UTF8.scalar(text, at: before).value) == .word
    }
}

extension SearchQuery {
    /// Returns the ranges of the matches in a text, in order and without overlaps.
    package func matches(
        in text: String, of field: SearchField, limit: Int = maxMatches
    ) -> [Range<String.Index>] {
        let wanted = texts(in: field)
        guard !wanted.isEmpty else { return [] }
        var all = Self.ranges(of: wanted, in: text, limit)
        let phrases = UnmarkedText.divides(text) ? wanted : wanted.filter(\.crossesMarks)
        if field == .text || field == .note, !phrases.isEmpty, let unmarked = UnmarkedText(text) {
            all += Self.ranges(of: phrases, in: unmarked.text, limit).map {
                unmarked.source($0.lowerBound)..<unmarked.source($0.upperBound - 1) + 1
            }
        }
        var found: [Range<Int>] = []
        for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let start = max(range.lowerBound, found.last?.upperBound ?? 0)
            if start < range.upperBound { found.append(start..<range.upperBound) }
        }
        func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }
        return found.map { index($0.lowerBound)..<index($0.upperBound) }
    }

    /// Returns the texts whose matches in a field are shown.
    func texts(in field: SearchField) -> [SearchText] {
        clauses.joined().compactMap { literal in
            guard !literal.isNegated, case .text(let text, let asked) = literal.condition,
                asked == .anywhere || asked == field || asked == .site && field == .url
            else { return nil }
            return text
        }
    }

    /// The matches of a word that are highlighted in one text.
    package static let maxMatches = 100

    /// Returns the ranges of texts in another text, in bytes.
    private static func ranges(of wanted: [SearchText], in text: String, _ limit: Int) -> [Range<Int>] {
        let (folded, origins) = Folding.foldWithOrigins(text)
        return wanted.flatMap { $0.ranges(in: folded, limit: limit) }.map {
            range(of: $0, origins, in: text)
        }
    }

    /// Returns the range in a text of a range in the folded text.
    static func range(of folded: Range<Int>, _ origins: [Int], in text: String) -> Range<Int> {
        // A letter that folds to two bytes or more is marked as a whole.
        let last = origins[folded.upperBound - 1]
        let end = origins[folded.upperBound...].first { $0 > last } ?? text.utf8.count
        return origins[folded.lowerBound]..<end
    }
}
