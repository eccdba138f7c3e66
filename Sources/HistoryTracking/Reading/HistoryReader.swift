public import PersistentStore

/// Reads what follows a position in the history, one bounded batch at a time.
///
/// Every follower of a store reads through it: trackers, the live list, the search index, `clips history --follow`.
/// Nothing is held between two batches, so a follower that works on a batch, or writes it somewhere slow, holds no
/// snapshot and does not keep SQLite from restarting the `-wal`.
///
/// A batch holds whole transactions that together have up to a limit of changes. A transaction with more changes comes
/// in pieces, numbered by ``PersistentStore/HistoryTransaction/pieceIndex``, one in each batch; only the last one shares
/// its batch with transactions that follow. Each piece costs its own changes, wherever in the transaction it lies, except
/// that the first one finds the end of the transaction.
public struct HistoryReader: Sendable {
    private let predicate: TransactionPredicate?

    /// - Parameters:
    ///   - authors: only these authors; an empty set admits nothing, nil admits all. Nil in the set stands for writers
    ///     without an author.
    ///   - predicate: which transactions; nil admits all.
    public init(authors: Set<String?>? = nil, where predicate: TransactionPredicate? = nil) {
        self.predicate = HistoryFetchRequest(authors: authors, where: predicate).predicate
    }

    /// The next batch; nil when nothing follows the position.
    ///
    /// - Parameters:
    ///   - position: the end of the previous batch, or a token.
    ///   - limit: the number of changes in a batch, at least one.
    ///   - snapshot: the state of the store that is read; another one for each batch, or the same.
    /// - Throws: the errors of ``PersistentStore/StoreSnapshot/check(_:)`` when history after the position is missing.
    /// - Complexity: O(*n*) in the changes of the batch, and in those between that the reader does not admit.
    public func next(after position: HistoryPosition, limit: Int, in snapshot: StoreSnapshot) throws
        -> HistoryBatch?
    {
        try next(after: position, limit: limit, isSingle: false, in: snapshot)
    }

    /// The next batch, or a full refresh when the limit prefers one to so many changes; nil when nothing follows.
    ///
    /// - Parameter isSingle: true for one transaction only, to find out at which one a step throws.
    public func next(
        after position: HistoryPosition, limit: BatchLimit, isSingle: Bool = false, in snapshot: StoreSnapshot
    ) throws -> HistoryStep? {
        guard case .refreshBeyond(let most) = limit else {
            return try next(after: position, limit: limit.changes, isSingle: isSingle, in: snapshot)
                .map(HistoryStep.batch)
        }
        try snapshot.check(position.token)
        let newest = try snapshot.newestToken()
        guard newest != position.token else { return nil }
        let refresh = HistoryStep.refresh(
            SkippedHistory(after: position.token, upTo: newest, reason: .tooManyChanges))
        // A transaction of a million changes is not read to find out that it is too much. A change has a number, so
        // fewer numbers are fewer changes.
        if predicate == nil, newest.number - position.token.number > most,
            try snapshot.hasMoreChanges(after: position.token, than: most)
        {
            return refresh
        }
        guard let batch = try next(after: position, limit: most, isSingle: isSingle, in: snapshot) else {
            return nil
        }
        let isTooMuch =
            batch.end.isInsideTransaction || (!batch.isLast && !isSingle)
            || batch.transactions.reduce(0) { $0 + $1.changes.count } > most
        return isTooMuch ? refresh : .batch(batch)
    }

    /// The position before the first transaction that the reader admits; the end of the history when there is none.
    ///
    /// - Parameters:
    ///   - start: where to begin.
    ///   - limit: the number of transactions with ``PersistentStore/HistoryFetchRequest/Start/newest``; nil for all.
    public func position(
        of start: HistoryFetchRequest.Start, limit: Int? = nil, in snapshot: StoreSnapshot
    ) throws -> HistoryPosition {
        let isNewest = if case .newest = start { true } else { false }
        var request = HistoryFetchRequest(start, where: predicate, limit: isNewest ? limit : 1)
        request.includesChanges = false
        var first: HistoryToken?
        try snapshot.forEachTransaction(request) { transaction in
            first = transaction.tokenBefore
            return false
        }
        return HistoryPosition(try first ?? snapshot.newestToken())
    }

    private func next(
        after position: HistoryPosition, limit: Int, isSingle: Bool, in snapshot: StoreSnapshot
    ) throws -> HistoryBatch? {
        try snapshot.check(position.token)
        let newest = try snapshot.newestToken()
        guard newest != position.token else { return nil }
        var request = HistoryFetchRequest(.token(position.token), where: predicate)
        request.resumption = position.resumption
        request.maxChangesAtOnce = max(1, limit)
        var transactions: [HistoryTransaction] = []
        var changes = 0
        var isCut = false
        try snapshot.forEachTransaction(request) { transaction in
            changes += transaction.changes.count
            // One that does not fit begins the next batch: it is read up to the limit twice, never in vain otherwise.
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
    /// Whole transactions, or pieces of a long one; empty when the reader admits none of those that it passed.
    public let transactions: [HistoryTransaction]
    /// The position after them, for the next read.
    public let end: HistoryPosition
    /// Whether nothing more followed in the snapshot.
    public let isLast: Bool
}

/// The result of a read with a limit that prefers a full refresh to many changes.
public enum HistoryStep: Sendable {
    case batch(HistoryBatch)
    /// The current data must be read instead of the transactions in this range.
    case refresh(SkippedHistory)
}

/// A range of the history that was replaced by a full refresh: its transactions were not delivered.
public struct SkippedHistory: Hashable, Sendable {
    /// The reason for a full refresh.
    public enum Reason: Hashable, Sendable {
        /// More changes than ``BatchLimit/refreshBeyond(_:)`` allows.
        case tooManyChanges
        /// The cursor had expired, was damaged, or was that of another or of a newer store.
        case unusableCursor
    }

    /// Everything up to here had been delivered; nil when the cursor could not be read.
    public let after: HistoryToken?
    /// The state that was read instead; what follows it is delivered.
    public let upTo: HistoryToken
    public let reason: Reason

    public init(after: HistoryToken?, upTo: HistoryToken, reason: Reason) {
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
