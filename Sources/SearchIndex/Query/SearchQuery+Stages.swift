extension SearchQuery {
    /// Queries of which each admits a part of the next one's results that ranks higher: whole words in title
    /// and tags, whole words, beginnings of words, and the query itself.
    package var stages: [SearchQuery] {
        let whole = replacingTexts { text, field in (field.isName ? text : SearchText(text, .phrase), field) }
        let headings = whole.replacingTexts { text, field in (text, field == .anywhere ? .heading : field) }
        let beginnings = replacingTexts { text, field in
            (text.form == .word && !field.isName ? SearchText(text, .prefix) : text, field)
        }
        let all = [headings, whole, beginnings, self]
        return all.indices.filter { $0 == 0 || all[$0] != all[$0 - 1] }.map { all[$0] }
    }

    /// The query for its words in the title; nil if none may be elsewhere.
    var inTitles: SearchQuery? {
        let titles = replacingTexts { text, field in (text, field == .heading ? .title : field) }
        return titles == self ? nil : titles
    }

    /// The texts that a result must have, and their fields.
    var texts: [(text: SearchText, field: SearchField)] {
        clauses.joined().compactMap { literal in
            guard !literal.isNegated, case .text(let text, let field) = literal.condition else { return nil }
            return (text, field)
        }
    }

    /// Whether the query has words, of which some results match better than others.
    package var hasWords: Bool { texts.contains { !$0.field.isName } }

    /// Returns the query with other texts, except negated ones.
    func replacingTexts(
        _ replacement: (SearchText, SearchField) -> (SearchText, SearchField)
    ) -> SearchQuery {
        var query = self
        query.clauses = clauses.map { clause in
            clause.map { literal in
                guard !literal.isNegated, case .text(let text, let field) = literal.condition else {
                    return literal
                }
                let (newText, newField) = replacement(text, field)
                return Literal(isNegated: false, condition: .text(newText, in: newField))
            }
        }
        return query
    }
}
