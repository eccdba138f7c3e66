import Dispatch
import HistoryTracking
import PersistentStore
import Synchronization

/// Records everything that it receives.
final class RecordingConsumer: HistoryConsumer {
    struct Record {
        var transactions: [HistoryTransaction] = []
        var refreshes = 0
        var states: [TrackingState] = []
        var failuresLeft = 0
        var batches: [Int] = []
    }

    struct Refusal: Error {}

    let batchLimit: BatchLimit
    private let record: Mutex<Record>
    private let error: any Error
    private let refuses: @Sendable ([HistoryTransaction]) -> Bool
    private let news = DispatchSemaphore(value: 0)

    init(
        batchLimit: BatchLimit = .split(1000), failures: Int = 0, throwing error: any Error = Refusal(),
        refusing: @escaping @Sendable ([HistoryTransaction]) -> Bool = { _ in false }
    ) {
        self.error = error
        refuses = refusing
        self.batchLimit = batchLimit
        record = Mutex(Record(failuresLeft: failures))
    }

    var seen: Record { record.withLock { $0 } }
    var numbers: [Int64] { seen.transactions.map(\.number) }
    var changes: Int { seen.transactions.reduce(0) { $0 + $1.changes.count } }

    func refresh(from snapshot: borrowing StoreSnapshot) throws {
        record.withLock { $0.refreshes += 1 }
        news.signal()
    }

    func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
        defer { news.signal() }
        try record.withLock { record in
            record.batches.append(transactions.count)
            if refuses(transactions) { throw Refusal() }
            if record.failuresLeft > 0 {
                record.failuresLeft -= 1
                throw error
            }
            record.transactions += transactions
        }
    }

    func trackingDidChange(_ state: TrackingState) { record.withLock { $0.states.append(state) } }

    /// Waits until that number of transactions has arrived; returns false if it does not within the bound.
    func waits(for count: Int, milliseconds: Int) -> Bool {
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        while record.withLock({ $0.transactions.count }) < count {
            guard news.wait(timeout: deadline) == .success else {
                return record.withLock { $0.transactions.count } >= count
            }
        }
        return true
    }
}

extension TrackingParameters {
    /// Parameters of a tracker that neither cleans nor logs, and that repeats a failed pass soon.
    static func quiet(
        _ name: String, contexts: [StoreContext] = [], cursor: CursorPolicy = .everyPass
    ) -> TrackingParameters {
        var parameters = TrackingParameters(name: name)
        parameters.contexts = contexts
        parameters.cursor = cursor
        parameters.cleaning = .none
        parameters.retryPause = .milliseconds(5)
        parameters.logger = nil
        return parameters
    }
}
