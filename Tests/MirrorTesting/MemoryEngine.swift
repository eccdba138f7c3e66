package import Mirroring
import Synchronization

/// A connection of one machine to the relay.
package final class MemoryEngine: PartedEngine {
    let relay: MemoryRelay
    private let epoch: Mutex<Int>
    /// The share of each large record that was sent, by stamp, and received, by key and number.
    private let parts = Mutex<[String: Double]>([:])
    private let nextFault: @Sendable () -> RelayFault
    private let wait = Mutex<AsyncStream<Void>.Continuation?>(nil)

    package init(_ relay: MemoryRelay, nextFault: @escaping @Sendable () -> RelayFault = { .none }) {
        self.relay = relay
        self.nextFault = nextFault
        epoch = Mutex(relay.state.withLock { $0.epoch })
    }

    private func request<Result: Sendable>(
        _ body: (inout MemoryRelay.State) -> Result
    ) throws(MirrorError) -> Result {
        let fault = nextFault()
        if fault == .before { throw .unreachable(reason: "before") }
        let known = epoch.withLock { $0 }
        let result: Result? = relay.state.withLock { state in
            guard state.epoch == known else { return nil }
            state.messages += 1
            return body(&state)
        }
        guard let result, fault == .none else { throw .unreachable(reason: "after") }
        return result
    }

    package func identity() async throws(MirrorError) -> String {
        epoch.withLock { $0 = relay.state.withLock { $0.epoch } }
        return try request { $0.log.identity }
    }

    package func key(entity: String, uuid: String) -> String { "\(entity).\(uuid)" }

    package func put(_ puts: [MirrorPut]) async throws(MirrorError) -> [MirrorPutResult] {
        var results: [MirrorPutResult] = []
        for put in puts {
            let fault = nextFault()
            if fault == .before { throw .unreachable(reason: "before") }
            guard epoch.withLock({ $0 }) == relay.state.withLock({ $0.epoch }) else {
                throw .unreachable(reason: "restarted")
            }
            results.append(try relay.put(put))
            if fault == .after { throw .unreachable(reason: "after") }
        }
        return results
    }

    package func get(_ keys: [String]) async throws(MirrorError) -> [MirrorEntry] {
        try request { state in
            keys.compactMap { state.log.newest[$0].flatMap { state.log.entries[$0] } }.map {
                entry($0, &state)
            }
        }
    }

    package var largestWhole: Int { relay.state.withLock { $0.largestWhole } }

    package func sendPart(of put: MirrorPut) async throws(MirrorError) -> Double {
        _ = try request { _ in }
        return add(half: "\(put.stamp)")
    }

    package func receivePart(of key: String) async throws(MirrorError) -> Double {
        let number = try request { $0.log.newest[key] }
        return number.map { add(half: "\(key) \($0)") } ?? 1
    }

    private func add(half name: String) -> Double {
        parts.withLock { parts in
            parts[name, default: 0] += 0.5
            return parts[name] ?? 0
        }
    }

    /// Returns a revision, deferred if it is large and was not received.
    private func entry(_ stored: MemoryRelay.Stored, _ state: inout MemoryRelay.State) -> MirrorEntry {
        let name = "\(stored.revision.key) \(stored.revision.number)"
        if stored.body.count <= state.largestWhole || parts.withLock({ $0[name] ?? 0 >= 1 }) {
            return stored.entry
        }
        return MirrorEntry(deferred: stored.revision)
    }

    package func entry(at number: Int64) async throws(MirrorError) -> MirrorRevision? {
        try request { $0.log.entries[number]?.revision }
    }

    /// Receives revisions, and ends a wait for them, as a connection with one feed does.
    package func changes(after number: Int64, limit: Int) async throws(MirrorError) -> [MirrorEntry] {
        wait.withLock { $0.take() }?.finish()
        return try request { state in
            guard number < state.log.number else { return [] }
            var entries: [MirrorEntry] = []
            for next in (number + 1)...state.log.number {
                guard entries.count < min(limit, state.piece) else { break }
                if let stored = state.log.entries[next] { entries.append(entry(stored, &state)) }
            }
            return entries
        }
    }

    package func waitForChanges(after number: Int64) async throws(MirrorError) {
        let (wakes, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        wait.withLock { $0 = continuation }
        relay.state.withLock { $0.waiting.append(continuation) }
        for await _ in wakes where try hasChanges(after: number) { return }
        throw .cancelled
    }

    /// Reads the state of this process: it is no message.
    private func hasChanges(after number: Int64) throws(MirrorError) -> Bool {
        let known = epoch.withLock { $0 }
        let newest: Int64? = relay.state.withLock { $0.epoch == known ? $0.log.entries.keys.max() ?? 0 : nil }
        guard let newest else { throw .unreachable(reason: "restarted") }
        return newest > number
    }

    package func list() async throws(MirrorError) -> [MirrorRevision] {
        try request { state in
            state.log.newest.values.compactMap { state.log.entries[$0]?.revision }
                .sorted { $0.number < $1.number }
        }
    }

    package func remove(_ key: String, upTo number: Int64) async throws(MirrorError) {
        _ = try request { state in
            for (stored, entry) in state.log.entries where entry.revision.key == key && stored <= number {
                state.log.entries[stored] = nil
            }
            if state.log.newest[key, default: 0] <= number { state.log.newest[key] = nil }
        }
    }
}
