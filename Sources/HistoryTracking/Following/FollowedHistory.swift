public import PersistentStore

extension PersistentContainer {
    /// Follows the history after a token: a sequence of whole transactions or full refreshes.
    ///
    /// The sequence ends when its task is cancelled or the container is closed, and at the newest transaction if it
    /// does not wait. A step and its snapshot end before an element is returned, so a slow loop holds no snapshot.
    /// Throws `StoreError.replaced(path:)` after the store was replaced. Each iterator follows independently.
    ///
    /// ```swift
    /// for try await step in container.follow(after: token) {
    ///     guard case .transactions(let transactions) = step else { continue }
    ///     for transaction in transactions { print(transaction.number, transaction.changes.count) }
    /// }
    /// ```
    ///
    /// A step holds whole transactions with up to a limit of changes in total. A transaction with more changes
    /// arrives in pieces, one per step; only the last one shares its step with later transactions.
    ///
    /// - Parameters:
    ///   - token: The last transaction before the first step.
    ///   - predicate: The transactions to admit, such as `.authors(["app", nil])`; nil admits all.
    ///   - limit: The number of changes in a step, and the alternative if there are more.
    ///   - waits: Whether the sequence continues with later commits. If not, it ends at the newest transaction.
    ///   - onPolling: A closure called if the store is polled because file events are unavailable.
    public func follow(
        after token: HistoryToken, where predicate: TransactionPredicate? = nil,
        limit: BatchLimit = .split(1000), waits: Bool = true, onPolling: (@Sendable () -> Void)? = nil
    ) -> some AsyncSequence<HistoryStep, StoreError> & Sendable {
        followedHistory(
            HistoryFollower(after: token, where: predicate, limit: limit), waits: waits, onPolling: onPolling)
    }

    /// Follows the history after a token, and reads for each step from the snapshot that the step has reached.
    ///
    /// - Parameters:
    ///   - token: The last transaction before the first step.
    ///   - predicate: The transactions to admit, such as `.authors(["app", nil])`; nil admits all.
    ///   - limit: The number of changes in a step, and the alternative if there are more.
    ///   - waits: Whether the sequence continues with later commits. If not, it ends at the newest transaction.
    ///   - onPolling: A closure called if the store is polled because file events are unavailable.
    ///   - read: A closure that returns the element for a step; nil skips it. Called on the reader's thread, in
    ///     the same snapshot as the step.
    public func follow<Element: Sendable>(
        after token: HistoryToken, where predicate: TransactionPredicate? = nil,
        limit: BatchLimit = .split(1000), waits: Bool = true, onPolling: (@Sendable () -> Void)? = nil,
        reading read:
            @escaping @Sendable (HistoryStep, borrowing StoreSnapshot) throws(StoreError) -> Element?
    ) -> some AsyncSequence<Element, StoreError> & Sendable {
        followedHistory(
            HistoryFollower(after: token, where: predicate, limit: limit), waits: waits,
            onPolling: onPolling, reading: read)
    }

    /// Returns the steps that are not empty, with a sequence whose iterator has the position.
    package func followedHistory(
        _ follower: HistoryFollower, waits: Bool = true, onPolling: (@Sendable () -> Void)? = nil
    ) -> FollowedHistory<HistoryStep> {
        followedHistory(follower, waits: waits, onPolling: onPolling) { step, _ in
            if case .transactions(let transactions) = step, transactions.isEmpty { nil } else { step }
        }
    }

    package func followedHistory<Element: Sendable>(
        _ follower: HistoryFollower, waits: Bool = true, onPolling: (@Sendable () -> Void)? = nil,
        reading read:
            @escaping @Sendable (HistoryStep, borrowing StoreSnapshot) throws(StoreError) -> Element?
    ) -> FollowedHistory<Element> {
        FollowedHistory(
            iterator: .init(
                container: self, read: read, waits: waits, onPolling: onPolling, follower: follower))
    }
}

/// The history of a store from a position on, as it is committed.
package struct FollowedHistory<Element: Sendable>: AsyncSequence, Sendable {
    package typealias Failure = StoreError

    fileprivate let iterator: Iterator

    package func makeAsyncIterator() -> Iterator { iterator }

    /// An iterator, with its position.
    package struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let container: PersistentContainer
        fileprivate let read: @Sendable (HistoryStep, borrowing StoreSnapshot) throws(StoreError) -> Element?
        fileprivate let waits: Bool
        fileprivate let onPolling: (@Sendable () -> Void)?
        /// The position after the last element.
        package fileprivate(set) var follower: HistoryFollower
        fileprivate var signals: StoreSignals?
        fileprivate var isBehind = true

        package mutating func next(isolation actor: isolated (any Actor)? = #isolation)
            async throws(StoreError) -> Element?
        {
            // Watching begins before the first read, so that no commit falls between the two.
            if waits, signals == nil { signals = try await container.signals() }
            do throws(StoreError) {
                while !Task.isCancelled {
                    while isBehind, !Task.isCancelled {
                        if let element = try await readStep() { return element }
                    }
                    guard let signals, try await isSignalled(signals) else { return nil }
                }
            } catch {
                // Closed after a commit was signalled.
                guard error == .closed, waits else { throw error }
            }
            return nil
        }

        private mutating func readStep() async throws(StoreError) -> Element? {
            let (read, start) = (read, follower)
            let element: Element?
            (element, follower) = try await container.read { snapshot throws(StoreError) in
                var follower = start
                guard let step = try follower.next(in: snapshot) else { return (nil, follower) }
                return (try read(step, snapshot), follower)
            }
            isBehind = !follower.isAtEnd
            return element
        }

        /// Waits for a commit. Returns false if none will follow.
        private mutating func isSignalled(_ signals: StoreSignals) async throws(StoreError) -> Bool {
            let signal = await withTaskCancellationHandler {
                await signals.next()
            } onCancel: {
                signals.finish()
            }
            switch signal {
            case .committed: isBehind = true
            case .watchingByPolling: onPolling?()
            case .replaced: throw .replaced(path: container.path)
            case nil: return false
            }
            return true
        }
    }
}
