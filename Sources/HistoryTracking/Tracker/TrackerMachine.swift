import PersistentStore

/// Decides when a tracker runs a pass, isolates or parks a transaction, retries, and cleans; a value without
/// clocks.
///
/// Passes are serial: any number of signals during a pass cause one more. If a step throws in a pass with
/// several transactions, the following passes read one at a time, until one of them throws alone. It is
/// tried again, after growing pauses, until it succeeds or is parked.
struct TrackerMachine: Equatable, Sendable {
    enum Event: Equatable {
        /// The cursor is open.
        case started
        case stopped
        /// Transactions may follow the cursor.
        case signalled
        /// Another commit, which may have recorded nothing: a pass that then finds nothing is not followed by
        /// a cleaning, whose own commit would cause the next pass.
        case committed
        case retryDue
        /// The result of `pass`.
        case passEnded(hasDelivered: Bool, failure: PassFailure?)
        /// A full refresh skipped the transactions that had failed.
        case recovered
        case polling
        case storeReplaced
    }

    enum Action: Equatable {
        /// Fetch, deliver, and move the cursor, up to the end of the history.
        case pass
        /// Clean, if the strategy requires it.
        case clean(hasDelivered: Bool)
        case report(TrackingState)
        case log(TrackingError)
        case park(ParkedTransaction)
        case retry(after: Duration)
        case cancelRetry
        /// End the cleaning and close the cursor.
        case close
    }

    private enum Pass: Equatable {
        case none
        case current
        /// The tracker was stopped, and possibly started again, since the pass began.
        case ofEarlierRun
    }

    private let failuresBeforeParking: Int
    private let retryPause: Duration
    private var pass = Pass.none
    private var isSignalled = false
    /// Whether only commits cause the next pass, and the current one.
    private var isNextForCommits = false
    private var isForCommits = false
    /// Whether the passes since the last cleaning delivered a transaction.
    private var hasDelivered = false
    private var isRetrying = false
    private var failuresInARow = 0
    private var failureCount = FailureCount()
    /// The state unless a pass failed.
    private var watching = TrackingState.live
    private var state = TrackingState.stopped
    private(set) var isRunning = false
    /// Whether to read one transaction at a time.
    private(set) var isIsolating = false

    init(failuresBeforeParking: Int, retryPause: Duration) {
        self.failuresBeforeParking = max(1, failuresBeforeParking)
        self.retryPause = retryPause.bounded
    }

    /// Whether a transaction is no longer delivered to a step.
    func isParked(_ step: TrackingStep, at number: Int64) -> Bool { failureCount.isParked(step, at: number) }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .started:
            guard !isRunning else { return [] }
            isRunning = true
            return report(.live)
        case .passEnded(let hasDelivered, let failure): return endPass(hasDelivered, failure)
        case _ where !isRunning: return []
        case .stopped:
            let hasPass = pass != .none
            self = TrackerMachine(failuresBeforeParking: failuresBeforeParking, retryPause: retryPause)
            pass = hasPass ? .ofEarlierRun : .none
            return [.cancelRetry, .close, .report(.stopped)]
        case .signalled: return signal()
        case .committed: return signal(isCommit: true)
        case .retryDue:
            isRetrying = false
            return signal()
        case .recovered:
            failureCount = FailureCount()
            return []
        case .polling: return watch(.polling)
        case .storeReplaced: return watch(.storeReplaced)
        }
    }

    private mutating func signal(isCommit: Bool = false) -> [Action] {
        isNextForCommits = isCommit && (isNextForCommits || !isSignalled)
        isSignalled = true
        return pass == .none ? beginPass() : []
    }

    private mutating func beginPass() -> [Action] {
        (isSignalled, pass) = (false, .current)
        (isForCommits, isNextForCommits) = (isNextForCommits, false)
        return [.pass]
    }

    private mutating func endPass(_ hasDelivered: Bool, _ failure: PassFailure?) -> [Action] {
        let isOfThisRun = pass == .current
        pass = .none
        guard isOfThisRun else { return isSignalled ? beginPass() : [] }
        self.hasDelivered = self.hasDelivered || hasDelivered
        let actions = failure.map { fail($0) } ?? succeed()
        guard !isSignalled else {
            isNextForCommits = isNextForCommits && isForCommits
            return actions + beginPass()
        }
        guard self.hasDelivered || failure != nil || !isForCommits else { return actions }
        defer { self.hasDelivered = false }
        return actions + [.clean(hasDelivered: self.hasDelivered)]
    }

    private mutating func succeed() -> [Action] {
        failuresInARow = 0
        isIsolating = false
        if case .failing = state { return report(watching) }
        return []
    }

    /// Repeats the pass: immediately to isolate a transaction and after parking it, otherwise after a pause.
    private mutating func fail(_ failure: PassFailure) -> [Action] {
        guard watching != .storeReplaced else { return [] }
        let error: TrackingError
        switch failure {
        // Found by reading a store into which a backup was restored; the watcher reports it as well.
        case .store(.replaced): return watch(.storeReplaced)
        case .store(let reason): error = .store(reason)
        case .thrown(let step, let transactions, let errorType):
            if let number = transactions.first {
                guard isIsolating else {
                    (isIsolating, isSignalled) = (true, true)
                    return []
                }
                if failureCount.add(step, at: number) >= failuresBeforeParking {
                    failureCount.park(step)
                    isSignalled = true
                    return [.park(ParkedTransaction(number: number, step: step, errorType: errorType))]
                }
            }
            error = .thrown(by: step, transaction: transactions.first, errorType: errorType)
        }
        return report(.failing(error)) + [.log(error)] + retry()
    }

    /// One retry at a time; otherwise each failure of a burst would start its own series of retries.
    private mutating func retry() -> [Action] {
        guard !isRetrying else { return [] }
        isRetrying = true
        defer { failuresInARow += 1 }
        return [.retry(after: (retryPause * (1 << min(failuresInARow, 6))).bounded)]
    }

    /// A replaced store is final: a pass that reads the former file fails as often as it is repeated.
    private mutating func watch(_ watching: TrackingState) -> [Action] {
        guard self.watching != .storeReplaced else { return [] }
        self.watching = watching
        return report(watching)
    }

    private mutating func report(_ state: TrackingState) -> [Action] {
        guard state != self.state else { return [] }
        self.state = state
        return [.report(state)]
    }
}

extension Duration {
    /// The duration between zero and a century: a longer one overflows the clock that sleeps for it.
    var bounded: Duration { max(.zero, min(self, .seconds(100 * 366 * 24 * 3600))) }
}

/// The reason to repeat a pass.
enum PassFailure: Error, Equatable {
    case store(StoreError)
    /// - Parameter transactions: the numbers of the step's transactions; empty during a full refresh.
    case thrown(by: TrackingStep, transactions: [Int64], errorType: String)
}

/// The number of times that each step threw at the transaction after the cursor.
struct FailureCount: Equatable {
    private var transaction: Int64?
    private var counts: [TrackingStep: Int] = [:]
    private var parkedSteps: Set<TrackingStep> = []

    /// Counts a failure and returns the number of failures of the step at this transaction.
    mutating func add(_ step: TrackingStep, at number: Int64) -> Int {
        if transaction != number { self = FailureCount() }
        transaction = number
        counts[step, default: 0] += 1
        return counts[step] ?? 0
    }

    mutating func park(_ step: TrackingStep) { parkedSteps.insert(step) }

    func isParked(_ step: TrackingStep, at number: Int64) -> Bool {
        transaction == number && parkedSteps.contains(step)
    }
}
