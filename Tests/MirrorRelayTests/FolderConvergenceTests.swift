import Foundation
import MirrorTesting
import Mirroring
import TestSupport
import Testing

@testable import MirrorRelay

/// Random histories with a folder.
@Suite struct FolderConvergenceTests {
    private func failures(_ count: Int, isCopied: Bool) async throws -> [String] {
        var (failures, changes): ([String], Int) = ([], 0)
        let chosen = ProcessInfo.processInfo.environment["CLIPS_SEEDS"]?.split(separator: ",") ?? []
        let seeds = chosen.isEmpty ? Array(0..<UInt64(count)) : chosen.compactMap { UInt64($0) }
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
        #expect(changes > 0)
        return failures
    }

    @Test func `machines with one folder converge, and no edit is lost`() async throws {
        let count = LongProof.count(10, of: 5000, "histories of machines with one folder")
        let failures = try await failures(count, isCopied: false)
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    @Test func `machines whose folders are copied file by file, cut, and damaged converge`() async throws {
        let count = LongProof.count(10, of: 200, "histories of machines with copies of a folder")
        let failures = try await failures(count, isCopied: true)
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }
}
