import FileWatch
public import FoundationEssentials
import Glibc
import SQLite

/// One open store: makes contexts, answers history requests, and tells of commits.
///
/// Several processes, and several containers in one process, may have the same store open. What is asked of it
/// runs where the caller is until it reaches a connection's thread, so a busy thread pool delays nothing.
public final class PersistentContainer: Sendable {
    public let path: String
    public let model: StoreModel
    /// The same for every process that opens the store, and for its copies until one of them is restored.
    public let storeID: UUID
    package let reader: StoreReader
    let writer: StoreWriter
    private let watcher: StoreWatcher
    let options: StoreOptions

    /// Opens the store at `path`; makes or migrates it first when that is needed and allowed.
    public init(path: String, model: StoreModel, options: StoreOptions = StoreOptions())
        async throws(StoreError)
    {
        let opening = StoreOpening(path: path, model: model, options: options)
        do {
            reader = StoreReader(loop: try Self.loop(options), opening: opening)
            writer = StoreWriter(loop: try Self.loop(options), opening: opening)
        } catch {
            throw .cannotOpen(path: path, reason: error.description)
        }
        watcher = StoreWatcher(reader: reader, opening: opening)
        self.path = path
        self.model = model
        self.options = options
        storeID =
            switch options.access {
            case .readWrite: try await writer.open().storeID
            case .readOnly: try await reader.storeID()
            }
    }

    private static func loop(_ options: StoreOptions) throws(FileWatchError) -> EventLoop {
        if let loop = options.loop { return loop }
        return try EventLoop()
    }

    /// A context whose saves are recorded under this author and name.
    public func makeContext(author: String?, name: String? = nil) -> StoreContext {
        StoreContext(author: author, name: name, reader: reader, writer: writer, model: model)
    }

    /// Reads one state of the store. Writers do not hold it up, and it does not hold them up.
    nonisolated(nonsending) public func read<Result: Sendable>(
        _ body: @Sendable (StoreSnapshot) throws -> Result
    ) async throws(StoreError) -> Result {
        try await reader.read(body)
    }

    /// The position of the newest transaction, without reading history.
    nonisolated(nonsending) public func currentToken() async throws(StoreError) -> HistoryToken {
        try await reader.read { try $0.newestToken() }
    }

    /// Suspends the caller, without a thread or a descriptor of its own.
    ///
    /// - Throws: ``StoreError/cancelled``.
    package nonisolated(nonsending) func pause(for delay: Duration) async throws(StoreError) {
        try await reader.loop.pause(for: delay)
    }

    /// Whether anybody has the write lock at this moment.
    package var isBeingWritten: Bool {
        guard let lock = WriterLock(databasePath: StoreOpening.resolved(path)) else { return false }
        return lock.holder() != .nobody
    }

    /// Which other process has the write lock at this moment, as "name (process 4711)".
    package var otherWriter: String? {
        guard case .process(let process) = WriterLock(databasePath: StoreOpening.resolved(path))?.holder(),
            process != getpid()
        else { return nil }
        return ProcessIdentity(process: process).description
    }

    /// Tells of every commit from now on, own ones included. See ``StoreEvent``.
    nonisolated(nonsending) public func events() async throws(StoreError) -> AsyncStream<StoreEvent> {
        try await watcher.events()
    }

    /// Ends the watching and closes the connections; what is asked for afterwards fails with
    /// ``StoreError/closed``.
    nonisolated(nonsending) public func close() async {
        await watcher.stop()
        await reader.close()
        await writer.close()
    }
}
