import FileWatch
public import FoundationEssentials

/// One open store: makes contexts, answers history requests, and tells of commits.
///
/// Several processes, and several containers in one process, may have the same store open. What is asked of it
/// runs where the caller is until it reaches a connection's thread, so a busy thread pool delays nothing.
public final class PersistentContainer: Sendable {
    public let path: String
    public let model: StoreModel
    /// The same for every process that opens the store, and for its copies.
    public let storeID: UUID
    package let reader: StoreReader
    private let writer: StoreWriter
    private let watcher: StoreWatcher
    private let options: StoreOptions

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
        storeID = try await writer.open().storeID
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

    /// Tells of every commit from now on, own ones included. See ``StoreEvent``.
    nonisolated(nonsending) public func events() async throws(StoreError) -> AsyncStream<StoreEvent> {
        try await watcher.events()
    }

    /// Registers a reader of the history, or takes over its cursor when its process is gone.
    ///
    /// - Returns: the name it got, another than the wanted one when a running process has that, and the
    ///   position after which it has to read.
    nonisolated(nonsending) public func registerConsumer(
        _ name: String, author: String? = nil, isTransient: Bool = false,
        startingAt token: HistoryToken? = nil
    ) async throws(StoreError) -> (name: String, token: HistoryToken) {
        if let token { try check(token) }
        let start = if let token { token } else { try await currentToken() }
        let log = try await reader.read { $0.log }
        let now = options.clock()
        return try await writer.write { connection in
            try ConsumerTable.register(
                name, author: author, startingAt: start, isTransient: isTransient, now: now, log: log,
                on: connection)
        }
    }

    /// Moves a consumer's cursor forward; never back.
    nonisolated(nonsending) public func moveCursor(of consumer: String, to token: HistoryToken)
        async throws(StoreError)
    {
        try check(token)
        let now = options.clock()
        try await writer.write { try ConsumerTable.move(consumer, to: token, now: now, on: $0) }
    }

    /// Puts a cursor anywhere, for a consumer that has read everything anew.
    nonisolated(nonsending) public func resetCursor(of consumer: String, to token: HistoryToken)
        async throws(StoreError)
    {
        try check(token)
        let now = options.clock()
        try await writer.write { try ConsumerTable.reset(consumer, to: token, now: now, on: $0) }
    }

    private func check(_ token: HistoryToken) throws(StoreError) {
        guard token.storeID == storeID else { throw .tokenOfAnotherStore }
    }

    /// Forgets a consumer: cleaning no longer waits for it.
    nonisolated(nonsending) public func removeConsumer(_ name: String) async throws(StoreError) {
        try await writer.write { try ConsumerTable.remove(name, on: $0) }
    }

    /// Deletes the history that every registered consumer has passed and that is older than `minimumAge`, and
    /// what is older than `maximumAge` whoever still wants it; those are told by
    /// ``StoreError/tokenExpired(oldest:)``.
    ///
    /// Works in small batches with pauses between them, beside other writers.
    nonisolated(nonsending) public func purgeHistory(
        maximumAge: Duration, minimumAge: Duration = .zero
    ) async throws(StoreError) -> PurgeResult {
        let now = options.clock()
        let oldest = now - maximumAge.wholeMilliseconds
        // A millisecond may hold more than one transaction: what is of now is old enough when none has to be kept.
        let youngest = minimumAge == .zero ? Int64.max : now - minimumAge.wholeMilliseconds
        try await writer.write { try ConsumerTable.removeGone(on: $0) }
        let plan = try await writer.read { try HistoryPurge.Plan(oldest: oldest, youngest: youngest, on: $0) }
        let result = try await writer.write { try HistoryPurge.raiseFloor(plan, on: $0) }
        while try await writer.write({ try HistoryPurge.removeBatch(on: $0) }) {
            do { try await Task.sleep(for: .milliseconds(1)) } catch { throw .cancelled }
        }
        return result
    }

    /// Whether the last cleaning is at least `interval` old; if so, says that there is one now, so that of
    /// several processes only one cleans.
    nonisolated(nonsending) public func claimCleaning(every interval: Duration) async throws(StoreError)
        -> Bool
    {
        let now = options.clock()
        let last = try await reader.read { try $0.lastCleaning() }
        guard now - last >= interval.wholeMilliseconds || last > now else { return false }
        return try await writer.write { connection in
            guard try StoreMetadata.integer(.lastCleaning, on: connection) ?? 0 == last else { return false }
            try StoreMetadata.set(.lastCleaning, .integer(now), on: connection)
            return true
        }
    }

    /// Ends the watching and closes the connections; what is asked for afterwards fails with
    /// ``StoreError/closed``.
    nonisolated(nonsending) public func close() async {
        await watcher.stop()
        await reader.close()
        await writer.close()
    }
}
