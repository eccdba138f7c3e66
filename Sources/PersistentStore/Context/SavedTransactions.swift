import Synchronization

/// The transactions committed by one task, in any context.
///
/// The creator of a task records them, to recognize them in the history.
package final class SavedTransactions: Sendable {
    /// The set for a task and its children, which records every save and batch request in it.
    @TaskLocal package static var current: SavedTransactions?

    private let numbers = Mutex<Set<Int64>>([])

    package init() {}

    package func contains(_ transaction: HistoryTransaction) -> Bool {
        numbers.withLock { $0.contains(transaction.number) }
    }

    /// Discards the transactions up to a token, which have been read from the history.
    package func forget(upTo token: HistoryToken) {
        numbers.withLock { numbers in
            if !numbers.isEmpty { numbers = numbers.filter { $0 > token.number } }
        }
    }

    static func note(_ token: HistoryToken?) {
        guard let token, let current else { return }
        current.numbers.withLock { _ = $0.insert(token.number) }
    }
}
