package import FoundationEssentials
import Platform
import SQLite

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

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
        WriterLock.writer(of: path).flatMap { $0.process == getpid() ? nil : $0.description }
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
