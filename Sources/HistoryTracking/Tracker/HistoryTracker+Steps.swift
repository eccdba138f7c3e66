import PersistentStore

/// The steps of a pass.
extension HistoryTracker {
    /// Fetches and consumes in one snapshot; returns the position after the step, or nil if nothing is new.
    func fetch() async throws(PassFailure) -> (HistoryStep, HistoryFollower)? {
        guard let start = cursor?.follower else { return nil }
        let (consumer, machine) = (consumer, machine)
        let (step, follower, errorType): (HistoryStep?, HistoryFollower, String?)
        do throws(StoreError) {
            (step, follower, errorType) = try await container.read { snapshot throws(StoreError) in
                var follower = start
                let step = try follower.next(isSingle: machine.isIsolating, in: snapshot)
                let errorType = try thrownType {
                    switch step {
                    case nil: return
                    case .refresh: try consumer?.refresh(from: snapshot)
                    case .transactions(let transactions):
                        let left = transactions.filter { !machine.isParked(.consumer, at: $0.number) }
                        if !left.isEmpty { try consumer?.consume(left, in: snapshot) }
                    }
                }
                return (step, follower, errorType)
            }
        } catch {
            throw .store(error)
        }
        if let errorType {
            throw .thrown(by: .consumer, transactions: step?.numbers ?? [], errorType: errorType)
        }
        return step.map { ($0, follower) }
    }

    /// Refreshes the contexts, reports the skipped range to the hooks, and replaces a cursor that cannot be used.
    /// A crash before that leaves the old cursor, which causes another refresh.
    func refreshContexts(
        insteadOf skipped: SkippedHistory, upTo follower: HistoryFollower
    ) async throws(PassFailure) {
        guard let name = cursor?.consumer else { return }
        let isRecovery = skipped.reason == .unusableCursor
        if isRecovery {
            log(.notice, .important, "the cursor of \(name) cannot be used; starting a full refresh")
        }
        statistics.refreshes += 1
        await merger.refetch()
        await report(skipped)
        guard isRecovery else { return }
        do throws(StoreError) { try await resetStoredCursor(name, to: skipped.upTo) } catch {
            throw .store(error)
        }
        cursor = HistoryCursor(consumer: name, at: follower)
        await handle(.recovered)
    }

    func report(_ skipped: SkippedHistory) async {
        let (observers, deduplicator) = (refreshObservers.bodies, parameters.deduplicator)
        guard !observers.isEmpty || deduplicator != nil else { return }
        try? await onSharedPool {
            for observe in observers { await observe(skipped) }
            await deduplicator?.historyWasSkipped(skipped)
        }
    }

    private func report(_ merged: [(MergeResult, StoreContext)]) async {
        let observers = mergeObservers.bodies
        guard !observers.isEmpty && !merged.isEmpty else { return }
        try? await onSharedPool {
            for (result, context) in merged { for observe in observers { await observe(result, context) } }
        }
    }

    /// Calls the observers with transactions that neither the contexts nor the hooks committed.
    func observe(_ transactions: [HistoryTransaction]) async throws(PassFailure) {
        guard !observers.isEmpty else { return }
        let observers = observers.bodies
        for transaction in transactions {
            try await run(.observer, [transaction]) {
                try await TransactionObserver.observe(transaction, with: observers)
            }
        }
    }

    func merge(
        _ transactions: [HistoryTransaction], foreign: [HistoryTransaction]
    ) async throws(PassFailure) {
        var left = transactions
        if !mergeHooks.isEmpty && !foreign.isEmpty {
            let (hooks, contexts) = (mergeHooks.bodies, parameters.contexts)
            let result = try await run(.mergeHook, foreign) {
                for hook in hooks where try await hook(foreign, contexts) == .finish {
                    return MergeHookResult.finish
                }
                return .proceed
            }
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

    func moveCursor(past step: HistoryStep, to follower: HistoryFollower) {
        if case .transactions(let transactions) = step {
            for transaction in transactions { count(transaction) }
        }
        cursor?.move(to: follower)
        hookWork.forget(upTo: follower.token)
    }

    private func count(_ transaction: HistoryTransaction) {
        statistics.changes += transaction.changes.count
        if transaction.isComplete { statistics.transactions += 1 }
    }
}

extension HistoryStep {
    /// The numbers of the transactions in the step.
    fileprivate var numbers: [Int64] {
        if case .transactions(let transactions) = self { transactions.map(\.number) } else { [] }
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
