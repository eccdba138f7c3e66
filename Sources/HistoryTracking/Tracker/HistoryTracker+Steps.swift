import PersistentStore

/// The steps of a pass.
extension HistoryTracker {
    private struct Fetched: Sendable {
        let step: HistoryStep?
        /// The type of the consumer's error.
        let errorType: String?
    }

    /// Fetches and consumes in one snapshot; returns nil if nothing is new.
    func fetch() async throws(PassFailure) -> HistoryStep? {
        guard let cursor else { return nil }
        do {
            let fetched = try await fetchAndConsume(after: cursor.position)
            guard let errorType = fetched.errorType else { return fetched.step }
            throw PassFailure.thrown(
                by: .consumer, transactions: fetched.step?.numbers ?? [], errorType: errorType)
        } catch StoreError.tokenExpired, StoreError.tokenOfAnotherStore, StoreError.tokenFromFuture {
            try await recover("the cursor of \(cursor.consumer) cannot be used")
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
        let (reader, limit, consumer, machine) = (reader, batchLimit, consumer, machine)
        return try await container.read { snapshot throws(StoreError) in
            let step = try reader.next(
                after: position, limit: limit, isSingle: machine.isIsolating, in: snapshot)
            let errorType = try thrownType {
                switch step {
                case nil: return
                case .refresh: try consumer?.refresh(from: snapshot)
                case .batch(let batch):
                    let transactions = batch.transactions.filter {
                        !machine.isParked(.consumer, at: $0.number)
                    }
                    if !transactions.isEmpty { try consumer?.consume(transactions, in: snapshot) }
                }
            }
            return Fetched(step: step, errorType: errorType)
        }
    }

    /// Refreshes the contexts, then reports the skipped range to the hooks.
    func refreshContexts(insteadOf skipped: SkippedHistory) async {
        statistics.refreshes += 1
        await merger.refetch()
        await report(skipped)
    }

    func report(_ skipped: SkippedHistory) async {
        let (observers, deduplicator) = (refreshObservers, parameters.deduplicator)
        guard !observers.isEmpty || deduplicator != nil else { return }
        try? await onSharedPool {
            await observers.observe(skipped)
            await deduplicator?.historyWasSkipped(skipped)
        }
    }

    private func report(_ merged: [(MergeResult, StoreContext)]) async {
        let observers = mergeObservers
        guard !observers.isEmpty && !merged.isEmpty else { return }
        try? await onSharedPool { for result in merged { await observers.observe(result) } }
    }

    /// Calls the observers with transactions that neither the contexts nor the hooks committed.
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
        let merged: [(MergeResult, StoreContext)]
        do { merged = try await merger.merge(left) } catch { throw .store(error) }
        await report(merged)
        if let deduplicator = parameters.deduplicator, !foreign.isEmpty {
            try await run(.deduplicator, foreign) { try await deduplicator.deduplicate(foreign) }
        }
    }

    /// Runs custom code; returns nil if this transaction is parked for the step.
    @discardableResult
    private func run<Answer: Sendable>(
        _ step: TrackingStep, _ transactions: [HistoryTransaction],
        _ body: @escaping @Sendable () async throws -> Answer
    ) async throws(PassFailure) -> Answer? {
        if let only = transactions.first, transactions.count == 1,
            machine.isParked(step, at: only.number)
        {
            return nil
        }
        do {
            return try await onSharedPool(body)
        } catch {
            throw .thrown(
                by: step, transactions: transactions.map(\.number), errorType: "\(type(of: error))")
        }
    }

    /// Runs custom code off the reader's thread: it may be slow, and reading, polling, and other trackers
    /// continue.
    private func onSharedPool<Answer: Sendable>(
        _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let work = hookWork
        // Detached: the task of the pass prefers the reader's executor, and code that it calls would run
        // there.
        let task = Task.detached { try await SavedTransactions.$current.withValue(work) { try await body() } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func moveCursor(past step: HistoryStep) {
        if case .batch(let batch) = step { for transaction in batch.transactions { count(transaction) } }
        cursor?.move(to: step.end)
        hookWork.forget(upTo: step.end.token)
    }

    private func count(_ transaction: HistoryTransaction) {
        statistics.changes += transaction.changes.count
        guard transaction.isComplete else { return }
        statistics.transactions += 1
        statistics.count(transaction.author)
    }
}

extension HistoryStep {
    var end: HistoryPosition {
        switch self {
        case .batch(let batch): batch.end
        case .refresh(let skipped): HistoryPosition(skipped.upTo)
        }
    }

    var isLast: Bool { if case .batch(let batch) = self { batch.isLast } else { true } }

    /// The numbers of the transactions in the step.
    fileprivate var numbers: [Int64] {
        if case .batch(let batch) = self { batch.transactions.map(\.number) } else { [] }
    }
}

/// Returns the type of the error that `body` throws; nil if it throws none.
///
/// - Throws: errors of the store itself, which are transient and not caused by the transactions.
func thrownType(_ body: () throws -> Void) throws(StoreError) -> String? {
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
    /// Whether any other request would have failed in the same way.
    fileprivate var isOfTheStore: Bool {
        switch self {
        case .busy, .full, .inputOutput, .notWritable, .damaged, .replaced, .unverifiedCommit, .closed,
            .cancelled,
            .cannotOpen, .missing, .newerStore, .differentModel, .schemaChanged, .unreadableModel:
            true
        default: false
        }
    }
}
