import HistoryTracking
package import PersistentStore

/// The transactions of a store, one batch at a time: those that exist, and those that are committed later.
package struct TransactionFeed {
    private let follows: Bool
    /// The last transaction to read before waiting for the next commit.
    private let end: HistoryToken
    private let continued: (HistoryToken) -> FollowedHistory<[HistoryTransaction]>
    private var transactions: FollowedHistory<[HistoryTransaction]>.Iterator
    /// The last transaction that was returned or skipped.
    private var position: HistoryToken
    private var left: Int
    private var isWaiting = false

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
        reportPolling: @escaping @Sendable () -> Void = {}
    ) async throws(StoreError) {
        self.follows = follows
        left = limit ?? .max
        let container = store.container
        let (follower, end) = try await container.read { snapshot throws(StoreError) in
            (
                try HistoryFollower(from: start, count: limit, where: predicate, in: snapshot),
                try snapshot.newestToken()
            )
        }
        (self.end, position) = (end, follower.token)
        func following(_ follower: HistoryFollower, waits: Bool) -> FollowedHistory<[HistoryTransaction]> {
            container.followedHistory(follower, waits: waits, onPolling: reportPolling) {
                step, snapshot throws(StoreError) in
                let transactions = try step.transactions(in: snapshot)
                return transactions.isEmpty ? nil : transactions
            }
        }
        transactions = following(follower, waits: false).makeAsyncIterator()
        continued = { following(HistoryFollower(after: $0, where: predicate), waits: true) }
    }

    /// Returns the next transactions, whole or in pieces; nil at the end. A feed that follows waits for
    /// commits.
    ///
    /// - Throws: the errors of `StoreSnapshot.check(_:)`; `StoreError.replaced` if the store was replaced.
    package mutating func next() async throws(StoreError) -> [HistoryTransaction]? {
        if !isWaiting {
            if left > 0, position.precedes(end) == true, let pieces = try await transactions.next() {
                return admit(pieces)
            }
            guard follows else { return nil }
            isWaiting = true
            // Beyond the limit, the feed skips what already exists.
            let start = position.precedes(end) == true ? end : position
            transactions = continued(start).makeAsyncIterator()
        }
        return try await transactions.next()
    }

    /// Returns the pieces up to the limit.
    private mutating func admit(_ pieces: [HistoryTransaction]) -> [HistoryTransaction] {
        let admitted = pieces.prefix { piece in
            guard left > 0 else { return false }
            if piece.isComplete { left -= 1 }
            return true
        }
        position = left == 0 ? admitted.last?.token ?? position : transactions.follower.token
        return Array(admitted)
    }
}

extension ClipStore {
    /// The number of the newest transaction.
    package func newestTransaction() async throws(StoreError) -> Int64 {
        try await container.read { snapshot throws(StoreError) in try snapshot.newestToken().number }
    }

    /// Calls `handler` once when no process can read data written to a descriptor any more.
    package func watchForHangUp(_ descriptor: CInt, handler: @escaping @Sendable () -> Void) {
        container.watchForHangUp(descriptor, handler: handler)
    }
}
