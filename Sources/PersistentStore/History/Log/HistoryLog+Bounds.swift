import FoundationEssentials
import SQLite

/// The range of a request. Finding it reads a few rows, regardless of the length of the history.
extension HistoryLog {
    /// A range of transactions after one number and up to another, with an offset and a limit.
    struct Range {
        var after: Int64
        var upTo = Int64.max
        var offset: Int
        var limit: Int
        /// The transactions, oldest first, if they are known.
        var pieces: [Piece]?
    }

    /// Returns the range of a request.
    ///
    /// - Throws: `StoreError.tokenExpired` if part of the requested history was purged;
    ///   `StoreError.objectOfAnotherStore` for an object of another store;
    ///   `StoreError.predicateTooComplex` for a predicate beyond the limits.
    func range(of request: HistoryFetchRequest, on connection: borrowing Connection) throws -> Range {
        try request.predicate?.checkSize()
        try request.changePredicate?.check(store)
        let (floor, expiry) = try extent(on: connection)
        var range = Range(
            after: try startNumber(request.start, floor: floor, expiry: expiry, on: connection),
            offset: max(0, request.offset), limit: request.limit ?? .max)
        if let timestamps = request.predicate?.timestamps {
            if timestamps.after > .min {
                let first = try lastNumber(notAfter: timestamps.after, floor: floor, on: connection)
                range.after = max(range.after, first)
            }
            if timestamps.upTo < .max {
                range.upTo = try lastNumber(notAfter: timestamps.upTo, floor: floor, on: connection)
            }
        }
        if case .newest = request.start, range.limit > 0 {
            try narrowToNewest(&range, request, on: connection)
        }
        return range
    }

    private func startNumber(
        _ start: HistoryFetchRequest.Start, floor: Int64, expiry: Int64,
        on connection: borrowing Connection
    ) throws -> Int64 {
        switch start {
        case .beginning, .newest: return floor
        case .after(let token):
            try check(token, on: connection)
            return try lastNumber(ofTransactionWith: token.number, on: connection)
        case .afterTransaction(let number):
            try check(self.token(number), on: connection)
            return try lastNumber(ofTransactionWith: number, on: connection)
        case .ending(let token):
            try check(token, on: connection)
            // A reader at the floor misses nothing, but the transaction that ends there was purged.
            guard expiry == 0 || token.number > expiry else {
                throw StoreError.tokenExpired(oldest: self.token(expiry))
            }
            return try firstNumber(endingAt: token.number, floor: floor, on: connection)
        case .afterDate(let date):
            return try lastNumber(notAfter: date.lastMillisecond, floor: floor, on: connection)
        }
    }

    /// Returns the end of the transaction that contains a row, which is the number itself for every token
    /// that a request has returned. Reads the rest of that transaction only, so everything after a cursor is
    /// new.
    func lastNumber(ofTransactionWith number: Int64, on connection: borrowing Connection) throws -> Int64 {
        let row = try connection.prepare("SELECT at FROM history WHERE number = ?1")
        try row.bind(number, at: 1)
        // Position 0, or one that cleaning has just reached.
        guard try row.step(), row.isNull(0) else { return number }
        return try connection.integer(
            "SELECT number FROM history WHERE number > ?1 AND at NOT NULL ORDER BY number LIMIT 1", number)
            ?? number
    }

    private func firstNumber(endingAt number: Int64, floor: Int64, on connection: borrowing Connection) throws
        -> Int64
    {
        let first = try connection.integer(
            """
            SELECT number FROM history WHERE number <= ?1
            AND \(HistoryBoundary.isFirstRow) ORDER BY number DESC LIMIT 1
            """, number)
        return max(floor, first.map { $0 - 1 } ?? floor)
    }

    /// Returns the last number that is not later than a time, by binary search: timestamps rise with the
    /// numbers.
    private func lastNumber(notAfter wanted: Int64, floor: Int64, on connection: borrowing Connection) throws
        -> Int64
    {
        guard wanted > .min else { return floor }
        guard wanted < .max else { return max(floor, try HistoryBoundary.newest(on: connection)) }
        return try HistoryBoundary.lastNumber(stampedBefore: wanted + 1, above: floor, on: connection)
    }
}
