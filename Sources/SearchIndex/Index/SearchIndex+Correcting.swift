package import PersistentStore
import Platform

/// Fuzzy matching, for a query without results.
extension SearchIndex {
    /// The number of clauses of a typed query; a longer one is pasted text, whose words would take seconds.
    private static let maxClauses = 16
    /// The number of close words of which the most common ones are selected.
    private static let maxCandidates = 12

    /// Returns a query with a close word of the index for each that no object has; nil if there are none, if
    /// each word has results, or if that query has none.
    package nonisolated func correction(
        of query: SearchQuery, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> SearchQuery? {
        guard query.clauses.count <= Self.maxClauses else { return nil }
        var corrected = query
        var isCorrected = false
        for (index, clause) in query.clauses.enumerated() {
            var literals: [SearchQuery.Literal] = []
            for literal in clause {
                let close = try closeLiterals(literal, in: snapshot)
                if !close.isEmpty { isCorrected = true }
                literals += (close.isEmpty ? [literal] : close).filter { !literals.contains($0) }
            }
            corrected.clauses[index] = literals
        }
        // Each word has clips; no clip may have all.
        let bounds = SearchBounds(limit: 1, maxRead: 10_000)
        guard isCorrected, try count(corrected, upTo: bounds, in: snapshot).count > 0 else { return nil }
        return corrected
    }

    private nonisolated func closeLiterals(
        _ literal: SearchQuery.Literal, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [SearchQuery.Literal] {
        guard !literal.isNegated, case .text(let text, let field) = literal.condition, text.hasOnlyWords,
            try uses(text, in: field, 1, snapshot) == (0, true)
        else { return [] }
        let parts = text.folded.split(separator: 32).map(Array.init)
        var ranked: [(text: SearchText, cost: Int, uses: Int)] = []
        for (word, cost) in try parts.count == 1
            ? closeWords(text.folded, snapshot) : [(closePhrase(parts, snapshot), 0)]
        where cost <= ranked.first?.cost ?? cost {
            let uses = try uses(SearchText(word, .phrase), in: field, 1000, snapshot).count
            let close = SearchText(word, parts.count == 1 ? .word : .phrase)
            if uses > 0 { ranked.append((close, cost, uses)) }
        }
        // The most common one of the closest words.
        let best = ranked.min { ($1.uses, $0.text.typed) < ($0.uses, $1.text.typed) }
        return best.map { [SearchQuery.Literal(isNegated: false, condition: .text($0.text, in: field))] }
            ?? []
    }

    private nonisolated func closePhrase(
        _ words: [[UInt8]], _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> String {
        var close: [String] = []
        for word in words {
            close.append(
                try closeWords(word, snapshot).first?.word ?? String(decoding: word, as: UTF8.self))
        }
        return close.joined(separator: " ")
    }

    private nonisolated func uses(
        _ text: SearchText, in field: SearchField, _ limit: Int, _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (count: Int, isAll: Bool) {
        try count(
            SearchQuery(text, in: field), upTo: SearchBounds(limit: limit, maxRead: 1000), in: snapshot)
    }

    /// Returns words that differ little from a word, closest first.
    private nonisolated func closeWords(
        _ word: [UInt8], _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [(word: String, cost: Int)] {
        try assumeIsolated { index in
            Result { () throws(StoreError) in
                try index.use(.reading) { connection, vocabulary in
                    guard let record = try IndexRecord(connection) else { return [] }
                    try vocabulary.refresh(edition: record.edition, from: connection)
                    return vocabulary.words(near: WordDistance(word), limit: Self.maxCandidates)
                } ?? []
            }
        }.get()
    }
}

extension SearchText {
    /// Whether the text consists of words and spaces.
    var hasOnlyWords: Bool {
        var count = folded.count { $0 == 32 }
        folded.withUnsafeBufferPointer { Tokens.runs($0) { if $0.kind == .word { count += $0.range.count } } }
        return count == folded.count
    }
}
