import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import TestSupport
import Testing

@testable import MirrorRelay

/// Random histories with a real server.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct ServerConvergenceTests {
    @Test func `machines converge while the server is killed, restored, and emptied`() async throws {
        var changes = 0
        for seed in 0..<UInt64(LongProof.count(3, of: 14, "histories of machines with a server")) {
            let rotates = seed % 2 == 1
            let relay = try ServerRelay(try NATSServer(), machines: rotates ? 4 : nil)
            var world = try await MirrorWorld(
                seed: seed, relay: relay, time: StoreOptions.systemMilliseconds, rotates: rotates)
            let failure = try await world.run(steps: 40 + Int(seed % 3) * 40)
            #expect(failure == nil)
            changes += relay.keys?.ring(0).current.name.number ?? 0
        }
        #expect(changes > 0)
    }

    @Test func `three replicas lose nothing when the leader is killed`() async throws {
        let relay = try await ClusterRelay()
        var world = try await MirrorWorld(seed: 2, relay: relay, time: StoreOptions.systemMilliseconds)
        let failure = try await world.run(steps: 60, forgets: true)
        #expect(failure == nil)
        #expect(relay.kills > 0)
        for machine in world.machines {
            #expect(try await Book.configuration.status(in: machine.container)?.forgotten == 0)
        }
    }
}
