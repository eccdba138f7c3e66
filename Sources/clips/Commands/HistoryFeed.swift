import HistoryTracking
import PersistentStore

/// Prints transactions, those that exist and those that are committed later.
///
/// A batch is read, its snapshot ends, and then it is written: an output that is slow, or that nothing reads, holds no
/// snapshot, and the `-wal` does not grow for it.
struct HistoryFeed {
    private let container: PersistentContainer
    private let invocation: Invocation
    private let reader: HistoryReader
    private var lines: HistoryLines

    /// Changes in one read: a snapshot of a few milliseconds.
    private static let mostChanges = 1000

    init(container: PersistentContainer, invocation: Invocation, where predicate: TransactionPredicate?) {
        self.container = container
        self.invocation = invocation
        reader = HistoryReader(where: predicate)
        lines = HistoryLines(isJSON: invocation.isJSON)
    }

    /// - Parameter limit: the number of transactions to print first: with ``HistoryFetchRequest/Start/newest`` the newest
    ///   ones, otherwise the first after the start.
    mutating func run(_ start: HistoryFetchRequest.Start, limit: Int?, follows: Bool) async throws
        -> ExitStatus
    {
        // Watching begins before the first read, so that no commit falls between the two.
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
                invocation.remark(
                    "clips: there are no file events here; the store is asked 20 times a second.")
            }
        }
        return .done
    }

    /// Prints what follows a position.
    ///
    /// - Returns: the position up to which everything has been printed or left out.
    private mutating func print(
        after start: HistoryPosition, limit: Int = .max, upTo end: HistoryToken? = nil
    ) async throws -> HistoryPosition {
        let reader = reader
        var (position, left) = (start, limit)
        while left > 0, end.map({ position.token.number < $0.number }) ?? true {
            let from = position
            let batch = try await container.read {
                try reader.next(after: from, limit: Self.mostChanges, in: $0)
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
