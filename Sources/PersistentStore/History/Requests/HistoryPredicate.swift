public import FoundationEssentials

/// A condition on the author, origin, and time of a transaction.
///
/// Every condition is true or false, even for a transaction of which only the time is known: its author,
/// context name, program, and process are nil. Nil equals only nil, so `.not(.author("x"))` admits it.
@nonexhaustive
public indirect enum TransactionPredicate: Hashable, Sendable {
    /// The author; nil stands for writers without an author.
    case author(String?)
    case contextName(String?)
    case program(String?)
    /// The process; nil stands for external writers, such as the `sqlite3` shell.
    case process(Int32?)
    /// The timestamp is strictly later.
    case after(Date)
    /// The timestamp is strictly earlier.
    case before(Date)
    /// True if all conditions are true; `.and([])` is true.
    case and([TransactionPredicate])
    /// True if one condition is true; `.or([])` is false.
    case or([TransactionPredicate])
    case not(TransactionPredicate)

    /// Returns a condition that is true for any of these authors; an empty set admits none. Nil in the set
    /// stands for writers without an author.
    public static func authors(_ authors: Set<String?>) -> TransactionPredicate {
        .or(authors.map(TransactionPredicate.author))
    }
}

extension TransactionPredicate {
    func admits(_ header: HistoryHeader) -> Bool {
        switch self {
        case .author(let author): header.origin.author == author
        case .contextName(let name): header.origin.contextName == name
        case .program(let program): header.origin.program == program
        case .process(let process): header.process == process
        case .after(let date): header.milliseconds > date.lastMillisecond
        case .before(let date): header.milliseconds <= date.millisecondBefore
        case .and(let parts): parts.allSatisfy { $0.admits(header) }
        case .or(let parts): parts.contains { $0.admits(header) }
        case .not(let part): !part.admits(header)
        }
    }

    /// The range of timestamps outside of which no transaction is admitted, so that it need not be read.
    var timestamps: TimestampRange {
        switch self {
        case .after(let date): TimestampRange(after: date.lastMillisecond)
        case .before(let date): TimestampRange(upTo: date.millisecondBefore)
        case .and(let parts):
            parts.map(\.timestamps).reduce(TimestampRange()) {
                TimestampRange(after: max($0.after, $1.after), upTo: min($0.upTo, $1.upTo))
            }
        case .or(let parts):
            parts.map(\.timestamps).reduce(.none) {
                TimestampRange(after: min($0.after, $1.after), upTo: max($0.upTo, $1.upTo))
            }
        default: TimestampRange()
        }
    }
}

/// In milliseconds since 1970.
struct TimestampRange: Equatable {
    var after = Int64.min
    var upTo = Int64.max

    static let none = TimestampRange(after: .max, upTo: .min)
}

/// A condition on single changes. A transaction is returned with its admitted changes, or not at all if there
/// are none.
@nonexhaustive
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
    /// Checks that the predicate names no object of another store.
    func check(_ store: StoreDigest) throws(StoreError) {
        switch self {
        case .objects(let ids):
            for id in ids where !id.isValid(in: store) { throw .objectOfAnotherStore(id) }
        case .and(let parts), .or(let parts): for part in parts { try part.check(store) }
        case .not(let part): try part.check(store)
        case .entity, .kind, .updated: break
        }
    }

    /// Returns an SQL condition on a row of the log that is never NULL, and appends its values to `values`.
    /// The first of them is parameter number `first`.
    func sql(_ entities: [Int64: HistoryLog.EntityNames], values: inout [AttributeValue], first: Int)
        -> String
    {
        func mark(_ value: AttributeValue) -> String {
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
