package import FoundationEssentials
package import Platform
import SQLite
import Synchronization

/// An open store that creates contexts, runs history requests, and reports commits.
///
/// Several processes, and several containers in one process, may have the same store open. Each call runs on
/// the caller's executor until it reaches a connection's thread, so a busy thread pool delays nothing.
public final class PersistentContainer: Sendable {
    package let path: String
    /// The entities of the store; of an attached database, those of its recorded tables when it was opened.
    public let model: StoreModel
    /// The ID of the store: the same for every process that opens it, and for its copies until one of them is
    /// restored.
    package let storeID: UUID
    package let reader: StoreReader
    let writer: StoreWriter
    private let watcher: StoreWatcher
    let options: StoreOptions
    /// The files, if the store is in memory.
    private let memory: StoreInMemory?

    /// Opens the store at `path`, and creates or migrates it first if that is necessary and allowed.
    public convenience init(path: String, model: StoreModel, options: StoreOptions = StoreOptions())
        async throws(StoreError)
    {
        try await self.init(path: path, model: model, options: options, memory: nil)
    }

    init(
        path: String, model: StoreModel, options: StoreOptions, memory: StoreInMemory?,
        attachment: AttachmentRequest? = nil
    ) async throws(StoreError) {
        let opening = StoreOpening(path: path, model: model, options: options, attachment: attachment)
        do {
            reader = StoreReader(loop: try Self.loop(options.readerLoop ?? options.loop), opening: opening)
            writer = StoreWriter(loop: try Self.loop(options.loop), opening: opening)
        } catch {
            throw .cannotOpen(path: path, reason: error.description)
        }
        watcher = StoreWatcher(reader: reader, opening: opening)
        self.path = path
        self.options = options
        self.memory = memory
        storeID =
            switch options.access {
            case .readWrite: try await writer.open().storeID
            case .readOnly: try await reader.storeID()
            }
        self.model = attachment == nil ? model : try await reader.presentModel()
    }

    private static func loop(_ given: EventLoop?) throws(SystemError) -> EventLoop {
        if let given { return given }
        return try EventLoop()
    }

    /// Returns a new context whose transactions are recorded under this author and name.
    public func makeContext(author: String?, name: String? = nil) -> StoreContext {
        StoreContext(
            author: author, name: name, reader: reader, writer: writer, model: model, storeID: storeID)
    }

    /// Reads one state of the store. Readers and writers do not block each other.
    ///
    /// - Parameter body: A closure that returns the result. It may throw errors of its own; they arrive
    ///   unchanged.
    nonisolated(nonsending) public func read<Result: Sendable>(
        _ body: @Sendable (inout StoreSnapshot) throws -> Result
    ) async throws -> Result {
        try await reader.read(body)
    }

    /// Reads one state of the store with a closure that throws only errors of the store.
    ///
    /// Swift infers the type of a closure's errors only if the closure states it:
    ///
    /// ```swift
    /// let notes = try await container.read { snapshot throws(StoreError) in
    ///     try snapshot.fetch(FetchRequest("Note"))
    /// }
    /// ```
    nonisolated(nonsending) public func read<Result: Sendable>(
        _ body: @Sendable (inout StoreSnapshot) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await reader.read(body)
    }

    /// The position before the first transaction of the store. It has expired once some of the history was
    /// purged, or went unrecorded.
    package var beginningToken: HistoryToken { HistoryToken(storeID: storeID, generation: 1, number: 0) }

    /// Returns the objects or records of a request. To fetch several consistent results, use `read(_:)`.
    nonisolated(nonsending) public func fetch<Row>(_ request: StoreRequest<Row>) async throws(StoreError)
        -> [Row]
    {
        try await read { snapshot throws(StoreError) in try snapshot.fetch(request) }
    }

    /// Returns the number of objects or records that the condition and the bounds of the request admit.
    nonisolated(nonsending) package func count<Row>(_ request: StoreRequest<Row>) async throws(StoreError)
        -> Int
    {
        try await read { snapshot throws(StoreError) in try snapshot.count(request) }
    }

    /// Returns the position of the newest transaction, without reading history.
    nonisolated(nonsending) public func currentToken() async throws(StoreError) -> HistoryToken {
        try await read { snapshot throws(StoreError) in try snapshot.newestToken() }
    }

    /// Suspends the caller, without a separate thread or descriptor.
    ///
    /// - Throws: ``StoreError/cancelled``.
    package nonisolated(nonsending) func pause(for delay: Duration) async throws(StoreError) {
        await reader.loop.pause(for: delay)
        if Task.isCancelled { throw .cancelled }
    }

    /// Whether any process has the write lock at this moment.
    package var isBeingWritten: Bool {
        guard let lock = WriterLock(databasePath: FilePath.resolved(path)) else { return false }
        return lock.holder() != .free
    }

    /// The other process that has the write lock at this moment, as "name (process 4711)".
    package var otherWriter: String? {
        WriterLock.writer(of: path).flatMap {
            $0.process == ProcessIdentity.current.process ? nil : $0.description
        }
    }

    /// Returns a stream of all commits from now on, including this container's own. See ``StoreEvent``.
    nonisolated(nonsending) public func events() async throws(StoreError) -> AsyncStream<StoreEvent> {
        try await watcher.events()
    }

    /// Returns the same events without tokens, for a subscriber that reads the store in any case.
    package nonisolated(nonsending) func signals() async throws(StoreError) -> StoreSignals {
        try await watcher.signals()
    }

    /// Ends the watching and closes the connections. Waits for a read, a save, or a batch that runs; one that
    /// waits, and each later call, throws ``StoreError/closed``.
    nonisolated(nonsending) public func close() async {
        await watcher.stop()
        await reader.close()
        await writer.close()
        memory?.remove()
    }
}

extension PersistentContainer {
    /// Calls `handler` once, on the reader's thread, when no process can read data written to a descriptor
    /// any more. A follower waits for this and for commits in one `ppoll`.
    package func watchForHangUp(_ descriptor: CInt, handler: @escaping @Sendable () -> Void) {
        reader.loop.watchForHangUp(descriptor, handler: handler)
    }
}

extension PersistentContainer {
    /// Creates a store in memory, for tests and previews.
    ///
    /// It behaves as a store in a file: its readers and its writer do not block each other, and its commits are
    /// reported. ``close()``, or releasing the container, deletes it.
    ///
    /// The files are in a private folder of a file system in memory, since the connections to an SQLite
    /// database without a file block each other (sqlite.org/inmemorydb.html).
    public convenience init(inMemory model: StoreModel, options: StoreOptions = StoreOptions())
        async throws(StoreError)
    {
        let store = try StoreInMemory()
        try await self.init(path: store.path, model: model, options: options, memory: store)
    }
}

/// The files of a store in memory, which exist until they are removed or the object is released.
final class StoreInMemory: Sendable {
    let path: String
    private let folder: Mutex<DraftFolder?>

    init() throws(StoreError) {
        let folder = try Self.makeFolder()
        path = folder.store
        self.folder = Mutex(folder)
    }

    /// Creates a folder in the shared memory of the system (shm_overview(7)), or in the folder for temporary
    /// files.
    private static func makeFolder() throws(StoreError) -> DraftFolder {
        do throws(Errno) {
            return try DraftFolder(near: "/dev/shm/\(name)")
        } catch {
            let parent = FileManager.default.temporaryDirectory.path
            do throws(Errno) {
                return try DraftFolder(near: "\(parent)/\(name)")
            } catch {
                throw .cannotOpen(path: parent, reason: error.description)
            }
        }
    }

    private static let name = "persistent-store"

    func remove() { folder.withLock { $0 = nil } }
}

/// The options for opening a store.
public struct StoreOptions: Sendable {
    /// The failure that a completed commit survives.
    @nonexhaustive
    public enum Durability: Sendable {
        /// Survives a power failure (`synchronous=FULL`).
        case full
        /// Survives the death of the process, not of the machine (`synchronous=NORMAL`).
        case normal

        package var sql: String {
            switch self {
            case .full: "FULL"
            case .normal: "NORMAL"
            }
        }
    }

    @nonexhaustive
    public enum Access: Sendable {
        case readWrite
        /// For another user's store: fetches, history, and events, without permission to write the file or
        /// its folder. Nothing is created, migrated, or written. A save, or registering a consumer, fails
        /// with ``StoreError/openedReadOnly(path:)``, so a program that follows the history must store its
        /// token elsewhere.
        ///
        /// A read may run twice: a `read(_:)` restarts if a process begins to write a
        /// store that no process had open.
        case readOnly
    }

    public var access = Access.readWrite
    /// Whether to create a missing store.
    package var createsMissingStore = true
    public var durability = Durability.full
    /// The time that a commit waits for other writers before it fails with
    /// ``StoreError/busy(path:holder:milliseconds:)``.
    public var busyTimeout = Duration.seconds(5)
    /// The size of the pages that the writer caches, in bytes: commits that change many pages of an index write each of
    /// them once, and read none again.
    package var cacheSize = 2 << 20
    /// The number of pages in the log from which a commit copies them into the file: of a page that several commits
    /// changed, the last form alone.
    package var checkpointPages = 1000
    /// Whether the former content of pages that one statement changes remains in memory, for statements that change few.
    package var storesFormerPagesInMemory = false
    /// The name of the program, as the history shows it.
    package var program = StoreOptions.currentProgram

    /// The limits within which commits hold the history without any cleaning: from time to time, a commit
    /// purges a little of the excess. Nil leaves that to cleaning. Ignores the share of the store.
    public var historyBounds: HistoryBounds? = HistoryBounds(maximumChanges: 1_000_000)

    /// The steps in code that opening a store of an older version runs.
    public var migrationSteps: [MigrationStep] = []

    /// The clock behind timestamps, in milliseconds since 1970. Order never depends on it.
    package var clock: @Sendable () -> Int64 = StoreOptions.systemMilliseconds
    /// Whether to use inotify; false on a system that has no instances left.
    package var usesFileEvents = true
    /// Whether to poll slowly even with inotify; false in a test of file events.
    package var pollsAsFallback = true

    /// Whether opening restores the parts that a table rebuild by another program lost. Each write does so in
    /// any case.
    package var repairsWhenOpened = true

    /// Whether waits for another writer end now, with ``StoreError/busy(path:holder:milliseconds:)``: for a
    /// process that must exit but has work to finish first. Called from any thread, thousands of times per second.
    package var isInterrupted: (@Sendable () -> Bool)?

    /// The event loop of the store's connections; nil creates separate threads.
    package var loop: EventLoop?
    /// The event loop of the connection that reads, for a caller that runs on it.
    package var readerLoop: EventLoop?

    /// The texts that fetches cut; nil cuts none.
    package var oversized: OversizedValues?

    /// Whether a commit empties a long log; false measures the cost.
    package var limitsLog = true

    public init() {}

    static let currentProgram: String = {
        var name = CommandLine.arguments.first ?? ""
        if let slash = name.lastIndex(of: "/") { name = String(name[name.index(after: slash)...]) }
        return name
    }()

    package static let systemMilliseconds: @Sendable () -> Int64 = { SystemClock.milliseconds }
}

extension Duration {
    /// The duration in milliseconds, clamped to some million years, so that adding it to a time does not
    /// overflow.
    var wholeMilliseconds: Int64 {
        let seconds = max(-Self.maxSeconds, min(Self.maxSeconds, components.seconds))
        return seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    private static let maxSeconds: Int64 = 1_000_000_000_000_000
}

extension StoreOptions {
    /// Runs asynchronous work on the calling thread alone, with the stores opened with the options passed to
    /// it.
    ///
    /// For a program that runs one task and exits: starting threads would take longer than the task itself. A
    /// store that waits for another writer blocks all of that work.
    package static func runOnThisThread(
        _ work: @escaping @Sendable (StoreOptions) async -> Int32
    ) throws(StoreError) -> Int32 {
        let loop: EventLoop
        do {
            loop = try EventLoop(needsPipe: false)
        } catch {
            throw .cannotOpen(path: "", reason: error.description)
        }
        return loop.runOnThisThread {
            var options = StoreOptions()
            options.loop = loop
            return await work(options)
        }
    }
}
