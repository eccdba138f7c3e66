extension ObjectPredicate {
    /// Returns an SQL condition, and appends its values to `values` in the order of their question marks.
    func sql(entity: EntityDescription, values: inout [AttributeValue]) throws(StoreError) -> String {
        var writer = ConditionWriter(entity: entity, values: values)
        let condition = try writer.write(self, level: 0)
        values = writer.values
        return condition.text
    }

    /// Returns the attributes on which the condition depends; nil if it is invalid.
    package func attributes(of entity: EntityDescription) -> Set<String>? {
        var writer = ConditionWriter(entity: entity, values: [])
        return (try? writer.write(self, level: 0)).map { _ in writer.names }
    }
}

extension ObjectPredicate {
    /// The part that has the same meaning as the whole, and adds no level; nil if there is none.
    fileprivate var onlyPart: ObjectPredicate? {
        switch self {
        case .not(.not(let part)): part
        case .and(let parts), .or(let parts): parts.count == 1 ? parts[0] : nil
        default: nil
        }
    }
}

/// Writes a predicate as SQL, within the limits of SQLite's parser.
private struct ConditionWriter {
    let entity: EntityDescription
    var values: [AttributeValue]
    private(set) var names: Set<String> = []
    private var size = PredicateSize()

    /// The longest pattern that LIKE and GLOB accept (sqlite.org/limits.html).
    private static let longestPattern = 50_000

    init(entity: EntityDescription, values: [AttributeValue]) {
        self.entity = entity
        self.values = values
    }

    mutating func write(_ predicate: ObjectPredicate, level: Int) throws(StoreError) -> SQLCondition {
        try PredicateSize.check(level: level)
        var predicate = predicate
        // In a loop, since a call for each of thousands would exhaust the stack.
        while let only = predicate.onlyPart {
            try size.count()
            predicate = only
        }
        switch predicate {
        case .compare(let name, let comparison, let value):
            try size.count()
            // Written as in an index of objects for which it is true or false; SQLite could not recognize it
            // with a parameter.
            if comparison == .notEqual || comparison == .equal, value == .integer(0) {
                return SQLCondition("\(try column(name)) \(comparison.sql) 0", height: 2)
            }
            try check(value, name)
            values.append(value)
            return SQLCondition(try "\(column(name)) \(comparison.sql) ?", height: 2)
        case .compareAttributes(let name, let comparison, let other):
            try size.count()
            return SQLCondition(try "\(column(name)) \(comparison.sql) \(column(other))", height: 2)
        case .contains(let name, let words):
            try size.count()
            return SQLCondition(try contains(column(name), words), height: 4, depth: 1)
        case .hasPrefix(let name, let prefix):
            try size.count(2)
            return SQLCondition(try hasPrefix(name, prefix), height: 3)
        case .matches(let name, let pattern):
            try size.count()
            return SQLCondition(try matches(name, pattern), height: 3, depth: 1)
        case .keys(let keys):
            try size.count()
            values.append(ObjectPredicate.parameter(keys))
            return keys.count == 1
                ? SQLCondition(ObjectPredicate.hasKey, height: 2)
                : SQLCondition(ObjectPredicate.hasOneOfKeys, height: 3, depth: 1)
        case .isOneOf(let name, let wanted):
            return try isOneOf(name, wanted, level)
        case .and(let parts): return try join(parts, " AND ", empty: "1", level)
        case .or(let parts): return try join(parts, " OR ", empty: "0", level)
        case .not(let part): return try write(part, level: level + 1).negated()
        }
    }

    private mutating func join(
        _ parts: [ObjectPredicate], _ separator: String, empty: String, _ level: Int
    ) throws(StoreError) -> SQLCondition {
        if parts.isEmpty { try size.count() }
        var conditions: [SQLCondition] = []
        for part in parts { conditions.append(try write(part, level: level + 1)) }
        return try .joined(conditions, separator, empty: empty)
    }

    /// Returns a condition for texts and integers as one parameter. Other values are compared one by one, as are texts
    /// with a NUL, at which SQLite's JSON functions end a text.
    private mutating func isOneOf(
        _ name: String, _ wanted: [AttributeValue], _ level: Int
    ) throws(StoreError) -> SQLCondition {
        let listed = wanted.filter(\.isExactInJSON)
        guard listed.count == wanted.count else {
            let others = wanted.filter { !$0.isExactInJSON }.map { ObjectPredicate.equal(name, $0) }
            return try write(.or([.isOneOf(name, listed)] + others), level: level)
        }
        try size.count()
        values.append(.text("[\(listed.compactMap(\.quotedJSON).joined(separator: ","))]"))
        return SQLCondition(try "\(column(name)) IN (SELECT value FROM json_each(?))", height: 3, depth: 1)
    }

    /// Checks that a value is not one that SQLite would replace by null.
    private func check(_ value: AttributeValue, _ name: String) throws(StoreError) {
        guard case .real(let real) = value, real.isNaN else { return }
        throw .invalidValue(
            attribute: name, entity: entity.name, reason: "it is compared with a value that is not a number")
    }

    /// Returns a condition for contained text. LIKE is several times faster than folding the case of every
    /// text, but its pattern has a maximum length.
    private mutating func contains(_ column: String, _ words: String) -> String {
        let pattern = "%" + Self.escapedPattern(words) + "%"
        guard pattern.utf8.count > Self.longestPattern else {
            values.append(.text(pattern))
            return "\(column) LIKE ? ESCAPE '\\'"
        }
        values.append(.text(words))
        return "instr(lower(\(column)), lower(?)) > 0"
    }

    /// Returns a condition for a range of texts, for which SQLite uses an index.
    private mutating func hasPrefix(_ name: String, _ prefix: String) throws(StoreError) -> String {
        let column = try column(name)
        values.append(.text(prefix))
        guard
            let end = TextRange.end(
                ofPrefix: prefix, ignoresCase: entity.attribute(name)?.ignoresCase ?? false)
        else { return "\(column) >= ?" }
        values.append(.text(end))
        return "\(column) >= ? AND \(column) < ?"
    }

    private mutating func matches(_ name: String, _ pattern: String) throws(StoreError) -> String {
        guard pattern.utf8.count <= Self.longestPattern else {
            throw .predicateTooComplex(reason: "a pattern is longer than \(Self.longestPattern) bytes")
        }
        let column = try column(name)
        values.append(.text(pattern))
        return entity.attribute(name)?.ignoresCase ?? false
            ? "lower(\(column)) GLOB lower(?)" : "\(column) GLOB ?"
    }

    private mutating func column(_ name: String) throws(StoreError) -> String {
        names.insert(name)
        guard entity.attribute(name) != nil || name == "id" || name == "version" else {
            throw .unknownAttribute(name, entity: entity.name)
        }
        return StoreSchema.qualified(name, of: entity)
    }

    private static func escapedPattern(_ words: String) -> String {
        var pattern = ""
        // Scalars, since a '%' and the accent after it are one Character.
        for scalar in words.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern
    }
}

extension ObjectPredicate.Comparison {
    /// The operator; `IS` compares null like any value.
    fileprivate var sql: String {
        switch self {
        case .equal: "IS"
        case .notEqual: "IS NOT"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension ObjectPredicate {
    static let hasKey = "id = ?"
    /// One text for any set of keys, so that the statement is prepared once.
    static let hasOneOfKeys = "id IN (SELECT value FROM json_each(?))"

    /// Returns the parameter of ``hasKey`` for one key, and of ``hasOneOfKeys`` for another number of them.
    static func parameter(_ keys: [Int64]) -> AttributeValue {
        keys.count == 1 ? .integer(keys[0]) : .text("[\(keys.map(String.init).joined(separator: ","))]")
    }
}

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
