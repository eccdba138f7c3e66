/// A condition as SQL, with its sizes in SQLite's parser.
struct SQLCondition {
    let text: String
    /// The height of the expression tree; SQLite's limit is 1,000 (sqlite.org/limits.html).
    let height: Int
    /// The depth of nested parentheses.
    let depth: Int

    private static let greatestHeight = 900
    /// The maximum number of conditions in a row; longer rows are grouped, which limits the height of the
    /// tree.
    private static let groupSize = 50

    init(_ text: String, height: Int, depth: Int = 0) {
        self.text = text
        self.height = height
        self.depth = depth
    }

    /// Creates a condition that contains others.
    ///
    /// - Throws: ``StoreError/predicateTooComplex(reason:)`` beyond the limits of the parser.
    private init(checked text: String, height: Int, depth: Int) throws(StoreError) {
        guard height <= Self.greatestHeight else { throw PredicateSize.isTooDeep }
        try PredicateSize.check(level: depth)
        self.init(text, height: height, depth: depth)
    }

    func negated() throws(StoreError) -> SQLCondition {
        try SQLCondition(checked: "NOT (\(text))", height: height + 1, depth: depth + 1)
    }

    /// Joins conditions; a single one without parentheses.
    static func joined(
        _ parts: [SQLCondition], _ separator: String, empty: String
    ) throws(StoreError) -> SQLCondition {
        guard parts.count != 1 else { return parts[0] }
        guard !parts.isEmpty else { return SQLCondition(empty, height: 1) }
        var conditions = parts
        while conditions.count > groupSize {
            var groups: [SQLCondition] = []
            for start in stride(from: 0, to: conditions.count, by: groupSize) {
                groups.append(
                    try row(conditions[start..<min(conditions.count, start + groupSize)], separator))
            }
            conditions = groups
        }
        return try row(conditions[...], separator)
    }

    private static func row(
        _ conditions: ArraySlice<SQLCondition>, _ separator: String
    ) throws(StoreError) -> SQLCondition {
        try SQLCondition(
            checked: conditions.map { "(\($0.text))" }.joined(separator: separator),
            height: (conditions.map(\.height).max() ?? 0) + conditions.count,
            depth: (conditions.map(\.depth).max() ?? 0) + 1)
    }
}

/// The parts of a predicate that were visited so far, which also bounds the recursion.
struct PredicateSize {
    private var parts = 0

    /// The parser's stack holds 100 symbols; a pair of parentheses uses up to three.
    private static let greatestDepth = 25
    private static let maxParts = 2000

    mutating func count(_ more: Int = 1) throws(StoreError) {
        parts += more
        guard parts <= Self.maxParts else {
            throw .predicateTooComplex(reason: "it has more than \(Self.maxParts) parts")
        }
    }

    static func check(level: Int) throws(StoreError) {
        guard level <= greatestDepth else { throw isTooDeep }
    }

    static let isTooDeep = StoreError.predicateTooComplex(
        reason: "it is nested more than \(greatestDepth) levels deep")
}

/// A predicate with parts that are predicates of the same type; a condition has none.
protocol NestedPredicate {
    var parts: [Self] { get }
}

extension NestedPredicate {
    /// Checks the limits of a predicate before it is evaluated recursively.
    ///
    /// - Parameter visit: A closure that checks one condition.
    func checkSize(_ visit: (Self) throws(StoreError) -> Void = { _ in }) throws(StoreError) {
        var size = PredicateSize()
        try checkSize(&size, level: 0, visit)
    }

    private func checkSize(
        _ size: inout PredicateSize, level: Int, _ visit: (Self) throws(StoreError) -> Void
    ) throws(StoreError) {
        try PredicateSize.check(level: level)
        let parts = parts
        if parts.isEmpty {
            try size.count()
            try visit(self)
        }
        for part in parts { try part.checkSize(&size, level: level + 1, visit) }
    }
}
