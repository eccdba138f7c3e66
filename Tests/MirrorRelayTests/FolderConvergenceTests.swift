import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import TestSupport
import Testing

@testable import MirrorRelay

/// Random histories with a folder.
@Suite struct FolderConvergenceTests {
    private func failures(_ seeds: [UInt64], isCopied: Bool) async throws -> [String] {
        var (failures, changes): ([String], Int) = ([], 0)
        for seed in seeds where failures.count < 5 {
            let rotates = seed % 3 == 1
            let relay = try FolderRelay(seed: seed, isCopied: isCopied, machines: rotates ? 4 : nil)
            var world = try await MirrorWorld(seed: seed, relay: relay, time: relay.now, rotates: rotates)
            let steps = 20 + Int(seed % 7) * 20
            do {
                if let failure = try await world.run(steps: steps) { failures.append(failure) }
                changes += relay.keys?.ring(0).current.name.number ?? 0
            } catch {
                failures.append("seed \(seed): \(error)")
            }
        }
        #expect(changes > 0 || seeds.count < 3)
        return failures
    }

    @Test func `machines with one folder converge, and no edit is lost`() async throws {
        let seeds = LongProof.seeds(5, of: 5000, "histories of machines with one folder")
        let failures = try await failures(seeds, isCopied: false)
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    @Test func `a record that is damaged in one copy of the folder is requested from the others`()
        async throws
    {
        let relay = try FolderRelay(seed: 1, isCopied: true)
        var machines: [TestMachine] = []
        for _ in 0..<3 { machines.append(try await TestMachine(relay, clock: relay.now)) }
        try await relay.settle()
        try await machines[0].insert("1", ["title": "t"])
        for machine in machines { try await machine.sync() }
        try await machines[0].insert("2", ["title": "u"])
        try await machines[0].update("1", ["title": "v"])
        try await machines[0].sync()
        let zone = relay.folder.path(of: "replica2/clips-mirror-world")
        for name in try FileManager.default.contentsOfDirectory(atPath: zone) where SegmentName(name) != nil {
            // Only the newest file has records that the machine did not read.
            let url = URL(fileURLWithPath: "\(zone)/\(name)")
            var data = try Data(contentsOf: url)
            guard SegmentName(name)?.sequence ?? 0 > 1 else { continue }
            data[data.count - 1] ^= 1
            unlink(url.path)
            try data.write(to: url)
        }
        for _ in 0..<3 { for machine in machines { try await machine.sync() } }
        let lines = try await machines[0].lines()
        #expect(lines == ["1 v  [] 0", "2 u  [] 0"])
        for machine in machines {
            #expect(try await machine.lines() == lines)
            #expect(try await Book.configuration.status(in: machine.container)?.unreadable == 0)
        }
        let puts = try await relay.putCount
        for machine in machines { try await machine.sync() }
        #expect(try await relay.putCount == puts)
    }

    @Test func `machines whose folders are copied file by file, cut, and damaged converge`() async throws {
        let seeds = LongProof.seeds(5, of: 500, "histories of machines with copies of a folder")
        let failures = try await failures(seeds, isCopied: true)
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }
}
