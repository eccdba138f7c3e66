package import FoundationEssentials
package import PersistentStore

/// One author's transactions that can be undone and redone, derived from the history.
package struct UndoHistory: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package let token: HistoryToken
        package let timestamp: Date
        /// Whether this process's own store committed it.
        package let isOfSession: Bool
        /// The process that committed it.
        package let process: Int32?
    }

    /// The role of a transaction, stored in its context name.
    package enum Role: Hashable, Sendable {
        case work
        case undo(Int64, ofRestore: Bool)
        case redo(Int64, ofRestore: Bool)
        /// The return of deleted clips that the user chose.
        case restore

        package var isUndo: Bool { if case .undo = self { true } else { false } }

        /// Returns the words of a transaction with those of its work.
        func sentence(_ work: String) -> String {
            switch self {
            case .undo: "undid: \(work)"
            case .redo: "redid: \(work)"
            case .work, .restore: work
            }
        }

        /// Whether the work, which the transaction may undo, is the return of deleted clips.
        package var isOfRestore: Bool {
            switch self {
            case .work: false
            case .restore: true
            case .undo(_, let ofRestore), .redo(_, let ofRestore): ofRestore
            }
        }

        package init(_ isRedoing: Bool, of number: Int64, ofRestore: Bool) {
            self = isRedoing ? .redo(number, ofRestore: ofRestore) : .undo(number, ofRestore: ofRestore)
        }

        package init(contextName: String?) {
            // The name of an agent's client, which is one word, may precede.
            let words = StepName(contextName).work.split(separator: " ")
            let ofRestore = words.dropLast(2).last == "restore"
            let number = words.count <= (ofRestore ? 4 : 3) ? words.last.flatMap { Int64($0) } : nil
            switch (words.dropLast().last, number) {
            case ("undo", let number?): self = .undo(number, ofRestore: ofRestore)
            case ("redo", let number?): self = .redo(number, ofRestore: ofRestore)
            default: self = words.last == "restore" && words.count <= 2 ? .restore : .work
            }
        }

        package var contextName: String? {
            switch self {
            case .work: nil
            case .restore: "restore"
            case .undo(let number, let ofRestore): "\(ofRestore ? "restore " : "")undo \(number)"
            case .redo(let number, let ofRestore): "\(ofRestore ? "restore " : "")redo \(number)"
            }
        }
    }

    /// The transactions to undo, the next one last.
    package private(set) var undoable: [Step] = []
    package private(set) var redoable: [Step] = []
    /// Whether everything has been read.
    package private(set) var isComplete = false
    /// Whether new work was found; earlier transactions cannot be redone.
    package private(set) var hasWork = false
    private var undone: Set<Int64> = []
    private var redone: Set<Int64> = []
    /// The steps of several transactions of which the newest has been read.
    private var known: Set<SessionStep> = []
    private var period = 0
    private var start: Int64?

    private struct SessionStep: Hashable {
        let session: Int64?
        let name: StepName
    }

    /// The context names of transactions that undo skips.
    static let openingContext = "opening"
    static let checkingContext = "check"
    static let repairingContext = "repair"

    private static func isSkipped(_ name: StepName) -> Bool {
        // The name of a client or a window, which is one word, may precede.
        let words = name.work.split(separator: " ")
        return words.count <= 2
            && [openingContext, checkingContext, repairingContext].contains { words.last == $0[...] }
    }

    /// The maximum number of steps.
    package static let maxSteps = 1000
    /// The ages at which the periods end, in milliseconds. The newest work is found quickly; a week of other
    /// authors' work is read only if there is none.
    private static let periodEnds: [Int64] = [1, 10, 60, 6 * 60, 24 * 60, 7 * 24 * 60].map { $0 * 60_000 }

    package init() {}

    /// Creates the result of reading the whole history.
    ///
    /// - Parameter all: The transactions, oldest first.
    package init(all transactions: [HistoryTransaction], session: Int64) {
        add(earlier: transactions, session: session)
        isComplete = true
    }

    /// Returns the transactions to read next; nil at the end.
    ///
    /// - Parameter end: The present time, in milliseconds; only that of the first call is used.
    mutating func nextPeriod(end: Int64) -> TransactionPredicate? {
        guard !isComplete else { return nil }
        let now = start ?? end
        start = now
        let after = TransactionPredicate.after(Date(milliseconds: now - Self.periodEnds[period]))
        guard period > 0 else { return after }
        return .and([after, .before(Date(milliseconds: now - Self.periodEnds[period - 1] + 1))])
    }

    /// Whether there is more to undo, or to redo, than before.
    func hasMore(than known: UndoHistory, isRedoing: Bool) -> Bool {
        isRedoing
            ? hasWork || redoable.count > known.redoable.count : undoable.count > known.undoable.count
    }

    /// Adds the transactions of a period, oldest first, all before the known ones.
    mutating func add(earlier transactions: [HistoryTransaction], session: Int64) {
        var (undoable, redoable): ([Step], [Step]) = ([], [])
        for transaction in transactions.reversed() {
            let (name, number) = (StepName(transaction.contextName), transaction.number)
            guard !Self.isSkipped(name), !name.isContinued else { continue }
            if name.start != nil {
                let step = SessionStep(session: transaction.session, name: name)
                guard known.insert(step).inserted else { continue }
            }
            let step = Step(
                token: transaction.token, timestamp: transaction.timestamp,
                isOfSession: transaction.session == session, process: transaction.process)
            switch Role(contextName: transaction.contextName) {
            case .work, .restore:
                if !undone.contains(number) { undoable.append(step) }
                hasWork = true
            case .undo(let undoneNumber, _):
                if !hasWork, !redone.contains(number) { redoable.append(step) }
                undone.insert(undoneNumber)
            case .redo(let redoneNumber, _):
                if !undone.contains(number) { undoable.append(step) }
                redone.insert(redoneNumber)
            }
        }
        self.undoable = undoable.reversed() + self.undoable
        self.redoable = redoable.reversed() + self.redoable
        period += 1
        isComplete = period == Self.periodEnds.count || transactions.count >= Self.maxSteps
    }
}
