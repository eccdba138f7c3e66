import Foundation
import TestSupport
import Testing

/// A short run of the SOAK benchmark.
@Suite struct SoakTests {
    @Test func `after concurrent writers, apps, a cleaner, and an indexer, every list equals the store`()
        throws
    {
        let folder = URL(fileURLWithPath: ClipsProgram.path).deletingLastPathComponent()
        let run = try Shell.run(
            folder.appendingPathComponent("ClipsBenchmarks").path, ["SOAK", "--minutes", "0.1", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        var results: [String: Double] = [:]
        for line in run.output.split(separator: "\n") {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let measured = object?["measurement"] as? [String: Any]
            guard let subject = measured?["subject"] as? String,
                let ours = measured?["ours"] as? [String: Any]
            else { continue }
            results[subject.filter { !$0.isNumber }] = ours["median"] as? Double
        }
        for subject in [
            "apps that exited by themselves", "other processes that failed",
            "lists that differ from the  clips",
            "clips that differ in a follower", "faults that integrity_check finds", "status of clips doctor",
        ] {
            #expect(results[subject] == 0, "\(subject): \(results), \(run.errors)")
        }
        #expect(results["commits of the writers"] ?? 0 > 0 && results["keys pressed"] ?? 0 > 0)
        // Seconds are too short for a flat curve, but long enough to detect rapid growth.
        #expect(results["size of the -wal"] ?? .infinity < 268_435_456)
        #expect(results["their descriptors"] ?? .infinity < 400)
    }
}
