/// What a person looks for: clauses that must all hold, each of literals of which one must.
///
/// Any text is a query. A word is found anywhere in a clip's title, address, tags, text, note or author, without
/// regard to case, accents and width; `word*` only where a word begins; `"some words"` as whole words.
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
    }

    package enum TimeRelation: String, Hashable, Sendable, CaseIterable {
        /// From the beginning of the period on.
        case after
        /// Until the period begins.
        case before
        case on
    }

    package internal(set) var clauses: [[Literal]]

    /// Words whose field is known and whose value is not; they find nothing, or are left out while unfinished.
    package internal(set) var problems: [Problem] = []

    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        package let word: String
        /// More letters could make it a value.
        package let isUnfinished: Bool
        let isDate: Bool

        /// A sentence that says what may be typed.
        package var description: String {
            let flags = Flag.allCases.map { "is:\($0.rawValue)" }
            return isDate
                ? "Unknown date '\(word)'. Use 2026-11-01, 2026-11, yesterday, monday, last-week, or 3d."
                : "Unknown field value '\(word)'. Use \(flags.dropLast().joined(separator: ", ")), or \(flags.last ?? "")."
        }
    }

    /// By what is asked alone: a word without meaning asks nothing.
    package static func == (left: SearchQuery, right: SearchQuery) -> Bool { left.clauses == right.clauses }

    package func hash(into hasher: inout Hasher) { hasher.combine(clauses) }

    /// Whether it looks for words; stars, times and the like the store tells without the index.
    package var needsIndex: Bool {
        clauses.joined().contains { if case .text = $0.condition { true } else { false } }
    }

    /// Admits everything.
    package var isEmpty: Bool { clauses.isEmpty }
}

/// Where a text is looked for.
package enum SearchField: String, Hashable, Sendable, CaseIterable {
    case anywhere
    /// Title and tags: what ranks first.
    case heading
    case title
    case tag
    case url
    /// The host of the address.
    case site
    case text
    case note
    case author

    /// What is typed before the colon.
    static let typed: [SearchField] = [.title, .tag, .url, .site, .text, .note, .author]
}

/// A text that is looked for, and how it must stand in what it is found in.
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
    /// As it is compared.
    let folded: [UInt8]

    init(_ typed: String, _ form: Form) {
        self.typed = typed
        self.form = form
        var folded = Folding.fold(typed)
        if form == .phrase || form == .openPhrase {
            while folded.first == 32 { folded.removeFirst() }
            while folded.last == 32 { folded.removeLast() }
        }
        self.folded = folded
    }

    /// Whether a word must begin, and end, where the text does.
    var isBoundAtStart: Bool { form != .word }
    var isBoundAtEnd: Bool { form == .phrase }
}

extension SearchQuery: CustomStringConvertible {
    /// Typed again, it gives the same query.
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
        case .phrase: "\"\(typed)\""
        case .openPhrase: "\"\(typed)"
        }
    }
}
