extension SearchQuery {
    /// The maximum length of a query in Unicode scalars, so that a pasted text costs no more than a typed one.
    package static let maxLength = 1000

    /// Creates a query from typed text. Never fails; ignores unfinished parts: a single minus, `tag:` without
    /// a value, and operators at the start or end. Ignores the text after ``maxLength``.
    package init(_ text: String, calendar: SearchCalendar = .local) {
        var parser = QueryParser(text, calendar: calendar)
        clauses = parser.clauses()
        problems = parser.problems
        hint = parser.hint
        // Printed, it may be longer, and is read again from there.
        var isCut = !text.unicodeScalars.dropFirst(Self.maxLength).isEmpty
        while description.unicodeScalars.count > Self.maxLength {
            clauses.removeLast()
            isCut = true
        }
        if isCut { problems.insert(Problem(word: "", isUnfinished: false, kind: .length), at: 0) }
    }
}

/// A parser of Unicode scalars: as characters, an accent after a quote or a space would combine with it.
private struct QueryParser {
    private typealias Scalars = Substring.UnicodeScalarView

    private var rest: Scalars
    private let calendar: SearchCalendar
    private(set) var problems: [SearchQuery.Problem] = []
    private(set) var hint: String?

    private enum Token {
        case or
        case literal(SearchQuery.Literal)
    }

    init(_ text: String, calendar: SearchCalendar) {
        rest = text[...].unicodeScalars.prefix(SearchQuery.maxLength)
        self.calendar = calendar
    }

    mutating func clauses() -> [[SearchQuery.Literal]] {
        var clauses: [[SearchQuery.Literal]] = []
        var joins = false
        while let token = next() {
            switch token {
            case .or: joins = true
            case .literal(let literal):
                if joins, !clauses.isEmpty {
                    clauses[clauses.count - 1].append(literal)
                } else {
                    clauses.append([literal])
                }
                joins = false
            }
        }
        // Each condition once: the time to test alternatives grows with the square of their number.
        return clauses.map(Self.unique).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func unique(_ clause: [SearchQuery.Literal]) -> [SearchQuery.Literal] {
        clause.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the next token; nil at the end. Skips words without meaning, and AND, which is the default.
    private mutating func next() -> Token? {
        var isDenied = false
        while true {
            rest = rest.drop { $0.properties.isWhitespace }
            guard !rest.isEmpty else { return nil }
            let hasMinus = rest.first == "-"
            if hasMinus { rest = rest.dropFirst() }
            let isNegated = isDenied || hasMinus
            if rest.first == "\"" {
                if let text = phrase() { return literal(isNegated, .text(text, in: .anywhere)) }
                noteEmpty("\"\"")
                continue
            }
            if let field = fieldWithQuote() {
                if let text = phrase() { return literal(isNegated, .text(text, in: field)) }
                noteEmpty("\(field.rawValue):\"\"")
                continue
            }
            let word = rest.prefix { !$0.properties.isWhitespace }
            rest = rest[word.endIndex...]
            switch hasMinus ? "" : Self.text(word) {
            case "OR": return .or
            case "AND": continue
            case "NOT":
                isDenied = true
                continue
            default: break
            }
            if hint == nil, word.first == "(" || word.last == ")" && !word.contains("(") {
                hint =
                    "Parentheses are searched as text. Write words one after another, and OR between alternatives."
            } else if hint == nil, word.first == "*", word.count > 1 {
                hint =
                    "An asterisk is for the beginning of a word, as in word*. Without it, a word matches anywhere."
            }
            if let condition = condition(word) { return literal(isNegated, condition) }
        }
    }

    private func literal(_ isNegated: Bool, _ condition: SearchQuery.Condition) -> Token {
        .literal(SearchQuery.Literal(isNegated: isNegated, condition: condition))
    }

    /// Returns the text between quotes, or from a quote to the end; nil if it is empty. See ``SearchQuery/quoted(_:)``.
    private mutating func phrase() -> SearchText? {
        rest = rest.dropFirst()
        var text = Scalars()
        var backslashes = 0
        var isOpen = true
        while isOpen, let scalar = rest.popFirst() {
            if scalar == "\"" {
                // Each pair of them is one; the last of an odd number makes the quote a part of the text.
                text.removeLast((backslashes + 1) / 2)
                if backslashes.isMultiple(of: 2) { isOpen = false } else { text.append(scalar) }
            } else {
                text.append(scalar)
            }
            backslashes = scalar == "\\" ? backslashes + 1 : 0
        }
        if isOpen, hint == nil {
            hint = "A quotation mark is not closed; all words after it are one phrase."
        }
        let search = SearchText(Self.text(text), isOpen ? .openPhrase : .phrase)
        return search.folded.isEmpty ? nil : search
    }

    /// Returns the field of `tag:"…` and moves `rest` to the quote.
    private mutating func fieldWithQuote() -> SearchField? {
        guard let (name, value) = Self.parts(rest), value.first == "\"",
            let field = SearchField.typed.first(where: { $0.rawValue == name })
        else { return nil }
        rest = value
        return field
    }

    private mutating func condition(_ word: Scalars) -> SearchQuery.Condition? {
        guard let (name, value) = Self.parts(word) else { return text(word, in: .anywhere) }
        if let field = SearchField.typed.first(where: { $0.rawValue == name }) {
            let condition = text(value, in: field)
            if condition == nil { noteEmpty(Self.text(word)) }
            return condition
        }
        if name == "is" {
            let wanted = Self.text(value).lowercased()
            if let flag = SearchQuery.Flag(rawValue: wanted) { return .flag(flag) }
            let isUnfinished = SearchQuery.Flag.allCases.contains { $0.rawValue.hasPrefix(wanted) }
            return problem(word, isUnfinished: isUnfinished, .flag)
        }
        if let relation = SearchQuery.TimeRelation(rawValue: name) {
            if let period = DayPeriod(Self.text(value), calendar: calendar) { return .time(relation, period) }
            return problem(word, isUnfinished: DayPeriod.mayBecome(Self.text(value)), .date)
        }
        note(name: name, value)
        return text(word, in: .anywhere)
    }

    /// Suggests a field for a name that is none.
    private mutating func note(name: String, _ value: Scalars) {
        guard hint == nil, !value.isEmpty, !Self.text(value).hasPrefix("//") else { return }
        let names =
            SearchField.typed.map(\.rawValue) + ["is"] + SearchQuery.TimeRelation.allCases.map(\.rawValue)
        let singular = name.hasSuffix("s") ? String(name.dropLast()) : name
        let list = names.map { $0 + ":" }
        hint =
            names.contains(singular)
            ? "'\(name):' is searched as text. Did you mean '\(singular):'?"
            : "'\(name):' is searched as text. The fields are \(list.dropLast().joined(separator: " ")) and \(list.last ?? "")."
    }

    private mutating func problem(
        _ word: Scalars, isUnfinished: Bool, _ kind: SearchQuery.Problem.Kind
    ) -> SearchQuery.Condition? {
        problems.append(SearchQuery.Problem(word: Self.text(word), isUnfinished: isUnfinished, kind: kind))
        return isUnfinished ? nil : text(word, in: .anywhere)
    }

    /// A word of a script whose variable is empty must not select more than was meant.
    private mutating func noteEmpty(_ word: String) {
        problems.append(SearchQuery.Problem(word: word, isUnfinished: true, kind: .empty))
    }

    private func text(_ word: Scalars, in field: SearchField) -> SearchQuery.Condition? {
        var core = word
        while core.last == "*" { core.removeLast() }
        let search = SearchText(Self.text(core), core.endIndex == word.endIndex ? .word : .prefix)
        return search.folded.isEmpty ? nil : .text(search, in: field)
    }

    private static func parts(_ word: Scalars) -> (name: String, value: Scalars)? {
        guard let colon = word.firstIndex(of: ":") else { return nil }
        let name = word[..<colon]
        guard name.count <= 8, name.allSatisfy(\.properties.isAlphabetic) else { return nil }
        return (text(name).lowercased(), word[word.index(after: colon)...])
    }

    private static func text(_ scalars: Scalars) -> String { String(scalars) }
}
