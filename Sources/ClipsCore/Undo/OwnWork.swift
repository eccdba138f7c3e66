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

    /// - Parameter transactions: oldest first.
    package init(_ transactions: [HistoryTransaction], session: Int64) {
        for transaction in transactions {
            let step = Step(
                token: transaction.token, timestamp: transaction.timestamp,
                isOfSession: transaction.session == session)
            switch Role(contextName: transaction.contextName) {
            case .work:
                undoable.append(step)
                redoable = []
            case .undo(let number):
                undoable.removeAll { $0.token.number == number }
                redoable.append(step)
            case .redo(let number):
                redoable.removeAll { $0.token.number == number }
                undoable.append(step)
            }
        }
    }
}
