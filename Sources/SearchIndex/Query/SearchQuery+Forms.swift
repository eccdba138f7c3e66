extension SearchQuery {
    /// The shortest word of which other forms match.
    private static let minForm = 3

    /// Returns the ranges of the words with the stem of a searched word, which match like it; none for other texts.
    ///
    /// - Complexity: O(*n*).
    func forms(in text: String, of field: SearchField, limit: Int = maxMatches) -> [Range<String.Index>] {
        let words = texts(in: field).filter { $0.form == .word && !$0.folded.contains(32) }.map(\.folded)
            .filter { $0.count >= Self.minForm }
        guard !words.isEmpty else { return [] }
        let stems = WordStems()
        let wanted = words.map { word in
            let own = stems.stems(of: word)
            // A stem may end with another letter than its words.
            return (beginning: word.prefix(max(2, (own.map(\.count).min() ?? 0) - 1)), stems: own)
        }
        let (folded, origins) = Folding.foldWithOrigins(text)
        var found: [Range<String.Index>] = []
        folded.withUnsafeBufferPointer { all in
            guard let start = all.baseAddress else { return }
            Tokens.forEach(all) { token, isWord in
                guard found.count < limit, isWord, let first = token.baseAddress,
                    wanted.contains(where: { token.starts(with: $0.beginning) })
                else { return }
                let own = stems.stems(of: Array(token))
                guard wanted.contains(where: { zip($0.stems, own).contains { $0 == $1 } }) else { return }
                let range = Self.range(of: first - start..<first - start + token.count, origins, in: text)
                func index(_ offset: Int) -> String.Index {
                    text.utf8.index(text.startIndex, offsetBy: offset)
                }
                found.append(index(range.lowerBound)..<index(range.upperBound))
            }
        }
        return found
    }
}
