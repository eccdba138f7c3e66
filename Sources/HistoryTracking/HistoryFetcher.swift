import PersistentStore

/// Reads what has been committed since a cursor, in one snapshot.
struct HistoryFetcher {
    enum Outcome {
        case nothing
        case transactions([HistoryTransaction], upTo: HistoryToken)
        /// There is more than the consumer's limit: everything is to be read anew.
        case tooMany(upTo: HistoryToken)
    }

    let authors: Set<String?>?
    let limit: BatchLimit

    func fetch(after cursor: HistoryToken, from snapshot: StoreSnapshot) throws -> Outcome {
        try snapshot.check(cursor)
        let newest = try snapshot.newestToken()
        guard newest != cursor else { return .nothing }
        // A batch of a million is not read to find out that it is too much.
        if authors == nil, case .refreshBeyond(let most) = limit,
            try snapshot.hasMoreChanges(after: cursor, than: most)
        {
            return .tooMany(upTo: newest)
        }
        var transactions: [HistoryTransaction] = []
        var changes = 0
        var isCut = false
        try snapshot.forEachTransaction(HistoryFetchRequest(.token(cursor), authors: authors)) {
            transaction in
            transactions.append(transaction)
            changes += transaction.changes.count
            isCut = changes > limit.changes
            return !isCut
        }
        guard isCut else { return .transactions(transactions, upTo: newest) }
        switch limit {
        case .refreshBeyond: return .tooMany(upTo: newest)
        case .split: return .transactions(transactions, upTo: transactions.last?.token ?? newest)
        }
    }
}

extension BatchLimit {
    fileprivate var changes: Int {
        switch self {
        case .refreshBeyond(let count), .split(let count): count
        }
    }
}
