import PersistentStore

/// The steps of a pass.
extension HistoryTracker {
    private enum Fetched: Sendable {
        case nothing
        case batch(HistoryBatch)
        case refused([Int64], errorType: String)
    }

    /// Fetches and consumes in one snapshot; nil when there is nothing new.
    func fetch() async throws(PassFailure) -> HistoryBatch? {
        guard let cursor else { return nil }
        do {
            switch try await fetchAndConsume(after: cursor.position) {
            case .nothing: return nil
            case .batch(let batch): return batch
            case .refused(let transactions, let errorType):
                throw PassFailure.thrown(by: .consumer, transactions: transactions, errorType: errorType)
            }
        } catch StoreError.tokenExpired, StoreError.tokenOfAnotherStore, StoreError.tokenFromFuture {
            try await readAnew("the cursor of \(cursor.consumer) could not be used")
            return nil
        } catch let failure as PassFailure {
            throw failure
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .store(.other(path: container.path, reason: "\(type(of: error))"))
        }
    }

    private func fetchAndConsume(after position: HistoryPosition) async throws(StoreError) -> Fetched {
        let (fetcher, consumer, isIsolating) = (fetcher, consumer, isIsolating)
        let failureCount = failureCount
        return try await container.read { snapshot in
            switch try fetcher.fetch(after: position, onlyOne: isIsolating, from: snapshot) {
            case .nothing: return .nothing
            case .tooMany(let token):
                if let errorType = try refusal({ try consumer?.refresh(from: snapshot) }) {
                    return .refused([], errorType: errorType)
                }
                return .batch(
                    HistoryBatch(transactions: nil, end: HistoryPosition(token: token), isLast: true))
            case .batch(let batch):
                let transactions = (batch.transactions ?? []).filter {
                    !failureCount.isParked(.consumer, at: $0.number)
                }
                if !transactions.isEmpty,
                    let errorType = try refusal({ try consumer?.consume(transactions, in: snapshot) })
                {
                    return .refused(transactions.map(\.number), errorType: errorType)
                }
                return .batch(batch)
            }
        }
    }

    /// Observers and hooks get what others did: neither what the contexts did nor what they did themselves.
    func observe(_ transactions: [HistoryTransaction]) async throws(PassFailure) {
        guard !observers.isEmpty else { return }
        let observers = observers
        for transaction in transactions {
            try await run(.observer, [transaction]) { try await observers.observe(transaction) }
        }
    }

    func merge(
        _ transactions: [HistoryTransaction], foreign: [HistoryTransaction]
    ) async throws(PassFailure) {
        var left = transactions
        if !mergeHooks.isEmpty && !foreign.isEmpty {
            let (hooks, contexts) = (mergeHooks, parameters.contexts)
            let result = try await run(.mergeHook, foreign) { try await hooks.run(foreign, contexts) }
            if result == .finish {
                let merged = Set(foreign.map(\.number))
                left.removeAll { merged.contains($0.number) }
            }
        }
        do { try await merger.merge(left) } catch { throw .store(error) }
        if let deduplicator = parameters.deduplicator, !foreign.isEmpty {
            try await run(.deduplicator, foreign) { try await deduplicator.deduplicate(foreign) }
        }
    }

    /// Runs code of the program's own; nil when it is not given this transaction any more.
    @discardableResult
    private func run<Answer: Sendable>(
        _ step: TrackingStep, _ transactions: [HistoryTransaction],
        _ body: @Sendable () async throws -> Answer
    ) async throws(PassFailure) -> Answer? {
        if let only = transactions.first, transactions.count == 1,
            failureCount.isParked(step, at: only.number)
        {
            return nil
        }
        do {
            return try await SavedTransactions.$current.withValue(hookWork) { try await body() }
        } catch {
            throw .thrown(
                by: step, transactions: transactions.map(\.number), errorType: "\(type(of: error))")
        }
    }

    func moveCursor(past batch: HistoryBatch) {
        for transaction in batch.transactions ?? [] { count(transaction) }
        cursor?.move(to: batch.end)
        hookWork.forget(upTo: batch.end.token)
    }

    private func count(_ transaction: HistoryTransaction) {
        statistics.changes += transaction.changes.count
        guard transaction.isComplete else { return }
        statistics.transactions += 1
        guard let author = transaction.author else {
            statistics.withoutAuthor += 1
            return
        }
        if !parameters.knownAuthors.isEmpty && !parameters.knownAuthors.contains(author) {
            statistics.byUnknownAuthors += 1
        }
    }

}

/// The type of what `body` throws; nil when it does not. What the store throws through it is thrown on: that
/// passes, and says nothing against the transactions.
func refusal(_ body: () throws -> Void) throws(StoreError) -> String? {
    do {
        try body()
        return nil
    } catch let error as StoreError where error.isOfTheStore {
        throw error
    } catch {
        return "\(type(of: error))"
    }
}

extension StoreError {
    /// Whether any other question would have failed in the same way.
    fileprivate var isOfTheStore: Bool {
        switch self {
        case .busy, .full, .inputOutput, .readOnly, .damaged, .replaced, .closed, .cancelled, .cannotOpen,
            .missing:
            true
        default: false
        }
    }
}
