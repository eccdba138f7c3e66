import FoundationEssentials
import SQLite

extension HistoryLog {
    /// A transaction in the making, while the rows of the log go by.
    struct Assembly {
        private(set) var isOpen = false
        private(set) var author: String?
        private var contextName: String?
        private var program: String?
        private var process: Int32?
        private var session: Int64?
        private var milliseconds: Int64 = 0
        private var changes: [HistoryChange] = []

        /// Takes over who and when from a `begin` row.
        mutating func begin(_ row: borrowing Statement) {
            self = Assembly()
            isOpen = true
            milliseconds = row.integer(7)
            author = row.optionalText(8)
            contextName = row.optionalText(9)
            program = row.optionalText(10)
            process = row.optionalInteger(11).map(Int32.init(clamping:))
            session = row.optionalInteger(12)
        }

        mutating func add(_ change: HistoryChange, at stamp: Int64?) {
            changes.append(change)
            if !isOpen, let stamp { milliseconds = stamp }
        }

        mutating func finish(at number: Int64, _ log: HistoryLog) -> HistoryTransaction? {
            defer { self = Assembly() }
            guard isOpen else { return finishStranger(log) }
            return transaction(number, log)
        }

        /// A stranger's statement has no end row: it ends where the next row does not continue it.
        mutating func finishStranger(_ log: HistoryLog) -> HistoryTransaction? {
            guard !isOpen, let last = changes.last else { return nil }
            defer { self = Assembly() }
            return transaction(last.number, log)
        }

        private func transaction(_ number: Int64, _ log: HistoryLog) -> HistoryTransaction {
            HistoryTransaction(
                number: number, token: log.token(number),
                timestamp: Date(timeIntervalSince1970: Double(milliseconds) / 1000), author: author,
                contextName: contextName, process: process, program: program, session: session,
                changes: changes)
        }
    }
}
