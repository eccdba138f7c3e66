import Platform
import SQLite
import Synchronization

/// An event of a watched store.
@nonexhaustive
public enum StoreEvent: Hashable, Sendable {
    /// Another process, or another connection of this one, committed. The token is that of the newest
    /// transaction and identifies the store; it is unchanged after a commit that recorded nothing.
    case committed(HistoryToken)
    /// The path no longer leads to the opened store; nothing more will be reported or written.
    case replaced
    /// File events are unavailable: the store is polled many times per second instead.
    case watchingByPolling
}

/// An event without its token, for a subscriber that reads the store in any case.
package enum StoreSignal: Hashable, Sendable {
    case committed
    case replaced
    case watchingByPolling
}

/// Performs the actions that ``WatcherMachine`` decides on, on the reader's event loop.
actor StoreWatcher {
    /// A state of the store: two that are equal have the same commits.
    private enum Version: Equatable {
        /// The header of the log's index: SQLite's own criterion, which takes one system call and no lock.
        case index(WriterLock.IndexHeader)
        case data(Int64)
    }

    private struct Subscriber: Sendable {
        /// Returns whether the subscriber still listens.
        let report: @Sendable (StoreSignal, isolated StoreWatcher) -> Bool
        let finish: @Sendable () -> Void
    }

    private nonisolated let reader: StoreReader
    private let opening: StoreOpening
    private var machine: WatcherMachine
    private var files: WatchedFiles?
    private var isLogWatched = false
    private var lastRing: ContinuousClock.Instant?
    private var lock: WriterLock?
    private var version: Version?
    /// The newest token that was read, and whether a commit followed it.
    private var newest: (token: HistoryToken, isOutdated: Bool)?
    private var isRunning = false
    private var isStopped = false
    private var subscribers: [Subscriber] = []
    private let pauseTimer = TimerName()
    private let pollTimer = TimerName()

    init(reader: StoreReader, opening: StoreOpening) {
        self.reader = reader
        self.opening = opening
        machine = WatcherMachine(
            fallbackInterval: opening.options.pollsAsFallback ? WatcherMachine.pollWithEvents : nil)
    }

    /// Ends the watching of a container that is released without `close`.
    deinit {
        reader.loop.cancel(pauseTimer)
        reader.loop.cancel(pollTimer)
        for descriptor in files?.descriptors ?? [] { reader.loop.stopWatching(descriptor) }
        for subscriber in subscribers { subscriber.finish() }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { reader.loop.asUnownedSerialExecutor() }

    /// Returns a stream of events from now on. For a slow subscriber, only the newest few are buffered: each
    /// means "check", and one check sees everything.
    func events() async throws(StoreError) -> AsyncStream<StoreEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreEvent.self, bufferingPolicy: .bufferingNewest(4))
        try await subscribe(
            report: { signal, watcher in
                let event: StoreEvent? =
                    switch signal {
                    case .committed: watcher.newestToken().map(StoreEvent.committed)
                    case .replaced: .replaced
                    case .watchingByPolling: .watchingByPolling
                    }
                guard let event, case .terminated = continuation.yield(event) else { return true }
                return false
            }, finish: { continuation.finish() })
        return stream
    }

    /// Returns the same events, for which no token is read, until they are released or finished.
    func signals() async throws(StoreError) -> StoreSignals {
        let signals = StoreSignals()
        try await subscribe(
            report: { [weak signals] signal, _ in signals?.add(signal) ?? false },
            finish: { [weak signals] in signals?.finish() })
        return signals
    }

    private func subscribe(
        report: @escaping @Sendable (StoreSignal, isolated StoreWatcher) -> Bool,
        finish: @escaping @Sendable () -> Void
    ) async throws(StoreError) {
        try await start()
        // Closing may have begun while this call waited for the thread again, and would not end the subscriber.
        guard !isStopped else { throw .closed }
        subscribers.append(Subscriber(report: report, finish: finish))
        if files == nil { _ = report(.watchingByPolling, self) }
        if machine.isReplaced { _ = report(.replaced, self) }
    }

    func stop() {
        isRunning = false
        isStopped = true
        reader.loop.cancel(pauseTimer)
        reader.loop.cancel(pollTimer)
        stopFileEvents()
        for subscriber in subscribers { subscriber.finish() }
        subscribers.removeAll()
    }

    private func start() async throws(StoreError) {
        guard !isRunning else { return }
        // The first read creates the -shm. The version is read after the watch is set up, so that a commit in
        // between is noticed.
        _ = try await reader.dataVersion()
        let token = try await reader.read { snapshot throws(StoreError) in try snapshot.newestToken() }
        guard !isStopped else { throw .closed }
        guard !isRunning else { return }
        newest = (token, isOutdated: false)
        startFileEvents()
        version = currentVersion()
        isRunning = true
        // The events of earlier changes are missing, such as those of a commit that is not published yet.
        perform(machine.handle(.pathInDoubt))
        perform(machine.handle(files == nil ? .eventsUnavailable : .eventsAvailable))
    }

    private func startFileEvents() {
        guard opening.options.usesFileEvents, let files = WatchedFiles(store: opening.resolvedPath) else {
            return
        }
        self.files = files
        reader.loop.watch(files.folderDescriptor) { [weak self] in self?.assumeIsolated { $0.wake() } }
        watchLog(true)
    }

    private func stopFileEvents() {
        for descriptor in files?.descriptors ?? [] { reader.loop.stopWatching(descriptor) }
        files = nil
        isLogWatched = false
    }

    /// Sets whether writes into the `-wal` wake the watcher.
    private func watchLog(_ isWatched: Bool) {
        guard let files, isWatched != isLogWatched else { return }
        isLogWatched = isWatched
        if isWatched {
            reader.loop.watch(files.logDescriptor, with: files.folderDescriptor) { [weak self] in
                self?.assumeIsolated { $0.wake() }
            }
        } else {
            reader.loop.stopWatching(files.logDescriptor)
        }
    }

    /// Drains the events, then handles their meaning, and the end of a pause or of an interval.
    private func wake(_ timer: WatcherMachine.Event? = nil) {
        var isRepeated = false
        let drained = files?.drain { change in
            guard change == .doorbell else { return false }
            let now = ContinuousClock.now
            // The end of a pause listens to the log again, whose events must not remain.
            isRepeated = timer == nil && lastRing.map { now - $0 < WatcherMachine.ringingPause } ?? false
            lastRing = now
            return isRepeated
        }
        if drained == .watchLost {
            stopFileEvents()
            announce(.watchingByPolling)
            perform(machine.handle(.eventsUnavailable))
        }
        // The check of a timer includes that of the log and the doorbell.
        if let event = drained?.event(isRepeated: isRepeated), event == .pathInDoubt || timer == nil {
            perform(machine.handle(event))
        }
        if let timer { perform(machine.handle(timer)) }
    }

    private func perform(_ actions: [WatcherMachine.Action]) {
        for action in actions where isRunning {
            switch action {
            // An access to the memory of an index that was cut off would end the process.
            case .look where machine.isReplaced: break
            case .look(let trustsRinger): perform(machine.handle(look(trustsRinger: trustsRinger)))
            case .checkPath: perform(machine.handle(.path(isOurs: isStillInPlace() && isLogWhole)))
            case .lookAgain(let pause, let isDeaf):
                watchLog(!isDeaf)
                schedule(.pauseOver, pauseTimer, pause)
            case .endPause:
                reader.loop.cancel(pauseTimer)
                watchLog(true)
            case .poll(let pause): schedule(.pollDue, pollTimer, pause)
            case .announceCommit: announceCommit()
            case .announceReplaced: announce(.replaced)
            }
        }
    }

    private func look(trustsRinger: Bool) -> WatcherMachine.Event {
        let holder = findLock()?.holder() ?? .free
        let isRinging = holder != .free && files?.isRung(by: holder) ?? false
        let writer: WatcherMachine.Writer = holder == .free ? .none : isRinging ? .ringing : .unknown
        if isRinging && trustsRinger { return .looked(writer, sawCommit: false) }
        let newVersion = currentVersion()
        let sawCommit = newVersion != nil && newVersion != version
        if let newVersion { version = newVersion }
        // A read through replaced files proves nothing. While a writer works and nothing is announced, the next
        // check follows in at most 5 ms and does this.
        guard writer != .none && !sawCommit || isStillInPlace(trustsEvents: files != nil) else {
            return .path(isOurs: false)
        }
        return .looked(writer, sawCommit: sawCommit)
    }

    /// Returns the lock, which is missing until a process opens the store for writing, if this reader may only
    /// read.
    private func findLock() -> WriterLock? {
        if lock == nil { lock = WriterLock(databasePath: opening.resolvedPath) }
        return lock
    }

    private func currentVersion() -> Version? {
        if let lock = findLock(), lock.file == reader.assumeIsolated({ $0.indexFile }) {
            return lock.indexHeader().map(Version.index)
        }
        return (try? reader.assumeIsolated { try $0.dataVersion() }).map(Version.data)
    }

    /// Whether the store's names still lead to the open files. Watcher and reader share a thread, so this
    /// takes no hop.
    private func isStillInPlace(trustsEvents: Bool = false) -> Bool {
        reader.assumeIsolated { $0.isStillInPlace(trustsEvents: trustsEvents) }
    }

    /// Whether the log contains the commits that its index names. One that another program emptied does not, and
    /// reads through the index would not notice.
    private var isLogWhole: Bool {
        guard let lock = findLock(), lock.file == reader.assumeIsolated({ $0.indexFile }),
            let header = lock.indexHeader(), let size = reader.assumeIsolated({ $0.logSize })
        else { return true }
        // SQLite changes the index before it truncates a log, so only an unchanged one proves anything.
        return size >= header.logSize || lock.indexHeader() != header
    }

    private func schedule(_ event: WatcherMachine.Event, _ timer: TimerName, _ pause: Duration) {
        reader.loop.schedule(timer, after: pause) { [weak self] in self?.assumeIsolated { $0.wake(event) } }
    }

    private func announceCommit() {
        newest?.isOutdated = true
        announce(.committed)
        // A backup that was restored into the file is found when the token is read.
        if reader.assumeIsolated({ $0.isRestored }) { perform(machine.handle(.path(isOurs: false))) }
    }

    /// Returns the newest token; nil for a restored store. If the store cannot be read now, the reader of the
    /// event gets that error; the last position remains valid.
    private func newestToken() -> HistoryToken? {
        if newest?.isOutdated ?? true,
            let token = try? reader.assumeIsolated({ try $0.read { try $0.newestToken() } })
        {
            newest = (token, isOutdated: false)
        }
        return reader.assumeIsolated { $0.isRestored } ? nil : newest?.token
    }

    private func announce(_ signal: StoreSignal) {
        subscribers.removeAll { !$0.report(signal, self) }
    }
}

/// The events of one subscriber that reads the store in any case.
///
/// A wait that runs on the reader's executor gets a signal in one job; an iteration of an `AsyncStream` takes eight.
package final class StoreSignals: Sendable {
    private struct State: Sendable {
        var pending: [StoreSignal] = []
        var isFinished = false
        var waiting: UnsafeContinuation<StoreSignal?, Never>?
    }

    private let state = Mutex(State())

    /// Adds a signal, unless one of the kind is pending: each means "check".
    ///
    /// - Returns: Whether the subscriber still listens.
    func add(_ signal: StoreSignal) -> Bool {
        let (waiting, isFinished) = state.withLock { state in
            if state.waiting == nil, !state.isFinished, !state.pending.contains(signal) {
                state.pending.append(signal)
            }
            defer { state.waiting = nil }
            return (state.waiting, state.isFinished)
        }
        waiting?.resume(returning: signal)
        return !isFinished
    }

    /// Ends the signals after those that are pending.
    package func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    /// Returns the next signal; nil at the end. Only one task may wait.
    package nonisolated(nonsending) func next() async -> StoreSignal? {
        await withUnsafeContinuation { continuation in
            let signal = state.withLock { state -> StoreSignal?? in
                if !state.pending.isEmpty { return state.pending.removeFirst() }
                if state.isFinished { return .some(nil) }
                state.waiting = continuation
                return nil
            }
            if let signal { continuation.resume(returning: signal) }
        }
    }
}

/// Commits that were made and that the store does not have.
package struct LostCommits: Hashable, Sendable {
    /// The number with which the history ends; nil if it has other commits with the numbers of the lost ones.
    package let end: Int64?
    /// The number of the newest commit that is known.
    package let made: Int64

    package init(end: Int64?, made: Int64) { (self.end, self.made) = (end, made) }
}

extension LostCommits {
    /// A sentence about the store, whose cause can be one of two.
    package var sentence: String {
        if let end {
            "The history ends at \(end), but commits up to \(made) were made: the log (-wal) was deleted, "
                + "or the store was replaced by an older file."
        } else {
            "Commits up to \(made) were made that the history does not contain: "
                + "the store was replaced by an older file."
        }
    }
}

extension PersistentContainer {
    /// Returns the commits that the doorbell names and that the store does not have; nil if none are known.
    ///
    /// A log that was deleted, or a replacement of the store by an older file, loses commits that were reported.
    package nonisolated(nonsending) func lostCommits() async throws(StoreError) -> LostCommits? {
        let store = FilePath.resolved(path)
        guard let made = Doorbell.position(store: store), made.storeID == storeID else { return nil }
        // Read after the doorbell, so that it contains all commits that rang.
        let newest = try await currentToken()
        guard made.generation == newest.generation, made.number > newest.number,
            // Not of two lines that were written at the same time.
            Doorbell.position(store: store) == made
        else { return nil }
        return LostCommits(end: newest.number, made: made.number)
    }

    /// Writes the present position into the doorbell, after lost commits were reported.
    package nonisolated(nonsending) func discardLostCommits() async throws(StoreError) {
        guard try await lostCommits() != nil else { return }
        await writer.ring(try await currentToken())
    }
}
