import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import Synchronization
import TestSupport
import Testing

@testable import MirrorRelay

/// Machines on a line that is slow and often cut.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct SlowLineTests {
    private let relay: ServerRelay
    private let line: SlowLine
    /// The full size takes ten minutes; the small one has more cuts for its bytes.
    private let notes = LongProof.count(300, of: 3000, "notes on a slow line")
    private let large = (LongProof.isWhole ? 10 : 1) << 20

    init() throws {
        relay = try ServerRelay(try NATSServer())
        line = try SlowLine(relay.server, bytesPerSecond: 64_000, cutAfter: 300_000)
    }

    /// Exchanges until all is exchanged, over connections that are cut.
    private func exchange(_ machine: TestMachine) async throws -> Int {
        var (cuts, idle) = (0, 0)
        while true {
            let before = machine.mirror.progress
            do throws(MirrorError) {
                try await machine.mirror.sync()
                return cuts
            } catch {
                guard case .unreachable = error else { throw error }
                cuts += 1
                idle = machine.mirror.progress != before ? 0 : idle + 1
                #expect(idle < 5, "nothing was transferred after \(before): \(error)")
                guard cuts < 1000 else { throw error }
            }
        }
    }

    private func randomText(_ count: Int) throws -> AttributeValue {
        let source = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        let bytes = try #require(try source.read(upToCount: count * 3 / 4))
        return .text(bytes.base64EncodedString())
    }

    @Test func `many notes and a large one are sent and received, and a small edit does not wait for them`()
        async throws
    {
        relay.proxy.withLock { $0 = line.url }
        let a = try await TestMachine(relay, clock: StoreOptions.systemMilliseconds)
        try await a.insert("known", ["title": "t"])
        try await a.sync()
        relay.proxy.withLock { $0 = nil }
        let near = try await TestMachine(relay, clock: StoreOptions.systemMilliseconds)
        try await near.sync()
        try await a.insert("large", ["note": try randomText(large)])
        for number in 0..<notes { try await a.insert("\(number)", ["note": try randomText(500)]) }
        let sending = Task { try await exchange(a) }
        let total = notes + 2
        #expect(
            try await soon {
                try await near.sync()
                return try await near.notes().count > 2
            })
        try await a.update("known", ["title": "edited"])
        #expect(
            try await soon {
                try await near.sync()
                return try await near.notes()["known"]?["title"] == "edited"
            })
        if !LongProof.isWhole { try line.speedUp(by: 8) }
        #expect(try await sending.value > 0)
        // The newest revisions, in the order of their arrival.
        let engine = try relay.engine()
        let order = try await engine.list().map(\.key)
        let edit = try #require(order.firstIndex(of: engine.key(entity: "Note", uuid: "known")))
        let last = try #require(order.firstIndex(of: engine.key(entity: "Note", uuid: "large")))
        #expect(edit < last && order.count == total)
        try await near.sync()
        #expect(try await near.lines() == a.lines())
        // Each chunk was sent once, apart from those whose acknowledgement was cut off.
        let stored = try await relay.engine().size()
        let needed = large + notes * 1100
        #expect(stored < needed * 5 / 4, "\(stored) bytes for \(needed)")

        relay.proxy.withLock { $0 = line.url }
        let b = try await TestMachine(relay, clock: StoreOptions.systemMilliseconds)
        let receiving = Task { try await exchange(b) }
        #expect(try await soon { try await b.notes()["known"] != nil })
        try await b.update("known", ["note": "of b"])
        #expect(
            try await soon {
                try await near.sync()
                return try await near.notes()["known"]?["note"] == "of b"
            })
        #expect(try await receiving.value > 0)
        #expect(try await b.notes().count == total)
        #expect(try await b.notes()["large"]?["note"] == a.notes()["large"]?["note"])
    }
}
