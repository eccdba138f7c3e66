package import Mirroring

/// An engine whose answers are observed, and replaced.
package struct RewritingEngine: PartedEngine, KeyedEngine {
    private let engine: any MirrorEngine
    package var stored: @Sendable ([MirrorPut], [MirrorPutResult]) -> Void = { _, _ in }
    package var received: @Sendable ([MirrorEntry]) -> [MirrorEntry] = { $0 }
    package var checked: @Sendable (Int64, MirrorRevision?) -> MirrorRevision? = { $1 }

    package init(_ engine: any MirrorEngine) { self.engine = engine }

    package func identity() async throws(MirrorError) -> String { try await engine.identity() }

    package var mustSeal: Bool { engine.keyed?.mustSeal ?? false }

    package func noteSealing() throws(MirrorError) { try engine.keyed?.noteSealing() }

    package var purgesDeletions: Bool { engine.purgesDeletions }

    package func key(entity: String, uuid: String) -> String { engine.key(entity: entity, uuid: uuid) }

    package func put(_ puts: [MirrorPut]) async throws(MirrorError) -> [MirrorPutResult] {
        let results = try await engine.put(puts)
        stored(puts, results)
        return results
    }

    package var largestWhole: Int { engine.parts?.largestWhole ?? .max }

    package func sendPart(of put: MirrorPut) async throws(MirrorError) -> Double {
        try await engine.parts?.sendPart(of: put) ?? 1
    }

    package func receivePart(of key: String) async throws(MirrorError) -> Double {
        try await engine.parts?.receivePart(of: key) ?? 1
    }

    package func get(_ keys: [String]) async throws(MirrorError) -> [MirrorEntry] {
        received(try await engine.get(keys))
    }

    package func entry(at number: Int64) async throws(MirrorError) -> MirrorRevision? {
        checked(number, try await engine.entry(at: number))
    }

    package func changes(after number: Int64, limit: Int) async throws(MirrorError) -> [MirrorEntry] {
        received(try await engine.changes(after: number, limit: limit))
    }

    package func waitForChanges(after number: Int64) async throws(MirrorError) {
        try await engine.waitForChanges(after: number)
    }

    package func list() async throws(MirrorError) -> [MirrorRevision] { try await engine.list() }

    package func remove(_ key: String, upTo number: Int64) async throws(MirrorError) {
        try await engine.remove(key, upTo: number)
    }
}
