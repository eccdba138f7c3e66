import CNATS

@testable import MirrorRelay

/// The state of a stream, which only tests read.
extension JetStreamEngine {
    private func read<Value: Sendable>(_ body: @Sendable (jsStreamInfo) -> Value) async throws -> Value {
        let session = try await JetStreamSession.open(address, zone).get()
        defer { Task { await session.close() } }
        return try await session.connection.withInfo(of: zone.stream, body)
    }

    /// The messages of the stream, metadata included.
    func messageCount() async throws -> Int { try await read { Int($0.State.Msgs) } }

    func size() async throws -> Int { try await read { Int($0.State.Bytes) } }

    /// The number of the newest message, even if it was removed.
    func lastNumber() async throws -> Int { try await read { Int($0.State.LastSeq) } }

    /// The name of the server that leads the stream's replicas; nil during an election, and while a replica lags.
    func leader() async throws -> String? {
        try await read { info in
            guard let cluster = info.Cluster?.pointee, let leader = cluster.Leader else { return nil }
            let replicas = (0..<Int(cluster.ReplicasLen)).compactMap { cluster.Replicas[$0]?.pointee }
            return replicas.allSatisfy { $0.Current && !$0.Offline } ? String(cString: leader) : nil
        }
    }
}
