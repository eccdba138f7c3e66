/// A condition on the attributes of an object.
///
/// Names are checked against the model and values are bound, so nothing in a predicate is ever read as SQL.
public indirect enum Predicate: Hashable, Sendable {
    public enum Comparison: String, Hashable, Sendable {
        case equal = "IS"
        case notEqual = "IS NOT"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    case compare(String, Comparison, Value)
    /// The attribute's text contains the words, without regard to ASCII case.
    case contains(String, String)
    case keys([Int64])
    case and([Predicate])
    case or([Predicate])
    case not(Predicate)

    /// `attribute` has this value; null equals null.
    public static func equal(_ attribute: String, _ value: Value) -> Predicate {
        .compare(attribute, .equal, value)
    }
}

extension Predicate {
    /// A condition in SQL, its values appended to `values` in the order of their question marks.
    func sql(entity: Entity, values: inout [Value]) throws(StoreError) -> String {
        switch self {
        case .compare(let name, let comparison, let value):
            values.append(value)
            return try "\(column(name, entity)) \(comparison.rawValue) ?"
        case .contains(let name, let words):
            values.append(.text("%" + Self.escapedPattern(words) + "%"))
            return try "\(column(name, entity)) LIKE ? ESCAPE '\\'"
        case .keys(let keys):
            // One text for any keys, so that the statement is prepared once.
            values.append(.text("[\(keys.map(String.init).joined(separator: ","))]"))
            return "id IN (SELECT value FROM json_each(?))"
        case .and(let parts): return try joined(parts, " AND ", empty: "1", entity, &values)
        case .or(let parts): return try joined(parts, " OR ", empty: "0", entity, &values)
        case .not(let part): return try "NOT (\(part.sql(entity: entity, values: &values)))"
        }
    }

    private func joined(
        _ parts: [Predicate], _ separator: String, empty: String, _ entity: Entity, _ values: inout [Value]
    ) throws(StoreError) -> String {
        var texts: [String] = []
        for part in parts { texts.append(try "(\(part.sql(entity: entity, values: &values)))") }
        return texts.isEmpty ? empty : texts.joined(separator: separator)
    }

    private func column(_ name: String, _ entity: Entity) throws(StoreError) -> String {
        guard entity.attribute(name) != nil || name == "id" || name == "version" else {
            throw .unknownAttribute(name, entity: entity.name)
        }
        return "\"\(name)\""
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
