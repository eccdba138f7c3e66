import Foundation
import MirrorTesting
import Mirroring
import TestSupport
import Testing

/// The merge rule under random histories, whose number `MIRROR_HISTORIES` sets, and without one of its rules.
@Suite struct ConvergenceTests {
    private static let count =
        ProcessInfo.processInfo.environment["MIRROR_HISTORIES"].flatMap(UInt64.init) ?? 40

    private func failures(_ seeds: some Sequence<UInt64>, rules: MirrorRules = .all, limit: Int) async throws
        -> [String]
    {
        var failures: [String] = []
        for seed in seeds where failures.count < limit {
            var world = try await MirrorWorld(seed: seed, rules: rules)
            let steps = 20 + Int(seed % 7) * 20
            if let failure = try await world.run(steps: steps) { failures.append(failure) }
        }
        return failures
    }

    @Test func `machines converge and no edit is lost, over random histories`() async throws {
        let failures = try await failures(0..<Self.count, limit: 5)
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    static let broken: [(String, MirrorRules)] = [
        ("no lineage check", .checksLineage), ("no check of the own put", .checksOwnPut),
        ("no join", .joins), ("absence is deletion", .absenceIsNoDeletion),
        ("imports before local edits have clocks", .absorbsFirst),
        ("the cursor is saved before the objects", .savesCursorWithObjects),
        ("an interrupted reconciliation is forgotten", .storesReconciling),
    ]

    @Test(arguments: broken)
    func `a broken rule is noticed`(_ name: String, _ rule: MirrorRules) async throws {
        let failures = try await failures(0..<1000, rules: .all.subtracting(rule), limit: 1)
        #expect(!failures.isEmpty, "\(name) is not noticed in 1,000 histories")
        print("\(name): \(failures.first ?? "")")
    }
}
