package import FoundationEssentials
package import PersistentStore

/// One author's transactions that can be taken back and done again, worked out from the history.
package struct OwnWork: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package let token: HistoryToken
        package let timestamp: Date
        /// Done by this process's own store.
        package let isOfSession: Bool
    }

    /// What a transaction is among the author's work; its context name keeps it.
    package enum Role: Hashable, Sendable {
        case work
        case undo(Int64)
        case redo(Int64)

        package init(_ isRedoing: Bool, of number: Int64) {
            self = isRedoing ? .redo(number) : .undo(number)
        }

        package init(contextName: String?) {
            let words = (contextName ?? "").split(separator: " ")
            guard words.count == 2, let number = Int64(words[1]) else {
                self = .work
                return
            }
            switch words[0] {
            case "undo": self = .undo(number)
            case "redo": self = .redo(number)
            default: self = .work
            }
        }

        package var contextName: String? {
            switch self {
            case .work: nil
            case .undo(let number): "undo \(number)"
            case .redo(let number): "redo \(number)"
            }
        }
    }

    /// The last one first to be taken back.
    package private(set) var undoable: [Step] = []
    package private(set) var redoable: [Step] = []
    /// Nothing is left to read.
    package private(set) var isComplete = false
    /// New work: what was taken back before it is not done again.
    package private(set) var hasWork = false
    private var takenBack: Set<Int64> = []
    private var doneAgain: Set<Int64> = []
    private var stretch = 0
    private var start: Int64?

    /// More steps than these are not offered.
    package static let mostSteps = 1000
    /// How far back each stretch reaches, in milliseconds: what was done last is found soon, and a week of other
    /// people's work is passed over only for want of one's own.
    private static let reaches: [Int64] = [1, 10, 60, 6 * 60, 24 * 60, 7 * 24 * 60].map { $0 * 60_000 }

    package init() {}

    /// - Parameter all: the whole history, oldest first.
    package init(all transactions: [HistoryTransaction], session: Int64) {
        add(earlier: transactions, session: session)
        isComplete = true
    }

    /// Which transactions to read next; nil at the end.
    ///
    /// - Parameter end: the time now, in milliseconds; that of the first call counts.
    mutating func nextStretch(end: Int64) -> TransactionPredicate? {
        guard !isComplete else { return nil }
        let now = start ?? end
        start = now
        let after = TransactionPredicate.after(Date(milliseconds: now - Self.reaches[stretch]))
        guard stretch > 0 else { return after }
        return .and([after, .before(Date(milliseconds: now - Self.reaches[stretch - 1] + 1))])
    }

    /// Whether a key has what it asks for.
    func tellsMore(than known: OwnWork, isRedoing: Bool) -> Bool {
        isRedoing
            ? hasWork || redoable.count > known.redoable.count : undoable.count > known.undoable.count
    }

    /// Takes the transactions of a stretch, oldest first; all of them lie before those that are known.
    mutating func add(earlier transactions: [HistoryTransaction], session: Int64) {
        var (undoable, redoable): ([Step], [Step]) = ([], [])
        for transaction in transactions.reversed() {
            let number = transaction.number
            let step = Step(
                token: transaction.token, timestamp: transaction.timestamp,
                isOfSession: transaction.session == session)
            switch Role(contextName: transaction.contextName) {
            case .work:
                if !takenBack.contains(number) { undoable.append(step) }
                hasWork = true
            case .undo(let taken):
                if !hasWork, !doneAgain.contains(number) { redoable.append(step) }
                takenBack.insert(taken)
            case .redo(let done):
                if !takenBack.contains(number) { undoable.append(step) }
                doneAgain.insert(done)
            }
        }
        self.undoable = undoable.reversed() + self.undoable
        self.redoable = redoable.reversed() + self.redoable
        stretch += 1
        isComplete = stretch == Self.reaches.count || transactions.count >= Self.mostSteps
    }
}
