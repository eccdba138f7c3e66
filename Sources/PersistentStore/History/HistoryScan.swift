import SQLite

/// One pass over the rows of the log, that stops at every change and at every end of what the request admits.
///
/// One statement from first to last, whatever the number of transactions; others may run on the connection
/// meanwhile. A transaction that is not admitted costs a step for each of its rows and nothing else.
final class HistoryScan {
    enum Stop: Equatable {
        /// ``rows`` is at a change of the transaction told by ``header``.
        case change
        /// The transaction of that number is complete.
        case end(Int64)
    }

    private enum Place {
        case outside
        case ours
        case strangers
    }

    let rows: Statement
    private(set) var header = HistoryHeader(milliseconds: 0)
    private let predicate: TransactionPredicate?
    private let needsMatch: Bool
    private let resumption: HistoryResumption?
    private var headers = HistoryHeaders()
    private var place = Place.outside
    private var isAdmitted = false
    private var isTaken = false
    private var offset: Int
    private var left: Int
    private var lastNumber: Int64 = 0
    /// The row that showed that a stranger's statement had ended.
    private var isRowLeft = false
    private var isFinished = false

    /// - Parameter tellsChanges: false for a pass that stops at ends only and reads no more rows than that needs.
    init(
        _ log: HistoryLog, _ request: HistoryFetchRequest, tellsChanges: Bool,
        on connection: borrowing Connection
    ) throws {
        let range = try log.range(of: request, on: connection)
        predicate = request.predicate
        needsMatch = request.changePredicate != nil
        resumption = request.resumption
        offset = range.offset
        left = range.limit
        rows = try log.rows(request, range, tellsChanges: tellsChanges, on: connection)
    }

    /// The number of the row that the pass has come to.
    var number: Int64 { rows.integer(0) }

    func next(on connection: borrowing Connection) throws -> Stop? {
        while left > 0 && !isFinished {
            if isRowLeft {
                isRowLeft = false
            } else if try !rows.step() {
                isFinished = true
                return place == .strangers ? close(at: lastNumber) : nil
            }
            if let stop = try stop(on: connection) { return stop }
        }
        return nil
    }

    private func stop(on connection: borrowing Connection) throws -> Stop? {
        switch HistoryLog.RowKind(rawValue: rows.integer(1)) {
        case .begin:
            if let stop = closeStrangers() { return stop }
            open(try headers.header(rows, on: connection), at: .ours)
        case .end:
            guard place == .ours else { return nil }
            return close(at: number)
        case nil:
            if place == .outside || (place == .strangers && rows.integer(6) != 1) {
                if let stop = closeStrangers() { return stop }
                open(try headers.header(rows, on: connection), at: .strangers)
            }
            lastNumber = number
            guard isAdmitted, rows.integer(11) != 0, resumption.map({ number > $0.change }) ?? true else {
                return nil
            }
            take()
            return isTaken ? .change : nil
        }
        return nil
    }

    private func open(_ header: HistoryHeader, at place: Place) {
        self.header = header
        self.place = place
        isAdmitted = predicate?.admits(header) ?? true
        if isAdmitted && !needsMatch { take() }
    }

    /// Known at the first change that matches, where one has to.
    private func take() {
        guard !isTaken else { return }
        if offset > 0 {
            offset -= 1
            isAdmitted = false
        } else {
            isTaken = true
        }
    }

    /// A stranger's statement has no end row: it ends where the next row does not continue it.
    private func closeStrangers() -> Stop? {
        guard place == .strangers, let stop = close(at: lastNumber) else { return nil }
        isRowLeft = true
        return stop
    }

    private func close(at number: Int64) -> Stop? {
        place = .outside
        guard isTaken else { return nil }
        isTaken = false
        left -= 1
        return .end(number)
    }
}
