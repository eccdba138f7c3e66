public import PersistentStore

/// A tracker that updates a consumer and contexts with every commit to a store, regardless of the writer.
///
/// Runs on the executor of the container's reader, so the thread does not change between the file event and
/// the consumer. Passes are serial: 100 simultaneous signals merge each transaction once.
public actor HistoryTracker {
    nonisolated let container: PersistentContainer
    let parameters: TrackingParameters
    let consumer: (any HistoryConsumer)?
    let merger: HistoryMerger
    /// A cleaner with the bounds of the tracker, for manual use.
    package nonisolated let cleaner: HistoryCleaner
    var schedule: CleaningSchedule
    var observers = HistoryObservers<TransactionObserver>()
    var mergeHooks = HistoryObservers<MergeHook>()
    var refreshObservers = HistoryObservers<@Sendable (SkippedHistory) async -> Void>()
    var mergeObservers = HistoryObservers<@Sendable (MergeResult, StoreContext) async -> Void>()
    /// The transactions that hooks saved; they are merged, but not delivered to the hooks.
    let hookWork = SavedTransactions()

    /// The queue for calls of a ``CursorStorage``, which may wait for a lock and for the disk.
    let storageCalls = BlockingCalls()
    var cursor: HistoryCursor?
    var claim: ConsumerClaim?
    var listening: Task<Void, Never>?
    var signals: StoreSignals?
    var storingCursor: Task<Void, Never>?
    private var retrying: Task<Void, Never>?
    var cleaning: Task<Void, Never>?
    var lastTurn: Task<Result<Void, StoreError>, Never>?
    var machine: TrackerMachine

    /// Counts since the tracker was created.
    package internal(set) var statistics = TrackingStatistics()
    /// The 100 most recently parked transactions, oldest first.
    package internal(set) var parked: [ParkedTransaction] = []

    /// Creates a tracker.
    ///
    /// - Parameters:
    ///   - container: the store.
    ///   - parameters: the configuration.
    ///   - consumer: the receiver of the transactions.
    public init(
        container: PersistentContainer, parameters: TrackingParameters,
        consumer: (any HistoryConsumer)? = nil
    ) {
        self.container = container
        self.parameters = parameters
        self.consumer = consumer
        merger = HistoryMerger(contexts: parameters.contexts)
        cleaner = HistoryCleaner(
            container: container, bounds: parameters.bounds, batchAuthors: parameters.batchAuthors)
        schedule = CleaningSchedule(parameters.cleaning)
        machine = TrackerMachine(
            failuresBeforeParking: parameters.failuresBeforeParking, retryPause: parameters.retryPause)
        if parameters.startsAutomatically {
            Task { [weak self] in _ = try? await self?.start() }
        }
    }

    deinit {
        listening?.cancel()
        signals?.finish()
        retrying?.cancel()
        storingCursor?.cancel()
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { container.reader.unownedExecutor }

    /// The name of the cursor in the store; not the requested name if a running process uses that one.
    package var consumerName: String? { cursor?.consumer }

    /// The position up to which the consumer, the hooks, and the contexts have received everything; nil if the
    /// tracker is stopped.
    public var deliveredToken: HistoryToken? { cursor?.token }

    /// The position that was stored last: a restart continues there, and cleaning waits for it. It follows
    /// ``deliveredToken`` at the end of each pass, or later if the ``CursorPolicy`` is transient.
    package var storedToken: HistoryToken? { cursor?.stored }

    /// Performs the actions that the machine decides on.
    func handle(_ event: TrackerMachine.Event) async {  // 1 signal
        var actions = machine.handle(event)[...]
        while let action = actions.popFirst() {
            switch action {
            case .pass: actions += machine.handle(await pass())
            case .clean(let hasDelivered): cleanIfDue(hasDelivered)  // 7 clean, if the strategy requires it
            case .report(let state): consumer?.trackingDidChange(state)
            case .log(.store(let error)): log(.error, .important, "a pass failed: \(error)")
            case .log(let error): log(.error, .important, error.description)
            case .park(let transaction): park(transaction)
            case .retry(let pause): retrying = task(after: pause) { await $0.handle(.retryDue) }
            case .cancelRetry: retrying?.cancel()
            case .close:
                await stopCleaning()
                await closeCursor()
            }
        }
    }

    /// Runs the steps of a pass.
    private func pass() async -> TrackerMachine.Event {
        var hasDelivered = false
        do throws(PassFailure) {
            while let (step, follower) = try await fetch() {  // 2 fetch and consume, in one snapshot
                if !hasDelivered { statistics.passes += 1 }
                switch step {
                case .transactions(let transactions):
                    let foreign = transactions.filter { !merger.isOwn($0) && !hookWork.contains($0) }
                    try await observe(foreign)  // 3 observers
                    try await merge(transactions, foreign: foreign)  // 4 merge hooks, 5 merge
                case .refresh(let skipped):
                    try await refreshContexts(insteadOf: skipped, upTo: follower)
                }
                moveCursor(past: step, to: follower)  // 6 move the cursor
                hasDelivered = true
                if follower.isAtEnd { break }
            }
            try await storeCursor()
            return .passEnded(hasDelivered: hasDelivered, failure: nil)
        } catch {
            if !hasDelivered { statistics.passes += 1 }
            return .passEnded(hasDelivered: hasDelivered, failure: error)
        }
    }

    /// Starts a task that runs `work` after a pause, unless it is cancelled.
    func task(
        after pause: Duration, _ work: @escaping @Sendable (HistoryTracker) async -> Void
    ) -> Task<Void, Never> {
        Task(executorPreference: container.reader.taskExecutor) { [weak self, container] in
            guard (try? await container.pause(for: pause)) != nil, let self else { return }
            await work(self)
        }
    }

    private func park(_ transaction: ParkedTransaction) {
        statistics.parked += 1
        parked.append(transaction)
        if parked.count > 100 { parked.removeFirst() }
        log(
            .fault, .important,
            "the \(transaction.step.rawValue) threw \(transaction.errorType) "
                + "\(parameters.failuresBeforeParking) times at transaction \(transaction.number), which is now parked"
        )
    }

    func log(_ type: LogType, _ level: LogLevel, _ message: @autoclosure () -> String) {
        guard level <= parameters.logLevel else { return }
        parameters.logger?.log(type, "history tracking '\(parameters.name)': \(message())")
    }
}
