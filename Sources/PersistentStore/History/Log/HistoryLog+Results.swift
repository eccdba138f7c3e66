import SQLite

/// The results that do not require whole transactions in memory.
extension HistoryLog {
    func hasTransactions(_ request: HistoryFetchRequest, on connection: borrowing Connection) throws -> Bool {
        try HistoryScan(self, request, includesChanges: true, on: connection).next(on: connection) != nil
    }

    func objectIDs(_ request: HistoryFetchRequest, on connection: borrowing Connection) throws
        -> Set<ObjectID>
    {
        let scan = try HistoryScan(self, request, includesChanges: true, on: connection)
        var ids: Set<ObjectID> = []
        while let stop = try scan.next(on: connection) {
            if stop == .change, let id = objectID(scan.rows) { ids.insert(id) }
        }
        return ids
    }

    func count(_ request: HistoryFetchRequest, on connection: borrowing Connection) throws -> HistoryCount {
        if request.admitsAll { return try countAll(request, on: connection) }
        let scan = try HistoryScan(self, request, includesChanges: true, on: connection)
        var count = HistoryCount()
        while let stop = try scan.next(on: connection) {
            if stop == .change { count.changes += 1 } else { count.transactions += 1 }
        }
        return count
    }

    private func countAll(_ request: HistoryFetchRequest, on connection: borrowing Connection) throws
        -> HistoryCount
    {
        let range = try range(of: request, on: connection)
        let counts = try connection.prepare(
            """
            SELECT coalesce(sum(\(HistoryBoundary.isFirstRow)), 0),
            coalesce(sum(kind < 3), 0) FROM history WHERE number > ?1
            """)
        try counts.bind(range.after, at: 1)
        guard try counts.step() else { return HistoryCount() }
        return HistoryCount(transactions: Int(counts.integer(0)), changes: Int(counts.integer(1)))
    }
}
