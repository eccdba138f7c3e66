import FileWatch
import Synchronization
import SQLite

/// Carries out what ``WatcherMachine`` decides, on the reader's event loop.
actor StoreWatcher {
    private nonisolated let reader: StoreReader
    private let opening: StoreOpening
    private var machine = WatcherMachine()
    private var folder: FolderDescriptor?
    /// Once more, for the deinit.
    private var folderDescriptor: CInt?
    /// Without its folder, as events name it.
    private var fileName = ""
    private var lock: WriterLock?
    private var version: Int64?
    private var newest: HistoryToken?
    private var isRunning = false
    private var subscribers: [Int: AsyncStream<StoreEvent>.Continuation] = [:]
    private var lastSubscriber = 0
    private let pauseTimer = TimerName()
    private let sweepTimer = TimerName()

    init(reader: StoreReader, opening: StoreOpening) {
        self.reader = reader
        self.opening = opening
    }

    /// A container that is let go of without `close` ends what it began.
    deinit {
        reader.loop.cancel(pauseTimer)
        reader.loop.cancel(sweepTimer)
        if let folderDescriptor { reader.loop.stopWatching(folderDescriptor) }
        for subscriber in subscribers.values { subscriber.finish() }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { reader.loop.asUnownedSerialExecutor() }

    /// Events from now on. Only the newest few are kept for a subscriber that is slow: each says "look", and
    /// one look sees everything.
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
        if folder == nil { continuation.yield(.watchingBySweep) }
        if machine.isReplaced { continuation.yield(.replaced) }
        return stream
    }

    func stop() {
        isRunning = false
        reader.loop.cancel(pauseTimer)
        reader.loop.cancel(sweepTimer)
        if let folder { reader.loop.stopWatching(folder.watch.descriptor) }
        folder = nil
        folderDescriptor = nil
        for subscriber in subscribers.values { subscriber.finish() }
        subscribers.removeAll()
    }

    private func remove(_ number: Int) { subscribers[number] = nil }

    private func start() async throws(StoreError) {
        guard !isRunning else { return }
        // The first read makes the -shm; the version is read after the watch is there, so that a commit in
        // between wakes somebody.
        _ = try await reader.dataVersion()
        newest = try await reader.read { try $0.newestToken() }
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
        folder = FolderDescriptor(watch)
        folderDescriptor = folder?.watch.descriptor
        watchFolderEvents()
    }

    private func watchFolderEvents() {
        guard let folderDescriptor else { return }
        reader.loop.watch(folderDescriptor) { [weak self] in
            self?.assumeIsolated { $0.handleFolderEvents() }
        }
    }

    private func handleFolderEvents() {
        guard let event = drainedEvent() else { return }
        perform(machine.handle(event))
    }

    /// What the folder's events since the last call mean.
    private func drainedEvent() -> WatcherMachine.Event? {
        guard let events = folder?.watch.drain() else { return nil }
        var result: WatcherMachine.Event?
        for event in events {
            switch event.kind {
            case .folderVanished, .overflow: return .placeInDoubt
            case .appeared, .vanished:
                if ["", "-wal", "-shm"].contains(where: { event.name == fileName + $0 }) {
                    return .placeInDoubt
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
            case .checkPlace: perform(machine.handle(.place(isOurs: isStillInPlace())))
            case .lookAgain(let pause): lookAgain(after: pause)
            case .sweep(let pause): schedule(.sweepDue, sweepTimer, pause)
            case .announceCommit: announceCommit()
            case .announceReplaced: announce(.replaced)
            }
        }
    }

    private func look() -> WatcherMachine.Event {
        _ = drainedEvent()
        // Missing until somebody has the store open to write, when this reader may only read.
        if lock == nil { lock = WriterLock(databasePath: opening.resolvedPath) }
        let writerAtWork = lock.map { $0.holder() != .nobody } ?? false
        let newVersion = currentVersion()
        let sawCommit = newVersion != nil && newVersion != version
        if let newVersion { version = newVersion }
        // A read through files that were replaced proves nothing.
        guard isStillInPlace() else { return .place(isOurs: false) }
        return .looked(writerAtWork: writerAtWork, sawCommit: sawCommit)
    }

    private func currentVersion() -> Int64? {
        try? reader.assumeIsolated { try $0.dataVersion() }
    }

    /// Watcher and reader are on the same thread, so asking takes no hop.
    private func isStillInPlace() -> Bool {
        reader.assumeIsolated { $0.isStillInPlace() }
    }

    /// A short pause is not interrupted by the folder's events: the look that follows drains them first, and each
    /// page that a writer writes would cost a look of its own. Other work and other descriptors are served.
    private func lookAgain(after pause: Duration) {
        if pause >= Self.longestDeafPause {
            watchFolderEvents()
        } else if let folderDescriptor {
            reader.loop.stopWatching(folderDescriptor)
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
        // A store that cannot be read now says so to whoever looks; the last position is still one to look from.
        if let token = try? reader.assumeIsolated({ try $0.read { try $0.newestToken() } }) {
            newest = token
        } else if !isStillInPlace() {
            return perform(machine.handle(.place(isOurs: false)))
        }
        if let newest { announce(.committed(newest)) }
    }

    private func announce(_ event: StoreEvent) {
        for subscriber in subscribers.values { subscriber.yield(event) }
    }
}

/// Lets an actor hold a descriptor that has one owner.
private final class FolderDescriptor {
    let watch: FolderWatch

    init(_ watch: consuming FolderWatch) { self.watch = watch }
}
