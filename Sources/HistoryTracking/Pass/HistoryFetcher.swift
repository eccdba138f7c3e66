import PersistentStore

/// What one read of the history brought.
struct HistoryBatch: Sendable {
    /// Whole transactions, or one piece of a long one; nil when everything was read anew instead.
    let transactions: [HistoryTransaction]?
    let end: HistoryPosition
    /// Nothing more was there at the time of reading.
    let isLast: Bool
}

/// Reads what has been committed since a cursor, in one snapshot.
struct HistoryFetcher: Sendable {
    enum Outcome {
        case nothing
        case batch(HistoryBatch)
        /// There is more than the consumer's limit: everything is to be read anew.
        case tooMany(upTo: HistoryToken)
    }

    let authors: Set<String?>?
    /// Left out, whatever `authors` says.
    let excluded: Set<String>
    let limit: BatchLimit

    /// - Parameter onlyOne: one transaction, to find out which one a step throws at.
    func fetch(after position: HistoryPosition, onlyOne: Bool, from snapshot: StoreSnapshot) throws -> Outcome
    {
        try snapshot.check(position.token)
        let newest = try snapshot.newestToken()
        guard newest != position.token else { return .nothing }
        // A batch of a million is not read to find out that it is too much.
        if authors == nil, case .refreshBeyond(let most) = limit,
            try snapshot.hasMoreChanges(after: position.token, than: most)
        {
            return .tooMany(upTo: newest)
        }
        var transactions: [HistoryTransaction] = []
        var changes = 0
        var isCut = false
        try snapshot.forEachTransaction(request(after: position)) { transaction in
            transactions.append(transaction)
            changes += transaction.changes.count
            isCut = onlyOne || changes > limit.changes || !transaction.isComplete
            return !isCut
        }
        guard isCut, let last = transactions.last else {
            return .batch(
                HistoryBatch(transactions: transactions, end: HistoryPosition(token: newest), isLast: true))
        }
        if !onlyOne, case .refreshBeyond = limit { return .tooMany(upTo: newest) }
        let end =
            if let resumption = HistoryResumption(after: last) {
                HistoryPosition(
                    token: transactions.dropLast().last?.token ?? position.token, resumption: resumption)
            } else {
                HistoryPosition(token: last.token)
            }
        return .batch(HistoryBatch(transactions: transactions, end: end, isLast: false))
    }

    private func request(after position: HistoryPosition) -> HistoryFetchRequest {
        let imports = TransactionPredicate.authors(Set(excluded.map(Optional.some)))
        var request = HistoryFetchRequest(
            .token(position.token), authors: authors, where: excluded.isEmpty ? nil : .not(imports))
        request.resumption = position.resumption
        if case .split(let count) = limit { request.mostChangesAtOnce = max(1, count) }
        return request
    }
}

extension BatchLimit {
    fileprivate var changes: Int {
        switch self {
        case .refreshBeyond(let count), .split(let count): count
        }
    }
}
