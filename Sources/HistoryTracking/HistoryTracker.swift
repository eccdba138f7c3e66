public import PersistentStore

/// Keeps a consumer and contexts up to date with what anybody commits to a store.
///
/// Runs on the executor of the container's reader, so from the file event to the consumer there is no change
/// of thread. Passes are serial: a hundred signals at once merge each transaction once.
public actor HistoryTracker {
    private nonisolated let container: PersistentContainer
    private let parameters: TrackingParameters
    private let consumer: (any HistoryConsumer)?
    private let fetcher: HistoryFetcher
    private let merger: HistoryMerger
    private let cleaner: HistoryCleaner
    private var cursor: HistoryCursor?
    private var claim: ConsumerClaim?
    private var listening: Task<Void, Never>?
    private var storingCursor: Task<Void, Never>?
    private var retrying: Task<Void, Never>?
    private var lastTurn: Task<Result<Void, StoreError>, Never>?
    private var isInPass = false
    private var isSignalled = false
    private var state = TrackingState.stopped
    /// What the watcher says; the state when nothing fails.
    private var watching = TrackingState.live
    private var nextCleaningCheck = ContinuousClock.now

    public init(
        container: PersistentContainer, parameters: TrackingParameters, consumer: (any HistoryConsumer)? = nil
    ) {
        self.container = container
        self.parameters = parameters
        self.consumer = consumer
        fetcher = HistoryFetcher(authors: parameters.authors, limit: consumer?.batchLimit ?? .split(1000))
        merger = HistoryMerger(contexts: parameters.contexts)
        cleaner = HistoryCleaner(
            container: container, strategy: parameters.cleaning, maximumDuration: parameters.maximumDuration,
            minimumDuration: parameters.minimumDuration)
    }

    deinit { listening?.cancel() }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { container.reader.unownedExecutor }

    /// The name the cursor has in the store; another than asked for when a running process has that one.
    public var consumerName: String? { cursor?.consumer }

    /// The position up to which everything has been dealt with.
    public var token: HistoryToken? { cursor?.token }

    /// Registers the consumer, catches up with what happened while nobody watched, and goes on from there.
    /// Does nothing when running.
    public func start() async throws(StoreError) { try await takeTurn(starts: true).get() }

    /// Ends the tracking; a transient consumer is forgotten. May be started again.
    public func stop() async { _ = await takeTurn(starts: false) }

    /// Starts and stops come one after the other, as they were asked for: each lets go of the actor on its way.
    private func takeTurn(starts: Bool) async -> Result<Void, StoreError> {
        let earlier = lastTurn
        let turn = Task<Result<Void, StoreError>, Never> {
            _ = await earlier?.value
            do throws(StoreError) {
                if starts { try await startNow() } else { await stopNow() }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        lastTurn = turn
        return await turn.value
    }

    private func startNow() async throws(StoreError) {
        guard listening == nil else { return }
        let events = try await container.events()
        try await openCursor()
        // A task that holds the tracker weakly is not on its executor by itself.
        listening = Task(executorPreference: container.reader.taskExecutor) { [weak self] in
            await self?.pass()
            for await event in events {
                guard let self else { return }
                await self.handle(event)
            }
        }
        log(.info, .important, "started")
    }

    private func stopNow() async {
        guard let task = listening else { return }
        listening = nil
        task.cancel()
        retrying?.cancel()
        retrying = nil
        storingCursor?.cancel()
        storingCursor = nil
        if isForgottenAtStop, let cursor {
            try? await container.removeConsumer(cursor.consumer)
        } else {
            try? await storeCursor()
        }
        cursor = nil
        claim = nil
        change(to: .stopped)
        log(.info, .important, "stopped")
    }

    private func handle(_ event: StoreEvent) async {
        switch event {
        case .committed: await pass()
        case .watchingBySweep:
            watching = .sweeping
            change(to: watching)
        case .replaced:
            watching = .storeReplaced
            change(to: watching)
            log(.error, .important, "the store was replaced, moved or deleted")
        }
    }

    /// One walk round: 1 signal, 2 fetch, 3 consume, 4 merge, 5 move the cursor, 6 clean.
    private func pass() async {
        isSignalled = true
        guard !isInPass else { return }
        isInPass = true
        defer { isInPass = false }
        var broughtSomething = false
        while isSignalled && listening != nil {
            isSignalled = false
            do throws(StoreError) {
                while let (transactions, token) = try await fetchAndConsume() {
                    if let transactions {
                        try await merger.merge(transactions)
                    } else {
                        await merger.readAnew()
                    }
                    cursor?.move(to: token)
                    broughtSomething = true
                }
                try await storeCursorByPolicy()
                if case .failing = state { change(to: watching) }
            } catch {
                fail(error)
            }
        }
        if listening != nil { cleanIfDue(broughtSomething) }
    }

    /// Fetches and consumes in one snapshot; nil when there is nothing new, and no transactions when everything
    /// was read anew instead.
    private func fetchAndConsume() async throws(StoreError) -> ([HistoryTransaction]?, HistoryToken)? {
        guard let cursor else { return nil }
        let (fetcher, consumer) = (fetcher, consumer)
        do {
            return try await container.read { snapshot in
                switch try fetcher.fetch(after: cursor.token, from: snapshot) {
                case .nothing: return nil
                case .tooMany(let token):
                    try consumer?.refresh(from: snapshot)
                    return (nil, token)
                case .transactions(let transactions, let token):
                    if !transactions.isEmpty { try consumer?.consume(transactions, in: snapshot) }
                    return (transactions, token)
                }
            }
        } catch .tokenExpired, .tokenOfAnotherStore, .tokenFromFuture {
            log(
                .notice, .important,
                "the cursor of \(cursor.consumer) could not be used; everything is read anew")
            try await refreshAndRestart(cursor.consumer)
            return nil
        }
    }

    /// A cursor that the store does not know yet begins at the present, with everything read anew.
    private func openCursor() async throws(StoreError) {
        let claim = ConsumerClaim(parameters.name, store: container.path)
        let isTransient = parameters.cursor.isTransient || !claim.isFirst
        let isKnown =
            if isTransient { false } else { try await container.read { try $0.hasConsumer(claim.name) } }
        let start: HistoryToken? = if isKnown { nil } else { try await readAnew() }
        var registered = try await container.registerConsumer(
            claim.name, author: parameters.author, isTransient: isTransient, startingAt: start)
        if isKnown && registered.name != claim.name {
            registered.token = try await readAnew()
            try await container.resetCursor(of: registered.name, to: registered.token)
        }
        self.claim = claim
        cursor = HistoryCursor(consumer: registered.name, token: registered.token)
        watching = .live
        change(to: watching)
    }

    private func refreshAndRestart(_ name: String) async throws(StoreError) {
        let token = try await readAnew()
        try await container.resetCursor(of: name, to: token)
        cursor = HistoryCursor(consumer: name, token: token)
    }

    /// The position that the consumer and the contexts then stand at.
    private func readAnew() async throws(StoreError) -> HistoryToken {
        let consumer = consumer
        let token = try await container.read { snapshot in
            try consumer?.refresh(from: snapshot)
            return try snapshot.newestToken()
        }
        await merger.readAnew()
        return token
    }

    /// A second consumer of a name, or one without memory, is forgotten when it stops.
    private var isForgottenAtStop: Bool {
        parameters.cursor.isTransient || cursor?.consumer != parameters.name
    }

    private func storeCursorByPolicy() async throws(StoreError) {
        switch parameters.cursor {
        case .everyPass: try await storeCursor()
        case .transient(let interval):
            guard storingCursor == nil, cursor?.isStored == false else { return }
            storingCursor = Task { [weak self] in
                guard (try? await Task.sleep(for: interval)) != nil else { return }
                await self?.storeTransientCursor()
            }
        }
    }

    private func storeCursor() async throws(StoreError) {
        guard let cursor, !cursor.isStored else { return }
        try await container.moveCursor(of: cursor.consumer, to: cursor.token)
        self.cursor?.wasStored(at: cursor.token)
    }

    /// Failing to write it costs nothing but a later cleaning: the next pass tries again.
    private func storeTransientCursor() async {
        storingCursor = nil
        try? await storeCursor()
    }

    private func cleanIfDue(_ broughtSomething: Bool) {
        switch parameters.cleaning {
        case .none: return
        case .byNotification: break
        case .byDuration(let interval):
            // Asking the store is cheap, but not so cheap as a pass.
            guard ContinuousClock.now >= nextCleaningCheck else { return }
            nextCleaningCheck = .now + min(interval, .seconds(60))
        }
        Task {
            do throws(StoreError) {
                guard let result = try await cleaner.cleanIfDue(broughtSomething: broughtSomething) else {
                    return
                }
                log(.info, .detail, "cleaned \(result.transactions) transactions, \(result.changes) changes")
            } catch {
                log(.error, .important, "cleaning failed: \(error)")
            }
        }
    }

    private func fail(_ error: StoreError) {
        change(to: .failing(error))
        log(.error, .important, "a pass failed: \(error)")
        // One at a time: each failure of a burst would else begin a row of retries of its own.
        guard retrying == nil, listening != nil else { return }
        retrying = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            await self?.passAgain()
        }
    }

    private func passAgain() async {
        retrying = nil
        await pass()
    }

    private func change(to newState: TrackingState) {
        guard newState != state else { return }
        state = newState
        consumer?.trackingDidChange(newState)
    }

    private func log(_ type: LogType, _ level: LogLevel, _ message: @autoclosure () -> String) {
        guard level <= parameters.logLevel else { return }
        parameters.logger.log(type, "history tracking '\(parameters.name)': \(message())")
    }
}
