public import PersistentStore

/// A tracker that updates a consumer and contexts with every commit to a store, regardless of the writer.
///
/// Runs on the executor of the container's reader, so the thread does not change between the file event and
/// the consumer. Passes are serial: 100 simultaneous signals merge each transaction once.
public actor HistoryTracker {
    nonisolated let container: PersistentContainer
    let parameters: TrackingParameters
    let consumer: (any HistoryConsumer)?
    let reader: HistoryReader
    let batchLimit: BatchLimit
    let merger: HistoryMerger
    let cleaner: HistoryCleaner
    var schedule: CleaningSchedule
    var observers = HistoryObservers()
    var mergeHooks = MergeHooks()
    var refreshObservers = RefreshObservers()
    /// The transactions that hooks saved; they are merged, but not delivered to the hooks.
    let hookWork = SavedTransactions()

    /// The queue for calls of a ``CursorStorage``, which may wait for a lock and for the disk.
    let storageCalls = BlockingCalls()
    var cursor: HistoryCursor?
    var claim: ConsumerClaim?
    var listening: Task<Void, Never>?
    var storingCursor: Task<Void, Never>?
    var retrying: Task<Void, Never>?
    var cleaning: Task<Void, Never>?
    var lastTurn: Task<Result<Void, StoreError>, Never>?
    private var isInPass = false
    var isSignalled = false
    /// Whether the tracker reads one transaction at a time, to find the one at which a step throws.
    var isIsolating = false
    var failureCount = FailureCount()
    var failuresInARow = 0
    var state = TrackingState.stopped
    /// The watcher's state, which is the tracker's state unless a pass failed.
    var watching = TrackingState.live

    /// Counts since the tracker was created.
    public internal(set) var statistics = TrackingStatistics()
    /// The 100 most recently parked transactions, oldest first.
    public internal(set) var parkedTransactions: [ParkedTransaction] = []

    /// Creates a tracker.
    ///
    /// - Parameters:
    ///   - container: the store.
    ///   - parameters: the configuration.
    ///   - consumer: the receiver of the transactions.
    ///   - didMerge: receives the result of each merge into a context.
    public init(
        container: PersistentContainer, parameters: TrackingParameters,
        consumer: (any HistoryConsumer)? = nil,
        didMerge: (@Sendable (MergeResult, StoreContext) async -> Void)? = nil
    ) {
        self.container = container
        self.parameters = parameters
        self.consumer = consumer
        let imports = parameters.includesMirroring ? [] : parameters.mirroringAuthors
        reader = HistoryReader(
            authors: parameters.authors,
            where: imports.isEmpty ? nil : .not(.authors(Set(imports.map(Optional.some)))))
        batchLimit = consumer?.batchLimit ?? .split(1000)
        merger = HistoryMerger(contexts: parameters.contexts, didMerge: didMerge)
        cleaner = HistoryCleaner(
            container: container, bounds: parameters.bounds, batchAuthors: parameters.batchAuthors)
        schedule = CleaningSchedule(parameters.cleaning)
        if parameters.startsAutomatically {
            Task { [weak self] in _ = try? await self?.start() }
        }
    }

    deinit {
        listening?.cancel()
        retrying?.cancel()
        storingCursor?.cancel()
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { container.reader.unownedExecutor }

    /// The name of the cursor in the store; not the requested name if a running process uses that one.
    public var consumerName: String? { cursor?.consumer }

    /// The last token that has been processed.
    public var token: HistoryToken? { cursor?.token }

    var isRunning: Bool { listening != nil }

    /// Runs the steps of a pass, and again if signals arrived during the pass.
    func pass() async {
        isSignalled = true  // 1 signal
        guard !isInPass else { return }
        isInPass = true
        defer { isInPass = false }
        var broughtSomething = false
        while isSignalled && isRunning {
            isSignalled = false
            statistics.passes += 1
            do throws(PassFailure) {
                while let step = try await fetch() {  // 2 fetch and consume, in one snapshot
                    switch step {
                    case .batch(let batch):
                        let transactions = batch.transactions
                        let foreign = transactions.filter { !merger.isOwn($0) && !hookWork.contains($0) }
                        try await observe(foreign)  // 3 observers
                        try await merge(transactions, foreign: foreign)  // 4 merge hooks, 5 merge
                    case .refresh(let skipped):
                        await refreshContexts(insteadOf: skipped)
                    }
                    moveCursor(past: step)  // 6 move the cursor
                    broughtSomething = true
                    if step.isLast { break }
                }
                try await storeCursor()
                succeed()
            } catch {
                fail(error)
            }
        }
        if isRunning { cleanIfDue(broughtSomething) }  // 7 clean, if the strategy requires it
    }
}

/// The reason to repeat a pass.
enum PassFailure: Error {
    case store(StoreError)
    /// - Parameter transactions: the numbers of the step's transactions; empty during a full refresh.
    case thrown(by: TrackingStep, transactions: [Int64], errorType: String)
}
