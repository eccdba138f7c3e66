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

/// Performs the actions that ``WatcherMachine`` decides on, on the reader's event loop.
actor StoreWatcher {
    private nonisolated let reader: StoreReader
    private let opening: StoreOpening
    private var machine: WatcherMachine
    private var folder: FolderWatch?
    /// The name of the file without its folder, as in events.
    private var fileName = ""
    private var lock: WriterLock?
    private var version: Int64?
    private var newest: HistoryToken?
    private var isRunning = false
    private var subscribers: [Int: AsyncStream<StoreEvent>.Continuation] = [:]
    private var lastSubscriber = 0
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
        if let folder { reader.loop.stopWatching(folder.descriptor) }
        for subscriber in subscribers.values { subscriber.finish() }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { reader.loop.asUnownedSerialExecutor() }

    /// Returns a stream of events from now on. For a slow subscriber, only the newest few are buffered: each
    /// means "check", and one check sees everything.
    func events() async throws(StoreError) -> AsyncStream<StoreEvent> {
        try await start()
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreEvent.self, bufferingPolicy: .bufferingNewest(4))
        lastSubscriber += 1
        let number = lastSubscriber
        subscribers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.remove(number) }
        }
        if folder == nil { continuation.yield(.watchingByPolling) }
        if machine.isReplaced { continuation.yield(.replaced) }
        return stream
    }

    func stop() {
        isRunning = false
        reader.loop.cancel(pauseTimer)
        reader.loop.cancel(pollTimer)
        if let folder { reader.loop.stopWatching(folder.descriptor) }
        folder = nil
        for subscriber in subscribers.values { subscriber.finish() }
        subscribers.removeAll()
    }

    private func remove(_ number: Int) { subscribers[number] = nil }

    private func start() async throws(StoreError) {
        guard !isRunning else { return }
        // The first read creates the -shm. The version is read after the watch is set up, so that a commit in
        // between is noticed.
        _ = try await reader.dataVersion()
        newest = try await reader.read { snapshot throws(StoreError) in try snapshot.newestToken() }
        guard !isRunning else { return }
        startFolderWatch()
        version = currentVersion()
        isRunning = true
        perform(machine.handle(folder == nil ? .eventsUnavailable : .eventsAvailable))
    }

    private func startFolderWatch() {
        let path = opening.resolvedPath
        fileName = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        guard opening.options.usesFileEvents, let watch = try? FolderWatch(path: opening.folder) else {
            return
        }
        folder = watch
        watchFolderEvents()
    }

    private func watchFolderEvents() {
        guard let folder else { return }
        reader.loop.watch(folder.descriptor) { [weak self] in
            self?.assumeIsolated { $0.handleFolderEvents() }
        }
    }

    private func handleFolderEvents() {
        guard let event = drainedEvent() else { return }
        perform(machine.handle(event))
    }

    /// Returns the meaning of the folder's events since the last call.
    private func drainedEvent() -> WatcherMachine.Event? {
        guard let events = folder?.drain() else { return nil }
        var result: WatcherMachine.Event?
        for event in events {
            switch event.kind {
            case .folderVanished, .overflow: return .pathInDoubt
            case .appeared, .vanished:
                if ["", "-wal", "-shm"].contains(where: { event.name == fileName + $0 }) {
                    return .pathInDoubt
                }
            case .modified:
                if event.name == fileName + "-wal" || event.name == fileName + "-doorbell" {
                    result = .fileEvent
                }
            }
        }
        return result
    }

    private func perform(_ actions: [WatcherMachine.Action]) {
        for action in actions where isRunning {
            switch action {
            case .look: perform(machine.handle(look()))
            case .checkPath: perform(machine.handle(.path(isOurs: isStillInPlace())))
            case .lookAgain(let pause): lookAgain(after: pause)
            case .poll(let pause): schedule(.pollDue, pollTimer, pause)
            case .announceCommit: announceCommit()
            case .announceReplaced: announce(.replaced)
            }
        }
    }

    private func look() -> WatcherMachine.Event {
        let isPathInDoubt = drainedEvent() == .pathInDoubt
        // Missing until a process opens the store for writing, if this reader may only read.
        if lock == nil { lock = WriterLock(databasePath: opening.resolvedPath) }
        let writerAtWork = lock.map { $0.holder() != .free } ?? false
        let newVersion = currentVersion()
        let sawCommit = newVersion != nil && newVersion != version
        if let newVersion { version = newVersion }
        // A read through replaced files proves nothing. While a writer works and nothing is announced, the next
        // check follows in at most 5 ms and does this.
        guard writerAtWork && !sawCommit && !isPathInDoubt || isStillInPlace() else {
            return .path(isOurs: false)
        }
        return .looked(writerAtWork: writerAtWork, sawCommit: sawCommit)
    }

    private func currentVersion() -> Int64? {
        try? reader.assumeIsolated { try $0.dataVersion() }
    }

    /// Whether the store's names still lead to the open files. Watcher and reader share a thread, so this
    /// takes no hop.
    private func isStillInPlace() -> Bool {
        reader.assumeIsolated { $0.isStillInPlace() }
    }

    /// Checks again after a short pause, which the folder's events do not interrupt: the check drains them
    /// first, and each page that a writer writes would otherwise cost a separate check. Other work and other
    /// descriptors are served.
    private func lookAgain(after pause: Duration) {
        if pause >= Self.longestDeafPause {
            watchFolderEvents()
        } else if let folder {
            reader.loop.stopWatching(folder.descriptor)
        }
        schedule(.pauseOver, pauseTimer, pause)
    }

    private static let longestDeafPause = Duration.milliseconds(1)

    private func schedule(_ event: WatcherMachine.Event, _ timer: TimerName, _ pause: Duration) {
        reader.loop.schedule(timer, after: pause) { [weak self] in
            self?.assumeIsolated { watcher in
                if event == .pauseOver { watcher.watchFolderEvents() }
                watcher.perform(watcher.machine.handle(event))
            }
        }
    }

    private func announceCommit() {
        // If the store cannot be read now, the reader of the event gets that error; the last position remains
        // valid.
        if let token = try? reader.assumeIsolated({ try $0.read { try $0.newestToken() } }) {
            newest = token
        } else if !isStillInPlace() {
            return perform(machine.handle(.path(isOurs: false)))
        }
        if let newest { announce(.committed(newest)) }
    }

    private func announce(_ event: StoreEvent) {
        for subscriber in subscribers.values { subscriber.yield(event) }
    }
}
