import FoundationEssentials
import HistoryTracking
public import PersistentStore
import Platform
import Synchronization

/// A consumer of the history that exchanges the objects of a store with those of other machines.
///
/// Edits get clocks from the history. The record map, the cursors, and the imported objects are saved in the same
/// commits, so the process may be killed at any moment. Two processes never mirror one store simultaneously; two
/// mirrors in one process must not.
public actor Mirror {
    nonisolated let container: PersistentContainer
    nonisolated let configuration: MirrorConfiguration
    nonisolated let engine: any MirrorEngine
    /// The values of each mirrored entity.
    nonisolated let values: [String: RecordValues]
    nonisolated let now: @Sendable () -> Int64
    /// The numbers of records that are put and imported together.
    nonisolated let (putSizes, importSize): (ClosedRange<Int>, Int)
    /// Called before and after each commit; a test ends the mirror there.
    nonisolated let atCommit: @Sendable () throws(MirrorError) -> Void

    var zone = MirrorZone(nil)
    /// The position in the history up to which edits have clocks; nil before the start.
    var position: HistoryFollower?
    /// The number of the token that the store has as the cursor.
    var savedNumber: Int64 = 0
    /// The number of steps in which local edits got clocks.
    var absorbedEdits = 0
    var isConnected = false
    /// Whether damaged or requested records were received since the last comparison with the relay, and its time.
    var (hasDamage, compared) = (false, Int64.min / 2)
    /// The time of the last description of this machine.
    var announced = Int64.min / 2
    private var isExchanging = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    var removals = WaitingRemovals()
    var ahead: ReadAhead?
    /// The next records to put, which were read while those before them were put.
    var prepared = PreparedRecords()
    /// What ends the pauses of ``run()``.
    var signals: Signals?
    /// The number of records that are put together.
    var batchSize: Int
    /// The number of puts without an accepted one.
    var rejections = 0
    /// The names of waiting records that are sent in parts.
    var large: Set<String> = []
    /// The one of which parts were sent.
    var largePut: (row: MapRow, put: MirrorPut)?
    /// The revisions and stamps of large records that this process put, which it need not receive.
    var largePuts: [Int64: Int64] = [:]
    private let counts = Mutex(MirrorProgress())

    /// The work since the mirror was created.
    package nonisolated var progress: MirrorProgress { counts.withLock(\.self) }
    nonisolated func note(_ change: (inout MirrorProgress) -> Void) { counts.withLock { change(&$0) } }

    public init(
        container: PersistentContainer, configuration: MirrorConfiguration, engine: any MirrorEngine
    ) {
        self.init(
            container: container, configuration: configuration, engine: engine,
            now: StoreOptions.systemMilliseconds)
    }

    package init(
        container: PersistentContainer, configuration: MirrorConfiguration, engine: any MirrorEngine,
        putSizes: ClosedRange<Int> = 32...2048, importSize: Int = 500,
        now: @escaping @Sendable () -> Int64,
        atCommit: @escaping @Sendable () throws(MirrorError) -> Void = { () throws(MirrorError) in }
    ) {
        self.container = container
        self.configuration = configuration
        self.engine = engine
        values = RecordValues.all(configuration, container.model)
        (self.putSizes, self.importSize) = (putSizes, importSize)
        batchSize = min(64, putSizes.upperBound)
        self.now = now
        self.atCommit = atCommit
    }

    /// Exchanges all changes once, and returns when this machine and the relay have the same records.
    ///
    /// - Throws: ``MirrorError/standingBy`` if another process mirrors the store; ``MirrorError/manyRemovals(_:)`` after
    ///   the exchange, if deletions wait for an answer.
    public func sync() async throws(MirrorError) {
        try await exchange { () throws(MirrorError) in
            try await exchangeAll()
            try await ask()
        }
    }

    func exchangeAll() async throws(MirrorError) {
        // The relay may have forgotten revisions since the last exchange.
        isConnected = false
        try await connect()
        try await transfer(isFirst: zone[.cursor] == 0)
    }

    /// Exchanges records in pieces: received and sent ones in turn, and a part of a large one when no other waits.
    ///
    /// - Parameters:
    ///   - isFirst: Whether to receive all first, since what waits may be the same.
    ///   - imports: Whether the relay may have new revisions.
    func transfer(isFirst: Bool = false, imports: Bool = true) async throws(MirrorError) {
        var (imports, isAnnounced) = (imports, false)
        try await applyAnswer()
        while true {
            if imports { imports = try await importSome() }
            if imports, isFirst { continue }
            if !imports, !isAnnounced {
                try await announce()
                isAnnounced = true
            }
            if try await exportSome() || imports { continue }
            let isSending = try await exportPart()
            let isReceiving = try await importPart()
            if !isSending, !isReceiving, try await !sealSome() {
                guard mustRepair else { return }
                try await connect()
            }
            // An edit of another machine does not wait for the last part.
            imports = true
        }
    }

    /// Runs one exchange at a time.
    func exchange<Result>(_ body: () async throws(MirrorError) -> Result) async throws(MirrorError) -> Result
    {
        while isExchanging { await withCheckedContinuation { waiting.append($0) } }
        isExchanging = true
        defer {
            isExchanging = false
            let resumed = waiting
            waiting.removeAll()
            for exchange in resumed { exchange.resume() }
        }
        do throws(MirrorError) {
            return try await body()
        } catch {
            (isConnected, ahead, prepared) = (false, nil, PreparedRecords())
            throw error
        }
    }

    /// Registers the consumer, reads the zone, and gives clocks to objects that precede the history.
    func start() async throws(MirrorError) {
        guard position == nil else { return }
        try configuration.check(container.model)
        let name = configuration.consumer
        let (wasKnown, former, object) = try await read { snapshot throws(StoreError) in
            (
                try snapshot.hasConsumer(name), try snapshot.formerMirror(of: name),
                try snapshot.fetch(FetchRequest(MirrorNames.zone)).first
            )
        }
        zone = MirrorZone(object)
        if zone.id != nil, !wasKnown, former == nil { try await noteMissingHistory() }
        let token = try await register(.always, startingAt: former?.token)
        if let former {
            try await store { () throws(StoreError) in try await container.removeConsumer(former.name) }
        }
        let machine = zone.machine
        bindMachine()
        let schema = configuration.schema(container.model)
        if zone[.schema] != schema {
            if zone.id != nil { zone.reconciliation = max(zone.reconciliation, .reread) }
            zone[.schema] = schema
        }
        try await save(renaming: machine)
        follow(after: token)
        if zone[.scanned] == 0 { try await scan() }
    }

    /// Registers the consumer, and returns its position in the history.
    ///
    /// - Throws: ``MirrorError/standingBy`` if another process is registered.
    @discardableResult
    func register(
        _ retention: ConsumerRetention, startingAt token: HistoryToken? = nil
    ) async throws(MirrorError) -> HistoryToken {
        let name = configuration.consumer
        let registered = try await store { () throws(StoreError) in
            try await container.registerConsumer(
                name, author: MirrorConfiguration.author, retention: retention, startingAt: token)
        }
        guard registered.name == name else {
            try await store { () throws(StoreError) in try await container.removeConsumer(registered.name) }
            throw .standingBy
        }
        return registered.token
    }

    /// Requires that unrecorded edits are found by comparing values. Saved before the consumer gets a position: a
    /// process that is killed between the two must not forget the loss.
    func noteMissingHistory() async throws(MirrorError) {
        zone[.scanned] = 0
        zone.reconciliation = .recover
        try await save { _ throws(StoreError) in }
    }

    /// Renews the machine in a store that was copied: two machines with one name could give one clock to two
    /// values.
    private func bindMachine() {
        let system = TextFile.read("/etc/machine-id") ?? ""
        let file = FileIdentity(path: FilePath.resolved(container.path))
        let binding =
            "\(container.storeID) \(system.prefix { !$0.isNewline }) \(file.map { "\($0.device):\($0.inode)" } ?? "")"
        guard zone[.binding] != binding else { return }
        zone[.binding] = binding
        zone.renewMachine()
        zone[.put] = 0
        if zone.id != nil, zone.reconciliation == .none { zone.reconciliation = .compare }
    }

    /// Renews the machine in a store that was replaced by its older copy unnoticed.
    func renewMachine() async throws(MirrorError) {
        let former = zone.machine
        zone.renewMachine()
        try await save(renaming: former)
    }

    /// Saves the zone, and gives the edits that wait the name of its machine. With the former one, they would not be those
    /// of this machine, of which each that another edit replaces unseen is a conflict; and edits that are later than a copy
    /// would be covered by records of the state that was lost.
    private func save(renaming former: UInt64) async throws(MirrorError) {
        let new = zone.machine
        var rows: [MapRow] = []
        if former != new {
            let query = MapRow.request(.toPut)
            rows = try await read { snapshot throws(StoreError) in
                MapRow.rows(of: try snapshot.fetch(query))
            }
        }
        var texts = StateTexts()
        for index in rows.indices {
            rows[index].state.rename(former, to: new)
            rows[index].encode(&texts)
        }
        let renamed = rows
        try await save { transaction throws(StoreError) in
            for row in renamed { try row.save(in: &transaction) }
        }
    }
}
