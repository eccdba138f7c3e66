public import PersistentStore

/// Keeps a consumer and contexts up to date with what anybody commits to a store.
///
/// Runs on the executor of the container's reader, so from the file event to the consumer there is no change
/// of thread. Passes are serial: a hundred signals at once merge each transaction once.
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
    /// What the hooks saved; it is merged, but not handed to them again.
    let hookWork = SavedTransactions()

    /// Where the calls of a ``CursorStorage`` run, which may wait for a lock and for the disk.
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
    /// One transaction at a time, to find out which one a step throws at.
    var isIsolating = false
    var failureCount = FailureCount()
    var failuresInARow = 0
    var state = TrackingState.stopped
    /// What the watcher says; the state when nothing fails.
    var watching = TrackingState.live

    /// What has been done since the tracker was made.
    public internal(set) var statistics = TrackingStatistics()
    /// The newest transactions that a step was not given again, oldest first; a hundred at most.
    public internal(set) var parkedTransactions: [ParkedTransaction] = []

    /// - Parameters:
    ///   - container: the store.
    ///   - parameters: how the tracker works.
    ///   - consumer: whom the transactions are handed to.
    ///   - didMerge: told after each merge what it meant for the objects of a context.
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

    /// The name the cursor has in the store; another than asked for when a running process has that one.
    public var consumerName: String? { cursor?.consumer }

    /// The position up to which everything has been dealt with.
    public var token: HistoryToken? { cursor?.token }

    var isRunning: Bool { listening != nil }

    /// One walk round the loop, and another when signals came meanwhile.
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
                while let step = try await fetch() {  // 2 fetch; the consumer has it in the same snapshot
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
                try await keepCursor()
                succeed()
            } catch {
                fail(error)
            }
        }
        if isRunning { cleanIfDue(broughtSomething) }  // 7 clean, if the strategy says so
    }
}

/// Why a pass has to be tried again.
enum PassFailure: Error {
    case store(StoreError)
    /// - Parameter transactions: what the step had in its hands; none while everything was read anew.
    case thrown(by: TrackingStep, transactions: [Int64], errorType: String)
}
