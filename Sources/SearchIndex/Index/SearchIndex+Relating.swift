package import PersistentStore
import SQLite

/// Other forms and spellings of words, for the results below those with the words themselves.
extension SearchIndex {
    /// Returns queries of which each also admits other forms of the words, and their spellings in one word or two: the
    /// closest forms, such as the plural or the singular, and all; none if the index has none of them.
    package nonisolated func related(
        to query: SearchQuery, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [SearchQuery] {
        guard query.clauses.joined().contains(where: { $0.relatable != nil }) else { return [] }
        return try assumeIsolated { index in
            Result { () throws(StoreError) in
                try index.use(.reading) { connection, vocabulary -> [SearchQuery] in
                    guard let record = try IndexRecord(connection) else { return [] }
                    try vocabulary.refresh(edition: record.edition, from: connection)
                    let stems = WordStems()
                    var (close, all) = (query, query)
                    for (index, clause) in query.clauses.enumerated() {
                        for literal in clause {
                            let found = literal.alternatives(in: vocabulary, stems)
                            close.clauses[index] += found.close
                            all.clauses[index] += found.close + found.others
                        }
                    }
                    return [close, all].filter { $0 != query }.reduce(into: []) { known, next in
                        if known.last != next { known.append(next) }
                    }
                } ?? []
            }
        }.get()
    }
}

extension SearchQuery.Literal {
    /// The fields whose words have other forms; names, such as those of tags, have none.
    private static let fields: Set<SearchField> = [.anywhere, .heading, .title, .text, .note]

    /// The text whose alternatives are searched, and its field.
    fileprivate var relatable: (text: SearchText, field: SearchField)? {
        guard !isNegated, case .text(let text, let field) = condition, Self.fields.contains(field),
            text.form == .word, text.hasOnlyWords
        else { return nil }
        return (text, field)
    }

    fileprivate func alternatives(
        in vocabulary: Vocabulary, _ stems: borrowing WordStems
    ) -> (close: [SearchQuery.Literal], others: [SearchQuery.Literal]) {
        guard let (text, field) = relatable else { return ([], []) }
        func literals(_ words: some Sequence<[UInt8]>) -> [SearchQuery.Literal] {
            words.map {
                let text = SearchText(String(decoding: $0, as: UTF8.self), .phrase)
                return SearchQuery.Literal(isNegated: false, condition: .text(text, in: field))
            }
        }
        let parts = text.folded.split(separator: 32).map(Array.init)
        guard parts.count == 1 else { return (literals(vocabulary.joined(parts)), []) }
        let forms = vocabulary.forms(of: text.folded, stems)
        let close = forms.prefix { $0.difference == forms.first?.difference }
        return (
            literals(close.map(\.word) + vocabulary.splits(of: text.folded)),
            literals(forms[close.endIndex...].map(\.word))
        )
    }
}

extension Vocabulary {
    private static let maxForms = 12
    private static let maxCandidates = 5000
    private static let minPart = 3

    /// Returns the words with a stem of a word, except those that contain the word and are found anyway: first those
    /// that differ from it in the fewest letters at the end, then the shortest.
    fileprivate func forms(
        of word: [UInt8], _ stems: borrowing WordStems
    ) -> [(difference: Int, word: [UInt8])] {
        guard word.count >= Self.minPart else { return [] }
        let wanted = stems.stems(of: word)
        // A stem may end with another letter than its words: libraries, librari, library.
        let length = max(2, (wanted.map(\.count).min() ?? 0) - 1)
        let beginning = word.prefix(length)
        guard
            let candidates = words(containing: beginning, onlyAtStart: true, limit: Self.maxCandidates)
                ?? words(containing: word.prefix(length + 1), onlyAtStart: true, limit: Self.maxCandidates)
        else { return [] }
        var forms: [(difference: Int, word: [UInt8])] = []
        for candidate in candidates where !candidate.contains(word) {
            if zip(wanted, stems.stems(of: candidate)).contains(where: { $0 == $1 }) {
                let shared = zip(word, candidate).prefix { $0 == $1 }.count
                forms.append((word.count + candidate.count - 2 * shared, candidate))
            }
        }
        forms.sort { one, other in
            let texts = [one, other].map { String(decoding: $0.word, as: UTF8.self) }
            return (one.difference, one.word.count, texts[0]) < (other.difference, other.word.count, texts[1])
        }
        return Array(forms.prefix(Self.maxForms))
    }

    /// Returns the two words that a word consists of, as a phrase, for each position between them.
    fileprivate func splits(of word: [UInt8]) -> [[UInt8]] {
        let starts = word.indices.filter { word[$0] & 0xC0 != 0x80 }.dropFirst(Self.minPart).dropLast(
            Self.minPart - 1)
        return starts.compactMap { start in
            let (first, second) = (word[..<start], word[start...])
            return contains(first) && contains(second) ? Array(first) + [32] + second : nil
        }
    }

    /// Returns the parts of a word with hyphens as one word.
    fileprivate func joined(_ parts: [[UInt8]]) -> [[UInt8]] {
        let word = Array(parts.joined())
        return contains(word[...]) ? [word] : []
    }
}
