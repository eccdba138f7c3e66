public import FoundationEssentials

/// One commit, or a piece of one that is too large to load completely.
public struct HistoryTransaction: Hashable, Sendable {
    /// The number of the transaction, which rises from commit to commit and is never reused.
    public let number: Int64
    /// The position after this transaction; for every piece, the position after the whole transaction.
    public let token: HistoryToken
    /// The time of the commit by the writer's clock; never before that of the preceding transaction.
    public let timestamp: Date
    /// The author; nil for an external writer, such as the `sqlite3` shell.
    public let author: String?
    public let contextName: String?
    public let process: Int32?
    public let program: String?
    /// The context that made the transaction; distinguishes a context's own work from that of another context
    /// with the same name.
    package let session: Int64?
    /// The number of the transaction's first row.
    let firstRow: Int64
    /// The changes that the request admits, in order; none if the request excludes changes.
    public let changes: [HistoryChange]
    /// The index of the piece: 0 for a whole transaction and for the first piece of a long one, then 1, 2,
    /// and so on. Pieces share number and token. See `maxChangesAtOnce` of ``HistoryFetchRequest``.
    package let pieceIndex: Int
    /// Whether this is a whole transaction or its last piece.
    public let isComplete: Bool

    init(
        number: Int64, token: HistoryToken, timestamp: Date, author: String?, contextName: String?,
        process: Int32?, program: String?, session: Int64?, firstRow: Int64, changes: [HistoryChange],
        pieceIndex: Int = 0, isComplete: Bool = true
    ) {
        self.number = number
        self.token = token
        self.timestamp = timestamp
        self.author = author
        self.contextName = contextName
        self.process = process
        self.program = program
        self.session = session
        self.firstRow = firstRow
        self.changes = changes
        self.pieceIndex = pieceIndex
        self.isComplete = isComplete
    }

    /// Whether ``changes`` contains all changes that the request admits.
    package var isWhole: Bool { pieceIndex == 0 && isComplete }

    /// The position before this transaction.
    package var tokenBefore: HistoryToken {
        HistoryToken(storeID: token.storeID, generation: token.generation, number: firstRow - 1)
    }

    var withoutChanges: HistoryTransaction { with([]) }

    /// Returns the transaction with only these of its changes.
    package func with(_ changes: [HistoryChange]) -> HistoryTransaction {
        HistoryTransaction(
            number: number, token: token, timestamp: timestamp, author: author, contextName: contextName,
            process: process, program: program, session: session, firstRow: firstRow, changes: changes,
            pieceIndex: pieceIndex, isComplete: isComplete)
    }
}

/// One insert, update, or delete of one object.
public struct HistoryChange: Hashable, Sendable {
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    /// The number of the change, which rises over all transactions.
    public let number: Int64
    public let kind: Kind
    public let objectID: ObjectID
    /// The attributes that an update changed, in the order of the model; empty for inserts and deletes.
    public let updatedAttributes: [String]
    /// The values retained from a deleted object: those of the attributes that are preserved after deletion.
    public let tombstone: [String: AttributeValue]?
    /// The values that an update replaced, for the attributes that record old values.
    public let oldValues: [String: AttributeValue]
    /// The primary key of a row of a recorded table of another program, by column; the row number for a table without one. Empty for an
    /// object of a store.
    public let key: [String: AttributeValue]
    /// The row of an attached table after an insertion or an update, if the history records whole rows.
    public let newValues: [String: AttributeValue]
    /// The number of the other change of an update that changed the key of a row: it is recorded as a deletion and an
    /// insertion.
    public let counterpart: Int64?

    init(
        number: Int64, kind: Kind, objectID: ObjectID, updatedAttributes: [String],
        tombstone: [String: AttributeValue]?, oldValues: [String: AttributeValue],
        key: [String: AttributeValue] = [:], newValues: [String: AttributeValue] = [:],
        counterpart: Int64? = nil
    ) {
        (self.number, self.kind, self.objectID) = (number, kind, objectID)
        (self.updatedAttributes, self.tombstone, self.oldValues) = (updatedAttributes, tombstone, oldValues)
        (self.key, self.newValues, self.counterpart) = (key, newValues, counterpart)
    }

    /// Returns the object's recorded values before the change, given those after it; nil if it did not exist.
    package func reverting(_ values: [String: AttributeValue]?) -> [String: AttributeValue]? {
        switch kind {
        case .insert: nil
        case .update: values?.merging(oldValues) { $1 }
        case .delete: tombstone ?? [:]
        }
    }
}

/// The number of transactions and changes that a request admits.
package struct HistoryCount: Hashable, Sendable {
    package var transactions: Int
    package var changes: Int

    package init(transactions: Int = 0, changes: Int = 0) {
        self.transactions = transactions
        self.changes = changes
    }
}

/// A position in the history of one store: everything up to it has been processed.
///
/// Tokens of one store compare by position, never by time. The text form is stable and may be stored
/// anywhere.
public struct HistoryToken: Hashable, Sendable {
    package let storeID: UUID
    /// The generation of the store. Tokens of an older generation have expired: between the two, changes went
    /// unrecorded.
    package let generation: Int64
    /// The number of the last processed transaction; 0 before the first.
    public let number: Int64

    package init(storeID: UUID, generation: Int64, number: Int64) {
        self.storeID = storeID
        self.generation = generation
        self.number = number
    }

    /// Whether the token's position is before another's; nil for tokens of two stores, which have no order.
    package func precedes(_ other: HistoryToken) -> Bool? {
        guard storeID == other.storeID else { return nil }
        return (generation, number) < (other.generation, other.number)
    }
}

extension HistoryToken: LosslessStringConvertible {
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let id = UUID(uuidString: String(parts[0])), let generation = Int64(parts[1]),
            let number = Int64(parts[2]), generation >= 1, number >= 0
        else { return nil }
        self.init(storeID: id, generation: generation, number: number)
    }

    public var description: String { "\(storeID.uuidString.lowercased()).\(generation).\(number)" }
}

extension HistoryToken: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = HistoryToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a history token")
        }
        self = token
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A point in the history as a user writes it.
package enum HistoryPoint {
    case token(HistoryToken)
    case transaction(Int64)
    case date(Date)

    package static let forms =
        "a token, a transaction number, a date such as 2026-11-21T09:00:00Z, 'yesterday', or an age such as 30d or '12 hours ago'"

    /// The form of a duration, for an error.
    package static let durationForm = "a number with s, m, h, or d, such as 7d"

    package init?(_ text: String) {
        if let token = HistoryToken(text) {
            self = .token(token)
        } else if let number = Int64(text), number >= 0 {
            self = .transaction(number)
        } else if let age = Self.duration(text == "yesterday" ? "1d" : Self.age(text)) {
            self = .age(age)
        } else if let date = Self.date(text) {
            self = .date(date)
        } else {
            return nil
        }
    }

    package static func age(_ age: Duration) -> HistoryPoint {
        .date(Date(timeIntervalSinceNow: -Double(age.components.seconds)))
    }

    package var start: HistoryFetchRequest.Start {
        switch self {
        case .token(let token): .after(token)
        case .transaction(let number): .afterTransaction(number)
        case .date(let date): .afterDate(date)
        }
    }

    /// Returns the short form of an age such as `10 minutes ago`; any other text unchanged.
    private static func age(_ text: String) -> String {
        let words = text.split(separator: " ")
        let units = ["second": "s", "minute": "m", "hour": "h", "day": "d"]
        guard words.count == 3, words[2] == "ago",
            let unit = units[String(words[1].hasSuffix("s") ? words[1].dropLast() : words[1])]
        else { return text }
        return words[0] + unit
    }

    /// Returns the duration of a number with a unit, such as `30d`.
    package static func duration(_ text: String) -> Duration? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (0...1_000_000).contains(count)
        else { return nil }
        return .seconds(count * unit)
    }

    private static func date(_ text: String) -> Date? {
        [text, text + "Z", text + "T00:00:00Z"].lazy.compactMap { try? Date($0, strategy: .iso8601) }.first
    }
}
