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
