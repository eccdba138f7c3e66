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
    private let secret = MirrorSecret()
    private let hasBackup = Mutex(false)
    /// The URL of a proxy, for the next connections.
    let proxy = Mutex<String?>(nil)

    init(_ server: NATSServer, zone: String = "world") {
        (self.server, self.zone) = (server, zone)
    }

    func engine() throws -> JetStreamEngine {
        JetStreamEngine(
            try ServerAddress(proxy.withLock(\.self) ?? server.url), zone: zone, secret: secret)
    }

    func connect(_ nextFault: @escaping @Sendable () -> RelayFault) throws -> any MirrorEngine {
        let server = server
        return FaultyEngine(try engine(), nextFault: nextFault) { body in
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
