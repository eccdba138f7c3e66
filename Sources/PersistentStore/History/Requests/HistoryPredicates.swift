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
    /// The context name begins with the text, byte by byte.
    case contextNamePrefix(String)
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

extension TransactionPredicate: NestedPredicate {
    var parts: [TransactionPredicate] {
        switch self {
        case .and(let parts), .or(let parts): parts
        case .not(let part): [part]
        case .author, .contextName, .contextNamePrefix, .program, .process, .after, .before: []
        }
    }

    func admits(_ header: HistoryHeader) -> Bool {
        switch self {
        case .author(let author): header.origin.author == author
        case .contextName(let name): header.origin.contextName == name
        case .contextNamePrefix(let start): header.origin.hasContextName(from: start)
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

    package static func object(_ id: ObjectID) -> ChangePredicate { .objects([id]) }
}

extension ChangePredicate: NestedPredicate {
    var parts: [ChangePredicate] {
        switch self {
        case .and(let parts), .or(let parts): parts
        case .not(let part): [part]
        case .entity, .kind, .objects, .updated: []
        }
    }

    /// Checks the limits of the predicate, and that it names no object of another store.
    func check(_ store: StoreDigest) throws(StoreError) {
        try checkSize { part throws(StoreError) in
            guard case .objects(let ids) = part else { return }
            for id in ids where !id.isValid(in: store) { throw .objectOfAnotherStore(id) }
        }
    }

    /// Returns an SQL condition on a row of the log that is never NULL, and appends its values to `values`.
    /// The first of them is parameter number `first`. The predicate was checked before.
    func sql(
        _ entities: [Int64: HistoryLog.EntityNames], values: inout [AttributeValue], first: Int
    ) throws(StoreError) -> String {
        try condition(entities, &values, first).text
    }

    private func condition(
        _ entities: [Int64: HistoryLog.EntityNames], _ values: inout [AttributeValue], _ first: Int
    ) throws(StoreError) -> SQLCondition {
        func mark(_ value: AttributeValue) -> String {
            values.append(value)
            return "?\(first + values.count - 1)"
        }
        switch self {
        case .entity(let name):
            let id = entities.first { $0.value.name == name }?.key
            return SQLCondition(id.map { "entity = \(mark(.integer($0)))" } ?? "0", height: 2)
        case .kind(let kind):
            return SQLCondition("kind = \(mark(.integer(Int64(kind.rawValue))))", height: 2)
        case .objects(let ids):
            var conditions: [SQLCondition] = []
            for (id, entity) in entities {
                let keys = ids.lazy.filter { $0.entity == entity.name && $0.isPermanent }.map {
                    String($0.key)
                }
                guard !keys.isEmpty else { continue }
                // One text for any set of keys, so that the statement is prepared once.
                let list = mark(.text("[\(keys.joined(separator: ","))]"))
                let text =
                    "entity = \(mark(.integer(id))) AND object IN (SELECT value FROM json_each(\(list)))"
                conditions.append(SQLCondition(text, height: 4, depth: 1))
            }
            return try .joined(conditions, " OR ", empty: "0")
        case .updated(let name):
            var conditions: [SQLCondition] = []
            for (id, entity) in entities {
                for (bit, _) in entity.attributes.filter({ $0.value == name }) {
                    let (entity, mask) = (mark(.integer(id)), mark(.integer(1 << Int64(bit))))
                    conditions.append(
                        SQLCondition("kind = 1 AND entity = \(entity) AND columns & \(mask) <> 0", height: 5))
                }
            }
            return try .joined(conditions, " OR ", empty: "0")
        case .and(let parts): return try Self.joined(parts, " AND ", empty: "1", entities, &values, first)
        case .or(let parts): return try Self.joined(parts, " OR ", empty: "0", entities, &values, first)
        case .not(let part): return try part.condition(entities, &values, first).negated()
        }
    }

    private static func joined(
        _ parts: [ChangePredicate], _ separator: String, empty: String,
        _ entities: [Int64: HistoryLog.EntityNames], _ values: inout [AttributeValue], _ first: Int
    ) throws(StoreError) -> SQLCondition {
        var conditions: [SQLCondition] = []
        for part in parts { conditions.append(try part.condition(entities, &values, first)) }
        return try .joined(conditions, separator, empty: empty)
    }
}
