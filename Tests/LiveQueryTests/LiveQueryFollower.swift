import HistoryTracking
import LiveQuery
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// A task that iterates over a live query, and checks each difference.
final class LiveQueryFollower: Sendable {
    struct Seen: Sendable {
        var newest: LiveSnapshot<StoredObject>?
        var snapshots = 0
        var refreshes = 0
        /// The differences that do not lead from one snapshot to the next.
        var errors: [String] = []
        var hasEnded = false
    }

    private let state: SharedState
    private let task: Task<Void, Never>

    private final class SharedState: Sendable {
        let seen = Mutex(Seen())
    }

    init(_ query: LiveFetch<StoredObject>) {
        let (state, sequence) = (SharedState(), query.snapshots)
        self.state = state
        task = Task.detached {
            do {
                for try await snapshot in sequence { state.seen.withLock { $0.receive(snapshot) } }
            } catch {
                Issue.record(error)
            }
            state.seen.withLock { $0.hasEnded = true }
        }
    }

    deinit { task.cancel() }

    func cancel() { task.cancel() }

    var seen: Seen { state.seen.withLock { $0 } }
}

extension LiveQueryFollower.Seen {
    fileprivate mutating func receive(_ snapshot: LiveSnapshot<StoredObject>) {
        let mirror = newest.map { $0.rows.applying(snapshot.difference, from: snapshot.rows) }
        if mirror ?? snapshot.rows != snapshot.rows || snapshot.rows.map(\.id) != snapshot.ids {
            errors.append("snapshot \(snapshots): \(snapshot.difference)")
        }
        if snapshot.isRefreshed { refreshes += 1 }
        newest = snapshot
        snapshots += 1
    }
}

extension Array {
    /// Returns the rows after a difference; the new ones are in `present`.
    func applying(_ difference: LiveDifference, from present: [Element]) -> [Element] {
        var rows = self
        let from = difference.moved.map(\.from)
        let moving = Dictionary(uniqueKeysWithValues: difference.moved.map { ($0.to, self[$0.from]) })
        for index in (difference.removed + from).sorted(by: >) { rows.remove(at: index) }
        for index in (difference.inserted + difference.moved.map(\.to)).sorted() {
            rows.insert(moving[index] ?? present[index], at: index)
        }
        for index in difference.updated { rows[index] = present[index] }
        return rows
    }
}
