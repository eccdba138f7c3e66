import Platform

/// A search query: clauses that must all be true, each with literals of which one must be true.
///
/// Any text is a valid query. A word matches anywhere in the title, URL, tags, text, or note, ignoring case,
/// accents, width, hyphens, and apostrophes. `word*` matches only at the start of a word, and `"some words"`
/// only whole words. A URL matches its variants; see ``CanonicalURL``.
package struct SearchQuery: Hashable, Sendable {
    package struct Literal: Hashable, Sendable {
        package let isNegated: Bool
        package let condition: Condition
    }

    package indirect enum Condition: Hashable, Sendable {
        case text(SearchText, in: SearchField)
        case flag(Flag)
        case time(TimeRelation, DayPeriod)
    }

    package enum Flag: String, Hashable, Sendable, CaseIterable {
        case starred
        case unread
        case read
        case archived
        case dead
        case moved
        case unchecked
    }

    package enum TimeRelation: String, Hashable, Sendable, CaseIterable {
        /// At or after the start of the period.
        case after
        /// Before the start of the period.
        case before
        case on
    }

    package internal(set) var clauses: [[Literal]]

    /// Words with a known field and an unknown value. They match nothing; unfinished ones are ignored.
    package internal(set) var problems: [Problem] = []

    /// A sentence about the first word that is probably meant as an operator, for a query without results.
    package internal(set) var hint: String?

    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        package let word: String
        /// Whether more letters could complete the value.
        package let isUnfinished: Bool
        let kind: Kind

        enum Kind { case empty, flag, date, length }

        /// A sentence with the valid values.
        package var description: String {
            switch kind {
            case .empty: return "The condition '\(word)' has no value."
            case .length:
                return "The query is longer than \(maxLength.grouped) characters, after which it is not read."
            case .date:
                return "Unknown date '\(word)'. Use 2026-11-01, 2026-11, yesterday, monday, last-week, or 3d."
            case .flag:
                let flags = Flag.allCases.map { "is:\($0.rawValue)" }
                let meant = Suggestion.nearest(to: word, in: flags).map { "Did you mean '\($0)'? " } ?? ""
                return "Unknown field value '\(word)'. \(meant)Use \(flags.listed)."
            }
        }
    }

    /// Compares the clauses only; problems do not affect the results.
    package static func == (left: SearchQuery, right: SearchQuery) -> Bool { left.clauses == right.clauses }

    package func hash(into hasher: inout Hasher) { hasher.combine(clauses) }

    /// Whether the query contains words. The store evaluates the other conditions without the index.
    package var needsIndex: Bool {
        clauses.joined().contains { if case .text = $0.condition { true } else { false } }
    }

    /// Whether the query consists of words that must all occur, anywhere in a document.
    package var hasOnlyWords: Bool {
        clauses.allSatisfy { clause in
            guard clause.count == 1, case .text(_, .anywhere) = clause[0].condition else { return false }
            return !clause[0].isNegated
        }
    }

    /// The query without the conditions on names, such as that of the site.
    package var withoutNames: SearchQuery {
        var query = self
        query.clauses = clauses.map { clause in
            clause.filter { if case .text(_, let field) = $0.condition { !field.isName } else { true } }
        }.filter { !$0.isEmpty }
        return query
    }

    /// Returns the words of the query that a closure does not find, without the conditions on names.
    package func lacking(_ isFound: (SearchQuery) -> Bool) -> SearchQuery {
        var query = withoutNames
        query.clauses.removeAll { clause in
            var one = self
            one.clauses = [clause]
            let isText = clause.contains {
                if case .text = $0.condition { !$0.isNegated } else { false }
            }
            return !isText || isFound(one)
        }
        return query
    }

    /// Returns the query with one more condition.
    package func requiring(_ flag: Flag, isNegated: Bool = false) -> SearchQuery {
        var query = self
        query.clauses.append([Literal(isNegated: isNegated, condition: .flag(flag))])
        return query
    }

    /// Creates a query for a text as it is, without operators and fields.
    package init(literal text: String) {
        let words = SearchText(
            String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maxLength))), .word)
        clauses =
            words.folded.isEmpty ? [] : [[Literal(isNegated: false, condition: .text(words, in: .anywhere))]]
    }

    /// Whether the query admits everything.
    package var isEmpty: Bool { clauses.isEmpty }
}

/// A field to search.
package enum SearchField: String, Hashable, Sendable, CaseIterable {
    case anywhere
    /// Title and tags, which rank first.
    case heading
    case title
    case tag
    case url
    /// The host of the URL.
    case site
    case text
    case note
    case author

    /// The fields that a user can type before a colon.
    static let typed: [SearchField] = [.title, .tag, .url, .site, .text, .note, .author]

    /// Whether a word matches whole values of the field only.
    var isName: Bool { [.tag, .site, .author].contains(self) }
}

/// A text to search for, and its relation to word boundaries.
package struct SearchText: Hashable, Sendable {
    package enum Form: Hashable, Sendable {
        case word
        case prefix
        case phrase
        /// A phrase whose closing quote has not been typed yet.
        case openPhrase
    }

    package let typed: String
    package let form: Form
    /// The text after folding, for comparisons.
    let folded: [UInt8]

    init(_ typed: String, _ form: Form) {
        self.typed = typed
        self.form = form
        let isQuoted = form == .phrase || form == .openPhrase
        var folded = Folding.fold(isQuoted ? SearchURL.decoded(typed) : SearchURL.typed(typed))
        while folded.first == 32 { folded.removeFirst() }
        while folded.last == 32 { folded.removeLast() }
        self.folded = folded
    }

    /// Creates the same text with another relation to word boundaries.
    init(_ text: SearchText, _ form: Form) { (typed, self.form, folded) = (text.typed, form, text.folded) }

    /// Whether a word must begin at the start of the text.
    var isBoundAtStart: Bool { form != .word }
    /// Whether a word must end at the end of the text.
    var isBoundAtEnd: Bool { form == .phrase }
}

extension SearchQuery {
    /// Returns a text in quotes, as one phrase: a backslash is before each quote of the text, and one more before each
    /// backslash that precedes a quote.
    package static func quoted(_ text: String) -> String {
        let end = text.unicodeScalars.reversed().prefix { $0 == "\\" }.count
        return "\"" + escaped(text) + String(repeating: "\\", count: end) + "\""
    }

    fileprivate static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var backslashes = 0
        for scalar in text.unicodeScalars {
            if scalar == "\"" {
                for _ in 0...backslashes { result.append("\\") }
            }
            backslashes = scalar == "\\" ? backslashes + 1 : 0
            result.append(scalar)
        }
        return String(result)
    }
}

extension SearchQuery: CustomStringConvertible {
    /// The text of the query; parsing it creates an equal query.
    package var description: String {
        clauses.map { $0.map(\.description).joined(separator: " OR ") }.joined(separator: " ")
    }
}

extension SearchQuery.Literal: CustomStringConvertible {
    package var description: String {
        let sign = isNegated ? "-" : ""
        switch condition {
        case .text(let text, .anywhere): return sign + text.description
        case .text(let text, let field): return "\(sign)\(field.rawValue):\(text)"
        case .flag(let flag): return "\(sign)is:\(flag.rawValue)"
        case .time(let relation, let period): return "\(sign)\(relation.rawValue):\(period.typed)"
        }
    }
}

extension SearchText: CustomStringConvertible {
    package var description: String {
        switch form {
        case .word: typed
        case .prefix: typed + "*"
        case .phrase: SearchQuery.quoted(typed)
        // No quote follows backslashes at the end.
        case .openPhrase: "\"" + SearchQuery.escaped(typed)
        }
    }
}
