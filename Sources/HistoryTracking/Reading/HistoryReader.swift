public import PersistentStore

/// A reader of the history after a position, one bounded batch at a time.
///
/// Every follower of a store reads through it: trackers, the live list, the search index, `clips history
/// --follow`. It holds nothing between two batches, so a slow follower holds no snapshot and does not prevent
/// SQLite from restarting the `-wal`.
///
/// A batch holds whole transactions with up to a limit of changes in total. A transaction with more changes
/// arrives in pieces, numbered by `HistoryTransaction.pieceIndex`, one per batch; only the
/// last one shares its batch with later transactions. Reading a piece takes time in proportion to its own
/// changes, at any position of the transaction; reading the first piece also finds the end of the
/// transaction.
public struct HistoryReader: Sendable {
    private let predicate: TransactionPredicate?

    /// Creates a reader.
    ///
    /// - Parameter predicate: the transactions to admit, such as `.authors(["app", nil])`; nil admits all.
    public init(where predicate: TransactionPredicate? = nil) { self.predicate = predicate }

    /// Returns the next batch; nil if nothing follows the position.
    ///
    /// - Parameters:
    ///   - position: the end of the previous batch, or a token.
    ///   - limit: the number of changes in a batch, at least one.
    ///   - snapshot: the state of the store to read; the same for several batches, or a new one for each.
    /// - Throws: `StoreError.tokenExpired(oldest:)` or another error of the token if history after the position is
    ///   missing.
    /// - Complexity: O(*n*) in the changes of the batch and the changes among them that the reader does not
    ///   admit.
    public func next(after position: HistoryPosition, limit: Int, in snapshot: borrowing StoreSnapshot)
        throws(StoreError)
        -> HistoryBatch?
    {
        try next(after: position, limit: limit, isSingle: false, in: snapshot)
    }

    /// Returns the next batch, or a full refresh if the limit requires one; nil if nothing follows.
    ///
    /// - Parameters:
    ///   - position: the end of the previous batch, or a token.
    ///   - limit: the maximum number of changes, and the alternative if there are more.
    ///   - isSingle: Whether to read only one transaction, to find the one at which a step throws.
    ///   - snapshot: the state of the store to read.
    package func next(
        after position: HistoryPosition, limit: BatchLimit, isSingle: Bool = false,
        in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> HistoryStep? {
        guard case .refreshBeyond(let maxChanges) = limit else {
            return try next(after: position, limit: limit.changes, isSingle: isSingle, in: snapshot)
                .map(HistoryStep.batch)
        }
        try snapshot.check(position.token)
        let newest = try snapshot.newestToken()
        guard newest != position.token else { return nil }
        let refresh = HistoryStep.refresh(
            SkippedHistory(after: position.token, upTo: newest, reason: .tooManyChanges))
        // Avoids reading a transaction of a million changes only to reject it. Each change has a number, so a
        // smaller range of numbers has fewer changes.
        if predicate == nil, newest.number - position.token.number > maxChanges,
            try snapshot.hasMoreChanges(after: position.token, than: maxChanges)
        {
            return refresh
        }
        guard let batch = try next(after: position, limit: maxChanges, isSingle: isSingle, in: snapshot)
        else {
            return nil
        }
        let isTooMuch =
            batch.end.isInsideTransaction || (!batch.isLast && !isSingle)
            || batch.transactions.reduce(0) { $0 + $1.changes.count } > maxChanges
        return isTooMuch ? refresh : .batch(batch)
    }

    /// Returns the position before the first transaction that the reader admits; the end of the history if
    /// there is none, or the oldest valid token if that is later.
    ///
    /// - Parameters:
    ///   - start: the start of the search.
    ///   - limit: the number of transactions with `HistoryFetchRequest.Start.newest`; nil for all.
    ///   - snapshot: the state of the store to read.
    public func position(
        of start: HistoryFetchRequest.Start, limit: Int? = nil, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> HistoryPosition {
        let isNewest = if case .newest = start { true } else { false }
        var request = HistoryFetchRequest(start, where: predicate, limit: isNewest ? limit : 1)
        request.includesChanges = false
        var first: HistoryToken?
        try snapshot.forEachTransaction(request) { transaction in
            first = transaction.tokenBefore
            return false
        }
        let token = if let first { first } else { try snapshot.newestToken() }
        do throws(StoreError) {
            try snapshot.check(token)
            return HistoryPosition(token)
        } catch {
            guard case .tokenExpired(let oldest) = error else { throw error }
            // The retained transactions before it may have gaps, so no batch can begin there.
            return HistoryPosition(oldest)
        }
    }

    private func next(
        after position: HistoryPosition, limit: Int, isSingle: Bool, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> HistoryBatch? {
        try snapshot.check(position.token)
        let newest = try snapshot.newestToken()
        guard newest != position.token else { return nil }
        var request = HistoryFetchRequest(.after(position.token), where: predicate)
        request.resumption = position.resumption
        request.maxChangesAtOnce = max(1, limit)
        var transactions: [HistoryTransaction] = []
        var changes = 0
        var isCut = false
        try snapshot.forEachTransaction(request) { transaction in
            changes += transaction.changes.count
            // A transaction that does not fit begins the next batch; only its changes up to the limit are
            // read twice.
            isCut = !transactions.isEmpty && (changes > limit || !transaction.isComplete)
            guard !isCut else { return false }
            transactions.append(transaction)
            isCut = isSingle || !transaction.isComplete
            return !isCut
        }
        guard isCut, let last = transactions.last else {
            return HistoryBatch(transactions: transactions, end: HistoryPosition(newest), isLast: true)
        }
        let resumption = HistoryResumption(after: last)
        let end = HistoryPosition(resumption == nil ? last.token : position.token, resumption)
        return HistoryBatch(transactions: transactions, end: end, isLast: false)
    }
}

/// The transactions of one read of the history.
public struct HistoryBatch: Sendable {
    /// Whole transactions, or pieces of a long one; empty if the reader admitted none of those that it read.
    public let transactions: [HistoryTransaction]
    /// The position after the batch, for the next read.
    public let end: HistoryPosition
    /// Whether the batch reaches the end of the history in the snapshot.
    public let isLast: Bool
}

/// The result of a read whose limit may replace many changes by a full refresh.
package enum HistoryStep: Sendable {
    case batch(HistoryBatch)
    /// A full refresh that replaces the transactions in this range.
    case refresh(SkippedHistory)
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

extension BatchLimit {
    fileprivate var changes: Int {
        switch self {
        case .refreshBeyond(let count), .split(let count): count
        }
    }
}

/// A position in the history, which may be inside a long transaction that is read in pieces.
///
/// Only the token is stored: after a restart, an incomplete transaction begins again with its first piece.
public struct HistoryPosition: Hashable, Sendable {
    /// The last transaction that has been read completely.
    public let token: HistoryToken
    /// The part of the next, long transaction that has been read.
    let resumption: HistoryResumption?

    public init(_ token: HistoryToken) { self.init(token, nil) }

    init(_ token: HistoryToken, _ resumption: HistoryResumption?) {
        self.token = token
        self.resumption = resumption
    }

    /// Whether more pieces of the same transaction follow.
    public var isInsideTransaction: Bool { resumption != nil }
}
