import Foundation
import TestSupport
import Testing

/// The short form of the benchmarks' soak: the same program, for some seconds.
@Suite struct SoakTests {
    @Test func `after writers, apps, a cleaner and an indexer at once every list is the store's`() throws {
        let folder = URL(fileURLWithPath: ClipsProgram.path).deletingLastPathComponent()
        let run = try Shell.run(
            folder.appendingPathComponent("ClipsBenchmarks").path, ["SOAK", "--minutes", "0.15", "--json"])
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
            "apps that ended by themselves", "other processes that failed",
            "lists that differ from the  clips",
            "faults that integrity_check finds", "status of clips doctor",
        ] {
            #expect(results[subject] == 0, "\(subject): \(results), \(run.errors)")
        }
        #expect(results["commits of the writers"] ?? 0 > 100 && results["keys pressed"] ?? 0 > 100)
        // Within seconds nothing is flat, but nothing runs away either.
        #expect(results["size of the -wal"] ?? .infinity < 268_435_456)
        #expect(results["their descriptors"] ?? .infinity < 400)
    }
}
