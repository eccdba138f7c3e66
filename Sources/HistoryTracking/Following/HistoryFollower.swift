public import PersistentStore

/// A position in the history that moves forward one bounded step at a time.
///
/// Every reader of the history follows it with this value: trackers, the live list, the search index, a mirror,
/// `clips history --follow`. It holds nothing between two steps, so a slow reader holds no snapshot and does not
/// prevent SQLite from restarting the `-wal`. A copy retains the position: to repeat a step that could not be
/// processed, discard the copy that has moved.
///
/// A step holds whole transactions with up to a limit of changes in total. A transaction with more changes
/// arrives in pieces, numbered by `HistoryTransaction.pieceIndex`, one per step; only the last one shares its
/// step with later transactions. Reading a piece takes time in proportion to its own changes, at any position of
/// the transaction; reading the first piece also finds the end of the transaction.
///
/// To wait for commits, use `follow(after:where:limit:waits:onPolling:)` of the container.
package struct HistoryFollower: Sendable {
    private let predicate: TransactionPredicate?
    private let limit: BatchLimit
    /// The last transaction that has been read completely. Only this is stored in a cursor: after a restart, an
    /// incomplete transaction begins again with its first piece.
    package private(set) var token: HistoryToken
    /// The part of the next, long transaction that has been read.
    private var resumption: HistoryResumption?
    /// Whether the last step reached the end of the history in its snapshot.
    package private(set) var isAtEnd = false

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - token: the last transaction before the first step.
    ///   - predicate: the transactions to admit, such as `.authors(["app", nil])`; nil admits all.
    ///   - limit: the number of changes in a step, and the alternative if there are more.
    package init(
        after token: HistoryToken, where predicate: TransactionPredicate? = nil,
        limit: BatchLimit = .split(1000)
    ) {
        self.token = token
        self.predicate = predicate
        self.limit = limit
    }

    /// Creates a follower before the first transaction that it admits; at the end of the history if there is
    /// none, or at the oldest valid token if that is later.
    ///
    /// - Parameters:
    ///   - start: the start of the search.
    ///   - count: the number of transactions with `HistoryFetchRequest.Start.newest`; nil for all.
    ///   - predicate: the transactions to admit; nil admits all.
    ///   - limit: the number of changes in a step, and the alternative if there are more.
    ///   - snapshot: the state of the store to read.
    package init(
        from start: HistoryFetchRequest.Start, count: Int? = nil,
        where predicate: TransactionPredicate? = nil,
        limit: BatchLimit = .split(1000), in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        let isNewest = if case .newest = start { true } else { false }
        let request = HistoryFetchRequest(
            start, where: predicate, limit: isNewest ? count : 1, includesChanges: false)
        var first: HistoryToken?
        try snapshot.forEachTransaction(request) { transaction in
            first = transaction.tokenBefore
            return false
        }
        var token = if let first { first } else { try snapshot.newestToken() }
        do throws(StoreError) {
            try snapshot.check(token)
        } catch {
            guard case .tokenExpired(let oldest) = error else { throw error }
            // The retained transactions before it may have gaps, so no step can begin there.
            token = oldest
        }
        self.init(after: token, where: predicate, limit: limit)
    }

    /// Whether more pieces of the same transaction follow.
    package var isInsideTransaction: Bool { resumption != nil }

    /// Returns the next step and moves past it; nil if nothing follows.
    ///
    /// A full refresh replaces the transactions if there are more changes than the limit admits, and if history
    /// after the position is missing, or is that of another store. The follower is then at the snapshot's end.
    ///
    /// - Parameter snapshot: the state of the store to read; the same for several steps, or a new one for each.
    /// - Complexity: O(*n*) in the changes of the step and the changes among them that the follower does not
    ///   admit.
    package mutating func next(in snapshot: borrowing StoreSnapshot) throws(StoreError) -> HistoryStep? {
        try next(isSingle: false, in: snapshot)
    }

    /// - Parameter isSingle: Whether to read only one transaction, to find the one at which a reader throws.
    mutating func next(
        isSingle: Bool, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> HistoryStep? {
        do throws(StoreError) {
            try snapshot.check(token)
        } catch {
            switch error {
            case .tokenExpired, .tokenOfAnotherStore, .tokenFromFuture:
                return refresh(.unusableCursor, upTo: try snapshot.newestToken())
            default: throw error
            }
        }
        let newest = try snapshot.newestToken()
        guard newest != token else {
            isAtEnd = true
            return nil
        }
        switch limit {
        case .split(let count): return try read(count, upTo: newest, isSingle: isSingle, in: snapshot)
        case .refreshBeyond(let count):
            // Avoids reading a transaction of a million changes only to reject it. Each change has a number, so
            // a smaller range of numbers has fewer changes.
            if predicate == nil, newest.number - token.number > count,
                try snapshot.hasMoreChanges(after: token, than: count)
            {
                return refresh(.tooManyChanges, upTo: newest)
            }
            let start = self
            let step = try read(count, upTo: newest, isSingle: isSingle, in: snapshot)
            guard isInsideTransaction || (!isAtEnd && !isSingle) || step.changeCount > count else {
                return step
            }
            self = start
            return refresh(.tooManyChanges, upTo: newest)
        }
    }

    private mutating func refresh(_ reason: SkippedHistory.Reason, upTo newest: HistoryToken) -> HistoryStep {
        let skipped = SkippedHistory(after: token, upTo: newest, reason: reason)
        (token, resumption, isAtEnd) = (newest, nil, true)
        return .refresh(skipped)
    }

    private mutating func read(
        _ limit: Int, upTo newest: HistoryToken, isSingle: Bool, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> HistoryStep {
        var request = HistoryFetchRequest(.after(token), where: predicate)
        request.resumption = resumption
        request.maxChangesAtOnce = max(1, limit)
        var transactions: [HistoryTransaction] = []
        var changes = 0
        var isCut = false
        try snapshot.forEachTransaction(request) { transaction in
            changes += transaction.changes.count
            // A transaction that does not fit begins the next step; only its changes up to the limit are read
            // twice.
            isCut = !transactions.isEmpty && (changes > limit || !transaction.isComplete)
            guard !isCut else { return false }
            transactions.append(transaction)
            isCut = isSingle || !transaction.isComplete
            return !isCut
        }
        if isCut, let last = transactions.last {
            resumption = HistoryResumption(after: last)
            if resumption == nil { token = last.token }
            isAtEnd = false
        } else {
            (token, resumption, isAtEnd) = (newest, nil, true)
        }
        return .transactions(transactions)
    }
}

/// A step of following the history.
public enum HistoryStep: Sendable {
    /// Whole transactions, or pieces of a long one; empty if the follower admits none of those that it read.
    case transactions([HistoryTransaction])
    /// A full refresh: read the current data instead of the transactions in this range.
    case refresh(SkippedHistory)

    /// The position after the step, for the cursor of a consumer; nil inside a transaction.
    public var token: HistoryToken? {
        switch self {
        case .transactions(let transactions): transactions.last.flatMap { $0.isComplete ? $0.token : nil }
        case .refresh(let skipped): skipped.upTo
        }
    }

    fileprivate var changeCount: Int {
        if case .transactions(let transactions) = self {
            transactions.reduce(0) { $0 + $1.changes.count }
        } else {
            0
        }
    }

    /// Returns the transactions, for a reader that cannot refresh.
    ///
    /// - Throws: `StoreError.tokenExpired(oldest:)` or another error of the token that the follower had.
    package func transactions(in snapshot: borrowing StoreSnapshot) throws(StoreError) -> [HistoryTransaction]
    {
        switch self {
        case .transactions(let transactions): return transactions
        case .refresh(let skipped):
            if let token = skipped.after { try snapshot.check(token) }
            return []
        }
    }
}

/// A range of the history that a full refresh replaced; its transactions were not delivered.
public struct SkippedHistory: Hashable, Sendable {
    /// The reason for a full refresh.
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
        /// More changes than ``BatchLimit/refreshBeyond(_:)`` allows.
        case tooManyChanges
        /// The cursor expired, was damaged, or belonged to another store or a newer copy of it.
        case unusableCursor
    }

    /// The last token that was delivered before the range; nil if the cursor could not be read.
    public let after: HistoryToken?
    /// The token of the refreshed state; later transactions are delivered.
    public let upTo: HistoryToken
    public let reason: Reason

    package init(after: HistoryToken?, upTo: HistoryToken, reason: Reason) {
        self.after = after
        self.upTo = upTo
        self.reason = reason
    }
}
