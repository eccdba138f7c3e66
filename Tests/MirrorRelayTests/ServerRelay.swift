import Foundation
import MirrorTesting
import Mirroring
import Synchronization
import TestSupport

@testable import MirrorRelay

/// A zone of a real server, which is killed with SIGKILL, emptied, and restored from backups.
final class ServerRelay: TestRelay {
    let server: NATSServer
    private let zone: String
    let secret = MirrorSecret()
    /// The keys of the machines; nil for one key that does not change.
    let keys: KeyFiles?
    private let hasBackup = Mutex(false)
    /// The URL of a proxy, for the next connections.
    let proxy = Mutex<String?>(nil)

    /// - Parameter machines: The number of machines with keys of their own; nil for one key that does not change.
    init(_ server: NATSServer, zone: String = "world", machines: Int? = nil) throws {
        (self.server, self.zone) = (server, zone)
        keys = try machines.map { [secret] in try KeyFiles(secret, zone: zone, machines: $0) }
    }

    func engine(_ ring: KeyRing? = nil) throws -> JetStreamEngine {
        JetStreamEngine(
            try ServerAddress(proxy.withLock(\.self) ?? server.url), zone: zone,
            ring ?? KeyRing(secret: secret))
    }

    /// A machine with keys of its own.
    struct Member: TestRelay {
        let relay: ServerRelay
        let ring: @Sendable () -> KeyRing

        func connect(_ nextFault: @escaping @Sendable () -> RelayFault) throws -> any MirrorEngine {
            relay.faulty(try relay.engine(ring()), nextFault)
        }

        func rotate() async throws {
            let engine = try relay.engine(ring())
            try await engine.rotate(excluding: [])
            await engine.close()
        }

        func forget(_ random: inout SeededRandom) throws { try relay.forget(&random) }
        var putCount: Int { get async throws { try await relay.putCount } }
    }

    func member() throws -> any TestRelay {
        guard let keys else { return self }
        return Member(relay: self, ring: keys.next())
    }

    func connect(_ nextFault: @escaping @Sendable () -> RelayFault) throws -> any MirrorEngine {
        faulty(try engine(), nextFault)
    }

    private func faulty(
        _ engine: JetStreamEngine, _ nextFault: @escaping @Sendable () -> RelayFault
    ) -> FaultyEngine {
        let server = server
        return FaultyEngine(engine, nextFault: nextFault) { body in
            async let killing: Void = Task.detached { server.stop() }.value
            try? await body()
            await killing
            try server.start()
        }
    }

    func forget(_ random: inout SeededRandom) throws {
        let files = FileManager.default
        let backup = server.folder.path(of: "backup")
        server.stop()
        switch Int.random(in: 0..<10, using: &random) {
        case ..<4:
            if hasBackup.withLock(\.self) { try files.removeItem(atPath: backup) }
            try files.copyItem(atPath: server.dataFolder, toPath: backup)
            hasBackup.withLock { $0 = true }
        case ..<9:
            try files.removeItem(atPath: server.dataFolder)
            if hasBackup.withLock(\.self) { try files.copyItem(atPath: backup, toPath: server.dataFolder) }
        default: try files.removeItem(atPath: server.dataFolder)
        }
        try server.start()
    }

    var putCount: Int { get async throws { try await engine().lastNumber() } }
}

extension ServerRelay {
    /// Sets the quota of the stream, as its administrator does.
    func limit(bytes: Int) async throws {
        let zone = try engine().zone
        try await withConnection { connection in
            await connection.send(
                "STREAM.UPDATE.\(zone.stream)",
                """
                {"name":"\(zone.stream)","subjects":["\(zone.subjects).>"],"retention":"limits",\
                "storage":"file","discard":"new","max_bytes":\(bytes),"max_msgs":-1,\
                "max_msgs_per_subject":-1,"max_msg_size":-1,"max_consumers":-1,"max_age":0,"num_replicas":1}
                """)
            // Answered after the update.
            _ = try await connection.identity(of: zone.stream)
        }
    }

    func withConnection<Answer>(
        _ body: (JetStreamConnection) async throws -> Answer
    ) async throws -> Answer {
        let connection = try await JetStreamConnection.open(ServerAddress(server.url))
        do {
            let answer = try await body(connection)
            await connection.close()
            return answer
        } catch {
            await connection.close()
            throw error
        }
    }
}
