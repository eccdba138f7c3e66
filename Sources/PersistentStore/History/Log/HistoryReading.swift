import SQLite

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
