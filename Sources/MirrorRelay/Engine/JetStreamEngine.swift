public import Mirroring

/// A relay on a NATS server with JetStream. Records are sealed, and their names are keyed hashes.
public actor JetStreamEngine: MirrorEngine {
    let address: ServerAddress
    nonisolated let zone: Zone
    private let parts = PartialRecords()
    private var opening: Task<Result<JetStreamSession, RelayError>, Never>?

    /// - Parameters:
    ///   - address: The server and the credentials for it.
    ///   - zone: The name that the machines of the mirror share.
    ///   - secret: The secret that they share.
    public init(_ address: ServerAddress, zone: String, secret: MirrorSecret) {
        self.init(address, zone: zone, KeyRing(secret: secret))
    }

    package init(_ address: ServerAddress, zone: String, _ ring: KeyRing) {
        self.address = address
        self.zone = Zone(name: zone, cipher: RecordCipher(ring, zone: zone))
    }

    /// Whether a name can be that of a zone.
    package static func isValid(zone: String) -> Bool { Zone.isValid(zone) }

    /// Returns the open session, or opens the first one.
    ///
    /// - Parameter reconnects: Whether to open another one after the connection ended. Only ``identity()`` does: every
    ///   other call fails, so that the mirror checks the lineage.
    private func session(reconnects: Bool) async throws(MirrorError) -> JetStreamSession {
        if let opening {
            switch await opening.value {
            case .success(let session) where !session.isEnded: return session
            case .success where !reconnects: throw .unreachable(reason: "the connection ended")
            case .failure(let error) where !reconnects: throw MirrorError(error)
            case .success, .failure:
                if self.opening == opening { self.opening = nil }
            }
        }
        let task =
            opening ?? Task { [address, zone, parts] in await JetStreamSession.open(address, zone, parts) }
        opening = task
        do throws(RelayError) { return try await task.value.get() } catch { throw MirrorError(error) }
    }

    func run<Answer: Sendable>(
        reconnects: Bool = false, _ body: (JetStreamSession) async throws(RelayError) -> Answer
    ) async throws(MirrorError) -> Answer {
        let session = try await session(reconnects: reconnects)
        do {
            return try await body(session)
        } catch {
            switch error {
            case .unreachable, .noStream: await session.close()
            default: break
            }
            throw MirrorError(error)
        }
    }

    public func identity() async throws(MirrorError) -> String {
        try await run(reconnects: true) { session throws(RelayError) in try await session.identity() }
    }

    package func deleteZone() async throws(MirrorError) {
        try await run(reconnects: true) { session throws(RelayError) in
            try await session.connection.deleteStream(zone.stream)
        }
        await close()
    }

    public nonisolated func key(entity: String, uuid: String) -> String {
        zone.cipher.key(entity: entity, uuid: uuid)
    }

    public func put(_ puts: [MirrorPut]) async throws(MirrorError) -> [MirrorPutResult] {
        let results = try await run { session throws(RelayError) in
            let results = try await session.put(puts)
            if case .unreachable = Self.errors(results).first { await session.close() }
            return results
        }
        let errors = Self.errors(results)
        // The acknowledged ones are not put again.
        guard let error = errors.first, errors.count == results.count else { return results }
        throw error
    }

    private static func errors(_ results: [MirrorPutResult]) -> [MirrorError] {
        results.compactMap { if case .failed(let error) = $0 { error } else { nil } }
    }

    package nonisolated var largestWhole: Int { RecordBody.largestWhole }

    package func sendPart(of put: MirrorPut) async throws(MirrorError) -> Double {
        try await run { session throws(RelayError) in try await session.sendPart(of: put) }
    }

    package func receivePart(of key: String) async throws(MirrorError) -> Double {
        try await run { session throws(RelayError) in try await session.receivePart(of: key) }
    }

    public func get(_ keys: [String]) async throws(MirrorError) -> [MirrorEntry] {
        try await run { session throws(RelayError) in try await session.get(keys) }
    }

    public func entry(at number: Int64) async throws(MirrorError) -> MirrorRevision? {
        try await run { session throws(RelayError) in try await session.entry(at: number) }
    }

    public func changes(after number: Int64, limit: Int) async throws(MirrorError) -> [MirrorEntry] {
        try await run { session throws(RelayError) in try await session.changes(after: number, limit: limit) }
    }

    public func waitForChanges(after number: Int64) async throws(MirrorError) {
        try await run { session throws(RelayError) in try await session.waitForChanges(after: number) }
    }

    public func list() async throws(MirrorError) -> [MirrorRevision] {
        try await run { session throws(RelayError) in try await session.list() }
    }

    public func remove(_ key: String, upTo number: Int64) async throws(MirrorError) {
        try await run { session throws(RelayError) in try await session.remove(key, upTo: number) }
    }

    /// Closes the connection; a later call opens another one.
    public func close() async {
        if case .success(let session) = await opening?.value { await session.close() }
        opening = nil
    }
}

extension JetStreamEngine {
    /// Returns whether the server has the zone. Writes nothing.
    ///
    /// - Throws: `MirrorError.wrongKey` if the zone has another key.
    public func zoneExists() async throws(MirrorError) -> Bool {
        let zone = zone
        return try await JetStreamConnection.use(address) { connection throws(RelayError) in
            try await JetStreamSession(connection, zone).checkKey() != nil
        }
    }
}

extension JetStreamEngine: PartedEngine {}
