import Mirroring
import Synchronization

/// A relay in memory that can forget: an older state of its log returns, and numbers are assigned again.
final class MemoryRelay: Sendable {
    struct Stored: Sendable {
        var revision: MirrorRevision
        var body: [UInt8]
    }

    struct Log: Sendable {
        var entries: [Int64: Stored] = [:]
        var newest: [String: Int64] = [:]
        var number: Int64 = 0
        var identity = "log"
    }

    struct State: Sendable {
        var log = Log()
        /// The states after earlier puts, for `forget`.
        var earlier: [Log] = []
        /// Rises when the relay restarts: connections end.
        var epoch = 0
        var time: Int64 = 1_700_000_000_000
        var puts = 0
        var messages = 0
        var maxBytes = Int.max
        var isFull = false
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    let state = Mutex(State())
    private let remembers: Bool
    private let removesSuperseded: Bool

    init(remembers: Bool = true, removesSuperseded: Bool = true) {
        self.remembers = remembers
        self.removesSuperseded = removesSuperseded
    }

    func put(_ put: MirrorPut) throws(MirrorError) -> MirrorPutResult {
        let (remembers, removesSuperseded) = (remembers, removesSuperseded)
        return try state.withLock { state throws(MirrorError) in
            guard !state.isFull else { throw .quotaExceeded }
            guard put.body.count <= state.maxBytes else { return .tooLarge }
            guard state.log.newest[put.key, default: 0] == put.expected else { return .outdated }
            if remembers { state.earlier.append(state.log) }
            state.log.number += 1
            state.time += 1
            state.puts += 1
            let number = state.log.number
            let revision = MirrorRevision(key: put.key, number: number, stamp: put.stamp, time: state.time)
            state.log.entries[number] = Stored(revision: revision, body: put.body)
            state.log.newest[put.key] = number
            if removesSuperseded { state.log.entries[put.expected] = nil }
            for waiting in state.waiting { waiting.yield() }
            return .stored(number)
        }
    }

    /// Discards the newest puts, as after a power failure or from an old backup.
    func forget(_ count: Int) {
        state.withLock { state in
            guard !state.earlier.isEmpty else { return }
            let index = max(0, state.earlier.count - count)
            state.log = state.earlier[index]
            state.earlier.removeSubrange(index...)
            state.epoch += 1
            for waiting in state.waiting { waiting.yield() }
        }
    }

    /// Deletes the log and creates it again.
    func empty() {
        state.withLock { state in
            state.log = Log()
            state.log.identity = "log \(state.epoch + 1)"
            state.earlier = []
            state.epoch += 1
            for waiting in state.waiting { waiting.yield() }
        }
    }

    var bodies: [String: [UInt8]] {
        state.withLock { state in
            state.log.newest.compactMapValues { state.log.entries[$0]?.body }
        }
    }

    var putCount: Int { state.withLock { $0.puts } }
    var messageCount: Int { state.withLock { $0.messages } }
}

/// A connection of one machine to the relay.
final class MemoryEngine: MirrorEngine {
    /// Whether to fail before or after performing a request.
    enum Fault: Sendable { case none, before, after }

    let relay: MemoryRelay
    private let epoch: Mutex<Int>
    private let nextFault: @Sendable () -> Fault

    init(_ relay: MemoryRelay, nextFault: @escaping @Sendable () -> Fault = { .none }) {
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

    func identity() async throws(MirrorError) -> String {
        epoch.withLock { $0 = relay.state.withLock { $0.epoch } }
        return try request { $0.log.identity }
    }

    func key(entity: String, uuid: String) -> String { "\(entity).\(uuid)" }

    func put(_ puts: [MirrorPut]) async throws(MirrorError) -> [MirrorPutResult] {
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

    func get(_ keys: [String]) async throws(MirrorError) -> [MirrorEntry] {
        try request { state in
            keys.compactMap { state.log.newest[$0].flatMap { state.log.entries[$0] }?.entry }
        }
    }

    func entry(at number: Int64) async throws(MirrorError) -> MirrorRevision? {
        try request { $0.log.entries[number]?.revision }
    }

    func changes(after number: Int64, limit: Int) async throws(MirrorError) -> [MirrorEntry] {
        try request { state in
            guard number < state.log.number else { return [] }
            var entries: [MirrorEntry] = []
            for next in (number + 1)...state.log.number {
                guard entries.count < limit else { break }
                if let stored = state.log.entries[next] { entries.append(stored.entry) }
            }
            return entries
        }
    }

    func waitForChanges(after number: Int64) async throws(MirrorError) {
        let (wakes, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
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

    func list() async throws(MirrorError) -> [MirrorRevision] {
        try request { state in
            state.log.newest.values.compactMap { state.log.entries[$0]?.revision }
                .sorted { $0.number < $1.number }
        }
    }

    func remove(_ key: String, upTo number: Int64) async throws(MirrorError) {
        _ = try request { state in
            for (stored, entry) in state.log.entries where entry.revision.key == key && stored <= number {
                state.log.entries[stored] = nil
            }
            if state.log.newest[key, default: 0] <= number { state.log.newest[key] = nil }
        }
    }
}

extension MemoryRelay.Stored {
    fileprivate var entry: MirrorEntry { MirrorEntry(revision: revision, body: body) }
}
