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

/// Writes a predicate as SQL, within the limits of SQLite's parser.
private struct ConditionWriter {
    struct Condition {
        let text: String
        /// The height of the expression tree; SQLite's limit is 1,000 (sqlite.org/limits.html).
        let height: Int
        /// The depth of nested parentheses.
        let depth: Int
    }

    let entity: EntityDescription
    var values: [AttributeValue]
    private(set) var names: Set<String> = []
    private var parts = 0

    private static let greatestHeight = 900
    /// The parser's stack holds 100 symbols; a pair of parentheses uses up to three.
    private static let greatestDepth = 25
    private static let maxParts = 2000
    /// The maximum number of conditions in a row; longer rows are grouped, which limits the height of the
    /// tree.
    private static let groupSize = 50
    /// The longest pattern that LIKE and GLOB accept (sqlite.org/limits.html).
    private static let longestPattern = 50_000

    init(entity: EntityDescription, values: [AttributeValue]) {
        self.entity = entity
        self.values = values
    }

    mutating func write(_ predicate: ObjectPredicate, level: Int) throws(StoreError) -> Condition {
        guard level <= Self.greatestDepth else { throw Self.isTooDeep }
        switch predicate {
        case .compare(let name, let comparison, let value):
            try count(1)
            // Written as in an index of objects for which it is true or false; SQLite could not recognize it
            // with a parameter.
            if comparison == .notEqual || comparison == .equal, value == .integer(0) {
                return Condition(text: "\(try column(name)) \(comparison.rawValue) 0", height: 2, depth: 0)
            }
            values.append(value)
            return Condition(text: try "\(column(name)) \(comparison.rawValue) ?", height: 2, depth: 0)
        case .contains(let name, let words):
            try count(1)
            return Condition(text: try contains(column(name), words), height: 4, depth: 1)
        case .hasPrefix(let name, let prefix):
            try count(2)
            return Condition(text: try hasPrefix(name, prefix), height: 3, depth: 0)
        case .matches(let name, let pattern):
            try count(1)
            return Condition(text: try matches(name, pattern), height: 3, depth: 1)
        case .keys(let keys) where keys.count == 1:
            values.append(.integer(keys[0]))
            return Condition(text: "id = ?", height: 2, depth: 0)
        case .keys(let keys):
            // One text for any set of keys, so that the statement is prepared once.
            values.append(.text("[\(keys.map(String.init).joined(separator: ","))]"))
            return Condition(text: "id IN (SELECT value FROM json_each(?))", height: 3, depth: 1)
        case .isOneOf(let name, let wanted):
            values.append(.text("[\(wanted.compactMap(\.quotedJSON).joined(separator: ","))]"))
            let text = try "\(column(name)) IN (SELECT value FROM json_each(?))"
            return Condition(text: text, height: 3, depth: 1)
        case .and(let parts): return try join(parts, " AND ", empty: "1", level)
        case .or(let parts): return try join(parts, " OR ", empty: "0", level)
        case .not(.not(let part)): return try write(part, level: level)
        case .not(let part):
            let condition = try write(part, level: level + 1)
            return try checked(
                "NOT (\(condition.text))", height: condition.height + 1, depth: condition.depth + 1)
        }
    }

    private mutating func count(_ more: Int) throws(StoreError) {
        parts += more
        guard parts <= Self.maxParts else {
            throw .predicateTooComplex(reason: "it has more than \(Self.maxParts) parts")
        }
    }

    private static let isTooDeep = StoreError.predicateTooComplex(
        reason: "it is nested more than \(greatestDepth) levels deep")

    private func checked(_ text: String, height: Int, depth: Int) throws(StoreError) -> Condition {
        guard height <= Self.greatestHeight, depth <= Self.greatestDepth else { throw Self.isTooDeep }
        return Condition(text: text, height: height, depth: depth)
    }

    private mutating func join(
        _ parts: [ObjectPredicate], _ separator: String, empty: String, _ level: Int
    ) throws(StoreError) -> Condition {
        guard parts.count != 1 else { return try write(parts[0], level: level) }
        var conditions: [Condition] = []
        for part in parts { conditions.append(try write(part, level: level + 1)) }
        while conditions.count > Self.groupSize {
            var groups: [Condition] = []
            for start in stride(from: 0, to: conditions.count, by: Self.groupSize) {
                groups.append(
                    try row(conditions[start..<min(conditions.count, start + Self.groupSize)], separator))
            }
            conditions = groups
        }
        return conditions.isEmpty
            ? Condition(text: empty, height: 1, depth: 0) : try row(conditions[...], separator)
    }

    private func row(_ conditions: ArraySlice<Condition>, _ separator: String) throws(StoreError) -> Condition
    {
        let texts = conditions.map { "(\($0.text))" }
        return try checked(
            texts.joined(separator: separator),
            height: (conditions.map(\.height).max() ?? 0) + conditions.count,
            depth: (conditions.map(\.depth).max() ?? 0) + 1)
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
