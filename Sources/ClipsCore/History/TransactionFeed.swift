import HistoryTracking
package import PersistentStore

/// The transactions of a store, one batch at a time: those that exist, and those that are committed later.
///
/// A batch is read and its snapshot ends before it is returned, so a slow reader of the feed holds no
/// snapshot, and the `-wal` does not grow for it.
package struct TransactionFeed {
    private let container: PersistentContainer
    private let reader: HistoryReader
    private let reportPolling: () -> Void
    private var events: AsyncStream<StoreEvent>.Iterator?
    private var position: HistoryPosition
    /// The last transaction to read before waiting for the next commit.
    private var end: HistoryToken?
    private var left: Int
    private var isBehind = true

    /// Changes in one read: a snapshot of a few milliseconds.
    private static let maxChanges = 1000

    /// Creates a feed.
    ///
    /// - Parameters:
    ///   - start: The first transaction.
    ///   - limit: The number of existing transactions: with `HistoryFetchRequest.Start.newest` the newest
    ///     ones, otherwise the first ones after the start.
    ///   - predicate: The transactions to admit; nil admits all.
    ///   - follows: Whether the feed continues with later commits.
    ///   - reportPolling: A closure called if the store is polled because file events are unavailable.
    package init(
        of store: ClipStore, from start: HistoryFetchRequest.Start, limit: Int? = nil,
        where predicate: TransactionPredicate? = nil, follows: Bool = false,
        reportPolling: @escaping () -> Void = {}
    ) async throws(StoreError) {
        container = store.container
        let reader = HistoryReader(where: predicate)
        self.reader = reader
        self.reportPolling = reportPolling
        left = limit ?? .max
        // Watching begins before the first read, so that no commit falls between the two.
        events = follows ? try await container.events().makeAsyncIterator() : nil
        (position, end) = try await container.read { snapshot throws(StoreError) in
            (try reader.position(of: start, limit: limit, in: snapshot), try snapshot.newestToken())
        }
    }

    /// Returns the next transactions, whole or in pieces; nil at the end. A feed that follows waits for
    /// commits.
    ///
    /// - Throws: the errors of `StoreSnapshot.check(_:)`; `StoreError.replaced` if the store was replaced.
    package mutating func next() async throws(StoreError) -> [HistoryTransaction]? {
        while true {
            while isBehind {
                let transactions = try await readBatch()
                if !transactions.isEmpty { return transactions }
            }
            guard try await waitForCommit() else { return nil }
        }
    }

    private mutating func readBatch() async throws(StoreError) -> [HistoryTransaction] {
        isBehind = false
        let (reader, start) = (reader, position)
        guard left > 0, end.map({ start.token.number < $0.number }) ?? true,
            let batch = try await container.read({ snapshot throws(StoreError) in
                try reader.next(after: start, limit: Self.maxChanges, in: snapshot)
            })
        else { return [] }
        var transactions: [HistoryTransaction] = []
        position = batch.end
        for piece in batch.transactions where left > 0 {
            transactions.append(piece)
            if piece.isComplete { left -= 1 }
            if left == 0 { position = HistoryPosition(piece.token) }
        }
        isBehind = !batch.isLast && left > 0
        return transactions
    }

    /// Returns false if no commit will follow.
    private mutating func waitForCommit() async throws(StoreError) -> Bool {
        // Beyond the limit, the feed skips what already exists.
        if left == 0, let end, position.token.number < end.number { position = HistoryPosition(end) }
        (left, end) = (.max, nil)
        while let event = await events?.next(isolation: #isolation) {
            switch event {
            case .committed(let newest):
                isBehind = newest != position.token
                if isBehind { return true }
            case .replaced: throw .replaced(path: container.path)
            case .watchingByPolling: reportPolling()
            }
        }
        return false
    }
}

extension ClipStore {
    /// Calls `handler` once when no process can read data written to a descriptor any more.
    package func watchForHangUp(_ descriptor: CInt, handler: @escaping @Sendable () -> Void) {
        container.watchForHangUp(descriptor, handler: handler)
    }
}
