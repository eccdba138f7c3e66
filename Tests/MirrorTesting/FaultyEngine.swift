package import Mirroring

/// An engine whose requests fail, and whose relay is killed while it performs them.
package struct FaultyEngine: PartedEngine, KeyedEngine {
    private let engine: any MirrorEngine
    private let nextFault: @Sendable () -> RelayFault
    private let killed: @Sendable (() async throws -> Void) async throws -> Void

    /// - Parameter killed: Calls a closure while the relay is killed, and returns when it runs again.
    package init(
        _ engine: any MirrorEngine, nextFault: @escaping @Sendable () -> RelayFault,
        killed: @escaping @Sendable (() async throws -> Void) async throws -> Void
    ) {
        (self.engine, self.nextFault, self.killed) = (engine, nextFault, killed)
    }

    private func request<Answer: Sendable>(
        _ body: () async throws(MirrorError) -> Answer
    ) async throws(MirrorError) -> Answer {
        switch nextFault() {
        case .none: return try await body()
        case .before: throw .unreachable(reason: "before")
        case .after:
            do { try await killed { _ = try await body() } } catch { throw .other("\(error)") }
            throw .unreachable(reason: "after")
        }
    }

    package func identity() async throws(MirrorError) -> String {
        try await request { () throws(MirrorError) in try await engine.identity() }
    }

    package var mustSeal: Bool { engine.keyed?.mustSeal ?? false }

    package func noteSealing() throws(MirrorError) { try engine.keyed?.noteSealing() }

    package var purgesDeletions: Bool { engine.purgesDeletions }

    package func key(entity: String, uuid: String) -> String { engine.key(entity: entity, uuid: uuid) }

    package func put(_ puts: [MirrorPut]) async throws(MirrorError) -> [MirrorPutResult] {
        try await request { () throws(MirrorError) in try await engine.put(puts) }
    }

    package var largestWhole: Int { engine.parts?.largestWhole ?? .max }

    package func sendPart(of put: MirrorPut) async throws(MirrorError) -> Double {
        try await request { () throws(MirrorError) in try await engine.parts?.sendPart(of: put) ?? 1 }
    }

    package func receivePart(of key: String) async throws(MirrorError) -> Double {
        try await request { () throws(MirrorError) in try await engine.parts?.receivePart(of: key) ?? 1 }
    }

    package func get(_ keys: [String]) async throws(MirrorError) -> [MirrorEntry] {
        try await request { () throws(MirrorError) in try await engine.get(keys) }
    }

    package func entry(at number: Int64) async throws(MirrorError) -> MirrorRevision? {
        try await request { () throws(MirrorError) in try await engine.entry(at: number) }
    }

    package func changes(after number: Int64, limit: Int) async throws(MirrorError) -> [MirrorEntry] {
        try await request { () throws(MirrorError) in
            try await engine.changes(after: number, limit: limit)
        }
    }

    package func waitForChanges(after number: Int64) async throws(MirrorError) {
        try await request { () throws(MirrorError) in try await engine.waitForChanges(after: number) }
    }

    package func list() async throws(MirrorError) -> [MirrorRevision] {
        try await request { () throws(MirrorError) in try await engine.list() }
    }

    package func remove(_ key: String, upTo number: Int64) async throws(MirrorError) {
        try await request { () throws(MirrorError) in try await engine.remove(key, upTo: number) }
    }
}
