import HistoryTracking
import PersistentStore

/// Prints transactions, existing ones and those committed later.
///
/// The snapshot of a batch ends before the batch is written: an output that is slow, or that no process
/// reads, holds no snapshot, so the `-wal` does not grow.
struct HistoryFeed {
    private let container: PersistentContainer
    private let invocation: Invocation
    private let reader: HistoryReader
    private var lines: HistoryLines

    /// The number of changes in one read, whose snapshot takes a few milliseconds.
    private static let maxChanges = 1000

    init(container: PersistentContainer, invocation: Invocation, where predicate: TransactionPredicate?) {
        self.container = container
        self.invocation = invocation
        reader = HistoryReader(where: predicate)
        lines = HistoryLines(isJSON: invocation.isJSON)
    }

    /// - Parameter limit: The number of existing transactions to print: the newest ones if the start is
    ///   ``HistoryFetchRequest/Start/newest``, otherwise the first after the start.
    mutating func run(_ start: HistoryFetchRequest.Start, limit: Int?, follows: Bool) async throws
        -> ExitStatus
    {
        // Watching begins before the first read, so that no commit is missed between the two.
        let events = follows ? try await container.events() : nil
        if follows {
            container.watchForHangUp(invocation.output.descriptor) { Output.endAsByBrokenPipe() }
        }
        let reader = reader
        let (first, newest) = try await container.read { snapshot in
            (try reader.position(of: start, limit: limit, in: snapshot), try snapshot.newestToken())
        }
        var position = try await print(after: first, limit: limit ?? .max, upTo: newest)
        for await event in events ?? .finished {
            switch event {
            case .committed(let newest):
                guard newest != position.token else { continue }
                position = try await print(after: position)
            case .replaced: throw StoreError.replaced(path: container.path)
            case .watchingByPolling:
                invocation.remark("no file events are available; polling the store 20 times per second.")
            }
        }
        return .done
    }

    /// Prints the transactions after a position.
    ///
    /// - Returns: The position after them.
    private mutating func print(
        after start: HistoryPosition, limit: Int = .max, upTo end: HistoryToken? = nil
    ) async throws -> HistoryPosition {
        let reader = reader
        var (position, left) = (start, limit)
        while left > 0, end.map({ position.token.number < $0.number }) ?? true {
            let from = position
            let batch = try await container.read {
                try reader.next(after: from, limit: Self.maxChanges, in: $0)
            }
            guard let batch else { break }
            for piece in batch.transactions where left > 0 {
                invocation.output.write(try lines.text(piece))
                if piece.isComplete { left -= 1 }
            }
            position = batch.end
            if batch.isLast { break }
        }
        try invocation.output.flush()
        guard left == 0, let end else { return position }
        return HistoryPosition(end)
    }
}

extension AsyncStream {
    fileprivate static var finished: AsyncStream { AsyncStream { $0.finish() } }
}
