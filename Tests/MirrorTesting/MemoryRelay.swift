package import Mirroring
package import Synchronization
package import TestSupport

/// A relay in memory that can forget: an older state of its log returns, and numbers are assigned again.
package final class MemoryRelay: TestRelay {
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

    package struct State: Sendable {
        var log = Log()
        /// The states after earlier puts, for `forget`.
        var earlier: [Log] = []
        /// Rises when the relay restarts: connections end.
        var epoch = 0
        var time: Int64 = 1_700_000_000_000
        var puts = 0
        var messages = 0
        package var maxBytes = Int.max
        package var isFull = false
        /// The number of revisions delivered at once.
        package var piece = Int.max
        /// The bytes above which a record is transferred in parts.
        package var largestWhole = Int.max
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    package let state = Mutex(State())
    private let remembers: Bool
    private let removesSuperseded: Bool
    private let clock: SettableClock?
    private let step: Int64

    /// - Parameters:
    ///   - clock: The time of the revisions; nil for a millisecond more with each.
    ///   - step: The difference of two numbers: other messages of a relay have numbers, too.
    package init(
        remembers: Bool = true, removesSuperseded: Bool = true, clock: SettableClock? = nil, step: Int64 = 1
    ) {
        self.step = step
        self.clock = clock
        self.remembers = remembers
        self.removesSuperseded = removesSuperseded
    }

    package func put(_ put: MirrorPut) throws(MirrorError) -> MirrorPutResult {
        let (remembers, removesSuperseded) = (remembers, removesSuperseded)
        let (clock, step) = (clock, step)
        return try state.withLock { state throws(MirrorError) in
            guard !state.isFull else { throw .quotaExceeded }
            guard put.body.count <= state.maxBytes else { return .tooLarge }
            guard state.log.newest[put.key, default: 0] == put.expected else { return .outdated }
            if remembers { state.earlier.append(state.log) }
            state.log.number += step
            state.time = clock?.now() ?? state.time + 1
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

    /// Adds a revision of a record of which nothing can be read.
    package func damage(_ key: String) throws(MirrorError) {
        let number = state.withLock { $0.log.newest[key] ?? 0 }
        _ = try put(MirrorPut(key: key, expected: number, stamp: 1, body: []))
    }

    package func connect(_ nextFault: @escaping @Sendable () -> RelayFault) -> any MirrorEngine {
        MemoryEngine(self, nextFault: nextFault)
    }

    package func forget(_ random: inout SeededRandom) {
        if Int.random(in: 0..<6, using: &random) == 0 { return empty() }
        forget(Int.random(in: 1...12, using: &random))
    }

    /// Discards the newest puts, as after a power failure or from an old backup.
    package func forget(_ count: Int) {
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
    package func empty() {
        state.withLock { state in
            state.log = Log()
            state.log.identity = "log \(state.epoch + 1)"
            state.earlier = []
            state.epoch += 1
            for waiting in state.waiting { waiting.yield() }
        }
    }

    package var bodies: [String: [UInt8]] {
        state.withLock { state in
            state.log.newest.compactMapValues { state.log.entries[$0]?.body }
        }
    }

    package var putCount: Int { state.withLock { $0.puts } }
    package var messageCount: Int { state.withLock { $0.messages } }
}

extension MemoryRelay.Stored {
    var entry: MirrorEntry { MirrorEntry(revision: revision, body: body) }
}
