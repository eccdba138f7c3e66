import SQLite

/// One pass over the rows of the log that stops at every admitted change and at the end of every admitted
/// transaction.
///
/// It is one statement, regardless of the number of transactions; other statements may run on the connection
/// concurrently. A rejected transaction costs one step per row.
final class HistoryScan {
    enum Stop: Equatable {
        /// ``rows`` is at a change of the transaction described by ``header``.
        case change
        /// The transaction of that number is complete.
        case end(Int64)
    }

    let rows: Statement
    private(set) var header = HistoryHeader(milliseconds: 0)
    private let predicate: TransactionPredicate?
    private let needsMatch: Bool
    private let resumption: HistoryResumption?
    private var headers = HistoryHeaders()
    private var isInside = false
    private var isAdmitted = false
    private var isTaken = false
    private var offset: Int
    private var left: Int
    /// A change of an external writer has been reported, and ends its transaction.
    private var endsWithChange = false
    private var isFinished = false

    /// Creates a pass.
    ///
    /// - Parameter includesChanges: Whether to stop at changes. Without, the pass reads only the rows that it
    ///   needs.
    init(
        _ log: HistoryLog, _ request: HistoryFetchRequest, includesChanges: Bool,
        on connection: borrowing Connection
    ) throws {
        let range = try log.range(of: request, on: connection)
        predicate = request.predicate
        needsMatch = request.changePredicate != nil
        resumption = request.resumption
        offset = range.offset
        left = range.limit
        rows = try log.rows(request, range, includesChanges: includesChanges, on: connection)
    }

    /// The number of the current row.
    var number: Int64 { rows.integer(0) }

    func next(on connection: borrowing Connection) throws -> Stop? {
        while left > 0 && !isFinished {
            if endsWithChange {
                endsWithChange = false
                if let stop = close() { return stop }
            }
            guard left > 0 else { return nil }
            guard try rows.step() else {
                isFinished = true
                return nil
            }
            if let stop = try stop(on: connection) { return stop }
        }
        return nil
    }

    private func stop(on connection: borrowing Connection) throws -> Stop? {
        switch HistoryLog.RowKind(rawValue: rows.integer(1)) {
        case .begin:
            open(try headers.header(rows, on: connection))
            isInside = true
            return nil
        case .end:
            guard isInside else { return nil }
            isInside = false
            return close()
        case nil where rows.isNull(5):
            return isInside && admitsChange() ? .change : nil
        case nil:
            open(try headers.header(rows, on: connection))
            guard admitsChange() else { return close() }
            endsWithChange = true
            return .change
        }
    }

    private func open(_ header: HistoryHeader) {
        self.header = header
        isAdmitted = predicate?.admits(header) ?? true
        if isAdmitted && !needsMatch { startTransaction() }
    }

    private func admitsChange() -> Bool {
        guard isAdmitted, rows.integer(10) != 0, resumption.map({ number > $0.change }) ?? true else {
            return false
        }
        startTransaction()
        return isTaken
    }

    /// Selects the transaction: at its first matching change, if there is a condition on changes.
    private func startTransaction() {
        guard !isTaken else { return }
        if offset > 0 {
            offset -= 1
            isAdmitted = false
        } else {
            isTaken = true
        }
    }

    private func close() -> Stop? {
        guard isTaken else { return nil }
        isTaken = false
        left -= 1
        return .end(number)
    }
}

/// Builds transactions, or pieces of them, from one pass over the log, one at a time. Memory is bounded by
/// one element, regardless of the length of the history.
final class HistoryReading {
    private let log: HistoryLog
    private let scan: HistoryScan
    private let includesChanges: Bool
    private let most: Int
    private var changes: [HistoryChange] = []
    /// The last row of a transaction that is read in pieces. A resumed reading knows it; finding it again
    /// would read the rest of the transaction for each piece.
    private var end: Int64?
    private var pieceIndex: Int

    init(_ log: HistoryLog, _ request: HistoryFetchRequest, on connection: borrowing Connection) throws {
        self.log = log
        most = max(1, request.maxChangesAtOnce ?? .max)
        scan = try HistoryScan(log, request, includesChanges: request.includesChanges, on: connection)
        includesChanges = request.includesChanges
        end = request.resumption?.last
        pieceIndex = request.resumption?.pieceIndex ?? 0
    }

    func next(on connection: borrowing Connection) throws -> HistoryTransaction? {
        while let stop = try scan.next(on: connection) {
            switch stop {
            case .change:
                guard includesChanges, let change = try log.change(scan.rows, on: connection) else {
                    continue
                }
                guard changes.count == most else {
                    changes.append(change)
                    continue
                }
                let piece = changes
                changes = [change]
                let number = try end ?? log.lastNumber(ofTransactionWith: change.number, on: connection)
                end = number
                defer { pieceIndex += 1 }
                return scan.header.transaction(
                    log.token(number), piece, pieceIndex: pieceIndex, isComplete: false)
            case .end(let number):
                defer { (changes, end, pieceIndex) = ([], nil, 0) }
                return scan.header.transaction(
                    log.token(number), changes, pieceIndex: pieceIndex, isComplete: true)
            }
        }
        return nil
    }
}

/// The results that do not require whole transactions in memory.
extension HistoryLog {
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
            """, [range.after])
        guard try counts.step() else { return HistoryCount() }
        return HistoryCount(transactions: Int(counts.integer(0)), changes: Int(counts.integer(1)))
    }
}
