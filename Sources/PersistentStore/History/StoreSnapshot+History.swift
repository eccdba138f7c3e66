/// The kinds of answers to a history request. See ``HistoryFetchRequest``.
extension StoreSnapshot {
    /// Whether there is any such transaction; reads no further than the first.
    public func hasTransactions(_ request: HistoryFetchRequest) throws -> Bool {
        let log = log
        return try ask { try log.hasTransactions(request, on: $0) }
    }

    /// How many such transactions there are, and changes in them that the request admits; reads no values.
    public func count(_ request: HistoryFetchRequest) throws -> HistoryCount {
        let log = log
        return try ask { try log.count(request, on: $0) }
    }

    /// The objects that were changed, each once; reads no values.
    public func objectIDs(_ request: HistoryFetchRequest) throws -> Set<ObjectID> {
        let log = log
        return try ask { try log.objectIDs(request, on: $0) }
    }

    /// All of them at once; ``forEachTransaction(_:_:)`` holds one at a time.
    public func transactions(_ request: HistoryFetchRequest) throws -> [HistoryTransaction] {
        let log = log
        return try ask { connection in
            let reading = try HistoryReading(log, request, on: connection)
            var transactions: [HistoryTransaction] = []
            while let transaction = try reading.next(on: connection) { transactions.append(transaction) }
            return transactions
        }
    }

    /// All changes at once, without their transactions; ``forEachChange(_:_:)`` holds a few at a time.
    public func changes(_ request: HistoryFetchRequest) throws -> [HistoryChange] {
        var changes: [HistoryChange] = []
        try forEachChange(request) { change, _ in
            changes.append(change)
            return true
        }
        return changes
    }

    /// Hands over the transactions that the request admits, in the order of their numbers, one at a time or, with
    /// ``HistoryFetchRequest/mostChangesAtOnce``, in pieces, so that any length of history takes the memory of
    /// one.
    ///
    /// - Parameters:
    ///   - request: which part of the history.
    ///   - body: returns false to stop. It may ask this snapshot for more.
    public func forEachTransaction(
        _ request: HistoryFetchRequest, _ body: (HistoryTransaction) throws -> Bool
    ) throws {
        let log = log
        let reading = try reader.assumeIsolated { try $0.beginReading(request, log) }
        defer { reader.assumeIsolated { $0.endReading(reading) } }
        while let transaction = try reader.assumeIsolated({ try $0.nextTransaction(of: reading) }) {
            guard try body(transaction) else { return }
        }
    }

    /// Hands over the changes that the request admits, in order, each with its transaction; that has no changes
    /// itself. Never holds more than some hundred, also of a transaction of a million.
    ///
    /// - Parameters:
    ///   - request: which part of the history.
    ///   - body: returns false to stop. It may ask this snapshot for more.
    public func forEachChange(
        _ request: HistoryFetchRequest, _ body: (HistoryChange, HistoryTransaction) throws -> Bool
    ) throws {
        var request = request
        request.includesChanges = true
        request.mostChangesAtOnce = min(request.mostChangesAtOnce ?? .max, Self.mostChangesHeld)
        try forEachTransaction(request) { piece in
            let transaction = piece.withoutChanges
            for change in piece.changes where try !body(change, transaction) { return false }
            return true
        }
    }

    private static let mostChangesHeld = 256
}
