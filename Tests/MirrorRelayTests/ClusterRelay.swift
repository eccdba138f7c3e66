import Foundation
import MirrorTesting
import Mirroring
import Synchronization
import TestSupport

@testable import MirrorRelay

/// A zone with three replicas on three servers, of which the leader is killed.
final class ClusterRelay: TestRelay {
    private let servers: [NATSServer]
    private let secret = MirrorSecret()
    private let state = Mutex<(connections: Int, down: Int?, kills: Int)>((0, nil, 0))
    var kills: Int { state.withLock(\.kills) }

    init() async throws {
        let ports = try (0..<3).map { _ in try NATSServer.freePort() }
        let routes = ports.map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
        servers = try ports.indices.map { index in
            try NATSServer(
                configuration: """
                    server_name: s\(index)
                    cluster { name: C, listen: "127.0.0.1:\(ports[index])", routes: [\(routes)] }
                    """)
        }
        let zone = try engine(0).zone
        let isCreated = await soon {
            do {
                let connection = try await JetStreamConnection.open(ServerAddress(servers[0].url))
                try await connection.createStream(zone.stream, prefix: zone.subjects, replicas: 3)
                await connection.close()
                return true
            } catch {
                return false
            }
        }
        guard isCreated else {
            let logs = servers.map { $0.log.suffix(2000) }.joined(separator: "\n")
            throw ShellError(description: "the cluster has no leader\n\(logs)")
        }
        try await settle()
    }

    private func engine(_ index: Int) throws -> JetStreamEngine {
        JetStreamEngine(try ServerAddress(servers[index].url), zone: "world", secret: secret)
    }

    func connect(_ nextFault: @escaping @Sendable () -> RelayFault) throws -> any MirrorEngine {
        let index = state.withLock { state in
            state.connections += 1
            return state.connections % 3
        }
        return FaultyEngine(try engine(index), nextFault: nextFault) { body in try? await body() }
    }

    /// Kills the leader. The next call starts it again first, and waits until it has the others' messages.
    func forget(_ random: inout SeededRandom) async throws {
        try await settle()
        let leader = try await answer { try await $0.leader() }
        guard let index = Int(leader.dropFirst()) else {
            throw ShellError(description: "no server \(leader)")
        }
        servers[index].stop()
        state.withLock { state in
            state.down = index
            state.kills += 1
        }
    }

    func settle() async throws {
        if let down = state.withLock({ $0.down.take() }) { try servers[down].start() }
        for index in servers.indices {
            let isReady = await soon { (try? await engine(index).leader()) != nil }
            guard isReady else { throw ShellError(description: "server \(index) has no leader") }
        }
    }

    let electsLeaders = true

    var putCount: Int { get async throws { try await answer { try await $0.lastNumber() } } }

    /// Repeats a question until the cluster has a leader that answers it.
    private func answer<Answer>(_ question: (JetStreamEngine) async throws -> Answer?) async throws -> Answer
    {
        var answer: Answer?
        _ = await soon {
            answer = try? await question(engine(0))
            return answer != nil
        }
        guard let answer else { throw ShellError(description: "the cluster has no leader") }
        return answer
    }
}
