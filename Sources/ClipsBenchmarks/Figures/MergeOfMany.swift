import ClipsCore
import HistoryTracking
import PersistentStore

extension Figure {
    static let mergeOfMany = Figure(
        name: "MERGE", title: "100,000 external changes, until a context and a consumer have them"
    ) { workspace in
        let changes = workspace.count(100_000, quick: 10_000)
        return try [("one transaction each", 1), ("in one transaction", changes)].map { name, size in
            let speeds = try (0..<workspace.count(5, quick: 2)).map { _ in
                try mergeSpeed(workspace, changes: changes, transactionSize: size)
            }
            return Measurement("changes merged in a second, \(name)", .count, speeds)
        }
    }

    private struct Counter: HistoryConsumer {
        let count = Shared(0)
        func refresh(from snapshot: borrowing StoreSnapshot) throws {}
        func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
            count.change { $0 += transactions.reduce(0) { $0 + $1.changes.count } }
        }
    }

    /// Returns the speed of catch-up at the start of a tracker.
    private static func mergeSpeed(_ workspace: Workspace, changes: Int, transactionSize: Int) throws
        -> Double
    {
        let container = try SampleStore.open(workspace.newPath("merged.db")) {
            $0.durability = .normal
            $0.historyBounds = nil
        }
        return try blocking {
            let counter = Counter()
            let view = container.makeContext(author: "app")
            var parameters = TrackingParameters(name: "merged")
            (parameters.contexts, parameters.cleaning) = ([view], .none)
            parameters.logger = SilentLogger()
            let tracker = HistoryTracker(container: container, parameters: parameters, consumer: counter)
            try await tracker.start()
            await tracker.stop()
            let writer = container.makeContext(author: "extension")
            for first in stride(from: 0, to: changes, by: transactionSize) {
                for number in first..<min(changes, first + transactionSize) {
                    try await writer.insert(ClipModel.entity, SampleClip.values(number))
                }
                try await writer.save()
            }
            let newest = try await container.currentToken()
            // Merges refetch the objects that the view has fetched.
            _ = try await view.fetch(FetchRequest(ClipModel.entity, limit: 100))
            let began = Moment.now
            try await tracker.start()
            while await tracker.deliveredToken != newest { try await Task.sleep(for: .milliseconds(1)) }
            let seconds = began.secondsSince
            guard counter.count.value == changes else {
                throw BenchmarkError("not all changes arrived")
            }
            await container.close()
            return Double(changes) / seconds
        }
    }
}
