package import Mirroring
import Platform

/// A relay on a NATS server with JetStream. Records are sealed, and their names are keyed hashes.
package actor JetStreamEngine: MirrorEngine {
    let address: ServerAddress
    nonisolated let zone: Zone
    private var opening: Task<Result<JetStreamSession, RelayError>, Never>?

    /// - Parameter zone: The name that the machines of the mirror share.
    package init(_ address: ServerAddress, zone: String, secret: MirrorSecret) {
        self.address = address
        self.zone = Zone(name: zone, cipher: RecordCipher(secret, zone: zone))
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
        let task = opening ?? Task { [address, zone] in await JetStreamSession.open(address, zone) }
        opening = task
        do throws(RelayError) { return try await task.value.get() } catch { throw MirrorError(error) }
    }

    private func run<Answer: Sendable>(
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

    package func identity() async throws(MirrorError) -> String {
        try await run(reconnects: true) { session throws(RelayError) in try await session.identity() }
    }

    package nonisolated func key(entity: String, uuid: String) -> String {
        zone.cipher.key(entity: entity, uuid: uuid)
    }

    package func put(_ puts: [MirrorPut]) async throws(MirrorError) -> [MirrorPutResult] {
        try await run { session throws(RelayError) in try await session.put(puts) }
    }

    package func get(_ keys: [String]) async throws(MirrorError) -> [MirrorEntry] {
        try await run { session throws(RelayError) in try await session.get(keys) }
    }

    package func entry(at number: Int64) async throws(MirrorError) -> MirrorRevision? {
        try await run { session throws(RelayError) in try await session.entry(at: number) }
    }

    package func changes(after number: Int64, limit: Int) async throws(MirrorError) -> [MirrorEntry] {
        try await run { session throws(RelayError) in try await session.changes(after: number, limit: limit) }
    }

    package func waitForChanges(after number: Int64) async throws(MirrorError) {
        try await run { session throws(RelayError) in try await session.waitForChanges(after: number) }
    }

    package func list() async throws(MirrorError) -> [MirrorRevision] {
        try await run { session throws(RelayError) in try await session.list() }
    }

    package func remove(_ key: String, upTo number: Int64) async throws(MirrorError) {
        try await run { session throws(RelayError) in try await session.remove(key, upTo: number) }
    }

    /// Closes the connection; a later call opens another one.
    package func close() async {
        if case .success(let session) = await opening?.value { await session.close() }
        opening = nil
    }
}

extension JetStreamEngine {
    /// Returns whether the server has the zone. Writes nothing.
    ///
    /// - Throws: ``MirrorError/wrongKey`` if the zone has another key.
    package func zoneExists() async throws(MirrorError) -> Bool {
        do throws(RelayError) {
            let session = JetStreamSession(try await JetStreamConnection.open(address), zone)
            let sequence: UInt64?
            do throws(RelayError) {
                sequence = try await session.checkKey()
            } catch {
                await session.close()
                throw error
            }
            await session.close()
            return sequence != nil
        } catch {
            throw MirrorError(error)
        }
    }
}
