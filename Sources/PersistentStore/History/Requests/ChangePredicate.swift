/// A condition on single changes. A transaction is returned with its admitted changes, or not at all if there
/// are none.
public indirect enum ChangePredicate: Hashable, Sendable {
    case entity(String)
    case kind(HistoryChange.Kind)
    /// The change is of one of these objects.
    case objects(Set<ObjectID>)
    /// The change is an update of the attribute of that name in any entity, even of an attribute that the
    /// model no longer has.
    case updated(String)
    /// True if all conditions are true; `.and([])` is true.
    case and([ChangePredicate])
    /// True if one condition is true; `.or([])` is false.
    case or([ChangePredicate])
    case not(ChangePredicate)

    public static func object(_ id: ObjectID) -> ChangePredicate { .objects([id]) }
}

extension ChangePredicate {
    /// Returns an SQL condition on a row of the log that is never NULL, and appends its values to `values`.
    /// The first of them is parameter number `first`.
    func sql(_ entities: [Int64: HistoryLog.EntityNames], values: inout [Value], first: Int) -> String {
        func mark(_ value: Value) -> String {
            values.append(value)
            return "?\(first + values.count - 1)"
        }
        switch self {
        case .entity(let name):
            return entities.first { $0.value.name == name }.map { "entity = \(mark(.integer($0.key)))" }
                ?? "0"
        case .kind(let kind): return "kind = \(mark(.integer(Int64(kind.rawValue))))"
        case .objects(let ids):
            let parts = entities.compactMap { id, entity in
                let keys = ids.lazy.filter { $0.entity == entity.name }.map { String($0.key) }
                guard !keys.isEmpty else { return String?.none }
                // One text for any set of keys, so that the statement is prepared once.
                let list = mark(.text("[\(keys.joined(separator: ","))]"))
                return "entity = \(mark(.integer(id))) AND object IN (SELECT value FROM json_each(\(list)))"
            }
            return Self.joined(parts[...], " OR ", empty: "0")
        case .updated(let name):
            let parts = entities.flatMap { id, entity in
                entity.attributes.filter { $0.value == name }.map { bit, _ in
                    "entity = \(mark(.integer(id))) AND (columns & \(mark(.integer(1 << Int64(bit))))) <> 0"
                }
            }
            return "kind = 1 AND (\(Self.joined(parts[...], " OR ", empty: "0")))"
        case .and(let parts):
            return Self.joined(
                parts.map { $0.sql(entities, values: &values, first: first) }[...], " AND ", empty: "1")
        case .or(let parts):
            return Self.joined(
                parts.map { $0.sql(entities, values: &values, first: first) }[...], " OR ", empty: "0")
        case .not(let part): return "NOT (\(part.sql(entities, values: &values, first: first)))"
        }
    }

    /// Joins halves in parentheses, since the depth of an expression is limited to 1000
    /// (sqlite.org/limits.html, 4).
    private static func joined(_ parts: ArraySlice<String>, _ separator: String, empty: String) -> String {
        guard let first = parts.first else { return empty }
        guard parts.count > 1 else { return "(\(first))" }
        let middle = parts.startIndex + parts.count / 2
        return "(" + joined(parts[..<middle], separator, empty: empty) + separator
            + joined(parts[middle...], separator, empty: empty) + ")"
    }
}
