import Synchronization

/// The transactions that were committed by one piece of work, whatever contexts it used.
///
/// Whoever hands out work notes what comes of it, to know it again in the history.
package final class SavedTransactions: Sendable {
    /// Set for a task and its children; every save and batch request in it is noted.
    @TaskLocal package static var current: SavedTransactions?

    private let numbers = Mutex<Set<Int64>>([])

    package init() {}

    package func contains(_ transaction: HistoryTransaction) -> Bool {
        numbers.withLock { $0.contains(transaction.number) }
    }

    /// What lies at or before a token has been met in the history and is not needed any more.
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
