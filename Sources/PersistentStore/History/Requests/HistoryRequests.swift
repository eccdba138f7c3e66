public import FoundationEssentials

/// The part of the history to read, always in the order of the commits.
///
/// A transaction is admitted if it is after the start, if its condition on transactions is true, and if
/// the condition on changes, when set, is true for some of them. The offset and the limit select from the
/// admitted ones. Both count transactions, even in a request for changes, objects, or counts.
public struct HistoryFetchRequest: Hashable, Sendable {
    /// The position at which to begin. A position inside a transaction means its end: no part of a
    /// transaction is read.
    @nonexhaustive
    public enum Start: Hashable, Sendable {
        case beginning
        /// Strictly after the token.
        case after(HistoryToken)
        /// Strictly after the transaction of that number.
        case afterTransaction(Int64)
        /// Transactions with a later timestamp. The date only finds the position: everything after the first
        /// such transaction follows in order. Purged transactions are not reported as missing.
        case afterDate(Date)
        /// The transaction that ends at the token, and the following ones.
        case ending(at: HistoryToken)
        /// The newest transactions, up to the limit, before those that the offset skips.
        case newest
    }

    package var start: Start
    /// The condition on transactions; nil admits all.
    package var predicate: TransactionPredicate?
    /// The condition on their changes; nil admits all.
    package var changePredicate: ChangePredicate?
    /// Whether transactions include their changes; if not, the changes are not read.
    package var includesChanges: Bool
    /// The maximum number of transactions; nil for all, zero or less for none.
    package var limit: Int?
    /// The number of transactions to skip first; with ``Start/newest``, the newest ones.
    package var offset: Int
    /// The maximum number of changes per element. A longer transaction is split into pieces, of which the
    /// last one is ``HistoryTransaction/isComplete``; nil never splits.
    package var maxChangesAtOnce: Int?
    /// The position inside the first transaction after the start from which to continue, if some of its
    /// pieces were read before.
    package var resumption: HistoryResumption?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - start: The position at which to begin.
    ///   - predicate: The condition on transactions, such as `.authors(["app", nil])`.
    ///   - changePredicate: The condition on their changes.
    ///   - limit: The maximum number of transactions; nil for all, zero or less for none.
    ///   - offset: The number of transactions to skip first; with ``Start/newest``, the newest ones.
    ///   - includesChanges: Whether transactions include their changes; if not, the changes are not read.
    ///   - maxChangesAtOnce: The maximum number of changes per element. A longer transaction is split into pieces, of
    ///     which the last one is ``HistoryTransaction/isComplete``; nil never splits.
    public init(
        _ start: Start = .beginning, where predicate: TransactionPredicate? = nil,
        changes changePredicate: ChangePredicate? = nil, limit: Int? = nil, offset: Int = 0,
        includesChanges: Bool = true, maxChangesAtOnce: Int? = nil
    ) {
        (self.start, self.predicate, self.changePredicate) = (start, predicate, changePredicate)
        (self.limit, self.offset) = (limit, offset)
        (self.includesChanges, self.maxChangesAtOnce) = (includesChanges, maxChangesAtOnce)
    }

    var admitsAll: Bool { predicate == nil && changePredicate == nil && limit == nil && offset <= 0 }

    /// Whether the request reads whole transactions, whichever they are.
    var hasNoCondition: Bool { predicate == nil && changePredicate == nil && resumption == nil }
}

/// A position inside a long transaction, with the facts found for the first piece, so that each further piece
/// costs only its own changes.
package struct HistoryResumption: Hashable, Sendable {
    /// The first row of the transaction, which contains its author and time.
    let first: Int64
    /// The last change read so far.
    let change: Int64
    /// The last row of the transaction.
    let last: Int64
    /// The index of the next piece.
    let pieceIndex: Int

    /// The position after the changes of a piece.
    package init?(after piece: HistoryTransaction) {
        guard !piece.isComplete, let change = piece.changes.last?.number else { return nil }
        first = piece.firstRow
        last = piece.number
        pieceIndex = piece.pieceIndex + 1
        self.change = change
    }
}

/// The position at which a deletion of history ends. The end itself is retained: the transaction that a token ends, the
/// transaction with the number, or one with exactly the timestamp.
@nonexhaustive
public enum HistoryEnd: Hashable, Sendable {
    /// The transaction that ends at the token is retained.
    case before(HistoryToken)
    /// The transaction of that number is retained.
    case beforeTransaction(Int64)
    /// Transactions with a timestamp at or after the date are retained.
    case beforeDate(Date)
}

/// The part of the history to delete, always in whole transactions.
package struct HistoryDeleteRequest: Hashable, Sendable {
    package var end: HistoryEnd
    package var predicate: TransactionPredicate?
    package var respectsConsumers: Bool

    package init(
        _ end: HistoryEnd, where predicate: TransactionPredicate? = nil, respectsConsumers: Bool = true
    ) {
        self.end = end
        self.predicate = predicate
        self.respectsConsumers = respectsConsumers
    }
}

/// The size of the history that a purge deleted, and of the requested part that it retained.
public struct PurgeResult: Hashable, Sendable {
    /// The number of deleted transactions.
    public var transactions = 0
    /// The number of deleted changes.
    public var changes = 0
    /// The number of transactions that were requested but retained, because a consumer still needs them.
    ///
    /// A purge by bounds does not request history that some consumer has not read. It does request history
    /// beyond a limit on age or size, which a consumer may retain always.
    public var retained = 0
    /// The names of the consumers that need the retained transactions.
    public var blockedBy: [String] = []

    package init() {}
}

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
