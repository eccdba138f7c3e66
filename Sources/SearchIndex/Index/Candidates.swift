/// The part of a query that the index can answer: an FTS5 expression for its words, and bounds on the
/// creation time.
struct Candidates {
    /// The FTS5 expression; nil if the index excludes nothing.
    private(set) var expression: String?
    /// Whether every result of the expression satisfies the query.
    private(set) var isExact = true
    /// Whether no document in the index can satisfy the query.
    private(set) var isImpossible = false
    private(set) var createdFrom = Int64.min
    private(set) var createdBefore = Int64.max

    /// With more words for a part, reading the newest objects fills the screen sooner.
    static let maxWords = 1000

    init(_ query: SearchQuery, _ vocabulary: Vocabulary) {
        var parts: [String] = []
        for clause in query.clauses {
            if clause.count == 1, applyTime(clause[0]) { continue }
            switch Self.expression(clause, vocabulary) {
            case .all: isExact = false
            case .none: isImpossible = true
            case .some(let text, let isExact):
                parts.append("(\(text))")
                if !isExact { self.isExact = false }
            }
        }
        expression = parts.isEmpty ? nil : parts.joined(separator: " AND ")
    }

    /// Whether the query has words that let the index exclude documents.
    static func needsWords(_ query: SearchQuery) -> Bool {
        query.clauses.contains { clause in
            clause.allSatisfy { literal in
                if case .text = literal.condition { !literal.isNegated } else { false }
            }
        }
    }

    private enum Part {
        case all
        case none
        case some(String, isExact: Bool)
    }

    private mutating func applyTime(_ literal: SearchQuery.Literal) -> Bool {
        guard case .time(let relation, let period) = literal.condition, !literal.isNegated else {
            return false
        }
        if relation != .before { createdFrom = max(createdFrom, period.start) }
        if relation == .before { createdBefore = min(createdBefore, period.start) }
        if relation == .on { createdBefore = min(createdBefore, period.end) }
        return true
    }

    private static func expression(_ clause: [SearchQuery.Literal], _ vocabulary: Vocabulary) -> Part {
        var texts: [String] = []
        var isExact = true
        for literal in clause {
            guard !literal.isNegated, case .text(let text, let field) = literal.condition else { return .all }
            switch expression(text, field, vocabulary) {
            case .all: return .all
            case .none: break
            case .some(let one, let isOneExact):
                texts.append(one)
                if !isOneExact { isExact = false }
            }
        }
        return texts.isEmpty ? .none : .some(texts.joined(separator: " OR "), isExact: isExact)
    }

    private static func expression(
        _ text: SearchText, _ field: SearchField, _ vocabulary: Vocabulary
    ) -> Part {
        var parts: [String] = []
        var runs: [Tokens.Run] = []
        text.folded.withUnsafeBufferPointer { Tokens.runs($0) { runs.append($0) } }
        // A phrase that can be a part of a longer run's token must be checked.
        let isPlain =
            text.form == .word || text.form == .prefix || text.form == .phrase && isShortWord(runs.first)
        var isWhole = runs.count == 1 && runs.first?.range == text.folded.indices && isPlain
        for run in runs {
            switch expression(run, in: text, vocabulary) {
            case .all: isWhole = false
            case .none: return .none
            case .some(let part, let isExact):
                parts.append(part)
                if !isExact { isWhole = false }
            }
        }
        guard !parts.isEmpty else { return .all }
        let all = parts.map { "(\($0))" }.joined(separator: " AND ")
        return .some("{\(field.columns)} : (\(all))", isExact: isWhole && field.isText)
    }

    private static func isShortWord(_ run: Tokens.Run?) -> Bool {
        run.map { $0.kind == .word && $0.starts.count <= Tokens.longestPart } ?? false
    }

    private static func expression(
        _ run: Tokens.Run, in text: SearchText, _ vocabulary: Vocabulary
    ) -> Part {
        let (folded, starts, range) = (text.folded, run.starts, run.range)
        func bytes(_ first: Int, _ count: Int) -> ArraySlice<UInt8> {
            folded[starts[first]..<(first + count < starts.count ? starts[first + count] : range.upperBound)]
        }
        guard run.kind == .word else {
            let tokens = starts.count == 1 ? [bytes(0, 1)] : starts.indices.dropLast().map { bytes($0, 2) }
            return .some(tokens.map(quoted).joined(separator: " AND "), isExact: starts.count <= 2)
        }
        let isBoundAtStart = range.lowerBound > 0 || text.isBoundAtStart
        let isBoundAtEnd = range.upperBound < folded.count || text.isBoundAtEnd
        if isBoundAtStart && isBoundAtEnd && starts.count <= Tokens.longestWord {
            return .some(quoted(folded[range]), isExact: true)
        }
        let part = bytes(0, min(starts.count, Tokens.longestPart))
        guard
            let words = vocabulary.words(
                containing: part, onlyAtStart: isBoundAtStart, limit: Self.maxWords)
        else { return .all }
        guard !words.isEmpty else { return .none }
        // The beginning of a token is that of a word, unless the token continues a longer run.
        let isExact =
            starts.count <= Tokens.longestPart
            && !(isBoundAtStart && words.contains(where: vocabulary.mayContinueRun))
        return .some(words.map { quoted($0[...]) }.joined(separator: " OR "), isExact: isExact)
    }

    /// Quotes a token. Tokens contain no quotes.
    private static func quoted(_ token: ArraySlice<UInt8>) -> String {
        "\"\(String(decoding: token, as: UTF8.self))\""
    }
}

extension SearchField {
    /// The columns of the index that contain this field.
    fileprivate var columns: String {
        switch self {
        case .anywhere: "title tags url text note"
        case .heading: "title tags"
        case .title: "title"
        case .tag: "tags"
        case .url, .site: "url"
        case .text: "text"
        case .note: "note"
        case .author: "author"
        }
    }

    /// Whether any part of the column is also a part of the field.
    fileprivate var isText: Bool { ![.tag, .site, .author].contains(self) }
}
