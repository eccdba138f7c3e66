import ClipsCore
import Foundation
import PersistentStore
import TestSupport
import Testing

/// Writers with and without the library, apps with random keys, a cleaner, and an indexer on one store, for
/// `SOAK_MINUTES`.
@Suite struct SoakTests {
    /// The resources of processes, and the sizes of the store's files.
    private struct Sample {
        var memory: [Double] = []
        var descriptors: [Double] = []
        var log = 0.0
        var store = 0.0
        var transactions = 0.0
    }

    private static let tool = StoreWriterProcess.path.replacing("StoreWriterTool", with: "SoakTool")

    @Test func `after concurrent writers, apps, a cleaner, and an indexer, every list equals the store`()
        async throws
    {
        let seconds = 60 * (ProcessInfo.processInfo.environment["SOAK_MINUTES"].flatMap(Double.init) ?? 0.1)
        let clips = try ClipsProgram()
        let path = clips.storePath
        let store = try await ClipStore(path: path, author: "cli")
        let follower = SoakFollower(store.container)
        let writers =
            try (1...8).map { try LineProcess(Self.tool, ["write", path, "\($0)"]) }
            + (1...2).map { try LineProcess(Self.tool, ["external", path, "\($0)"]) }
        let helpers = try ["clean", "search"].map { try LineProcess(Self.tool, [$0, path, "0"]) }
        let apps = try (1...4).map { try SoakedApp(clips, number: $0) }
        // Before the program sets its terminal, ^C ends it.
        for app in apps { #expect(try app.hasStarted()) }
        let processes = apps.map(\.process) + (writers + helpers).map(\.identifier)

        let began = ContinuousClock.now
        var samples: [Sample] = []
        while (.now - began) / .seconds(1) < seconds {
            for app in apps { try app.proceed() }
            try await follower.catchUp()
            guard (.now - began) / .seconds(1) >= Double(samples.count + 1) * seconds / 120 else { continue }
            if let ended = apps.first(where: \.hasExited) {
                Issue.record("an app has ended: \(try ended.screen)")
                return
            }
            samples.append(try await sample(processes, store.container, path))
        }
        let commits = try writers.reduce(0) { $0 + (Int(try $1.ask("commits")) ?? 0) }
        for process in writers + helpers { process.closeInput() }
        for process in writers + helpers { #expect(process.waitsForEnd() == 0) }
        #expect(commits > 0 && apps.allSatisfy { $0.keys > 0 })

        for app in apps { #expect(try app.returnsToList()) }
        for app in apps {
            let difference = try await app.difference(from: store)
            #expect(difference == nil, "\(difference ?? "")")
            #expect(!app.hasExited)
        }
        #expect(try await follower.differences() == 0)
        await store.close()
        #expect(try clips.sqlite3("PRAGMA integrity_check") == "ok")
        #expect(try clips.run("doctor").status == 0)
        checkGrowth(samples, isLong: seconds >= 300)
    }

    private func sample(
        _ processes: [pid_t], _ container: PersistentContainer, _ path: String
    ) async throws -> Sample {
        var sample = Sample()
        for process in processes {
            let status = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
            sample.memory.append(status.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0)
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
            sample.descriptors.append(Double(descriptors.count))
        }
        func size(_ path: String) -> Double {
            (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Double) ?? 0
        }
        (sample.log, sample.store) = (size(path + "-wal"), size(path))
        sample.transactions = Double(
            try await container.read { snapshot throws(StoreError) in
                try snapshot.count(HistoryFetchRequest()).transactions
            })
        return sample
    }

    /// Compares the last quarter with the second; seconds are too short for a flat curve, but long enough to detect
    /// rapid growth.
    private func checkGrowth(_ samples: [Sample], isLong: Bool) {
        #expect((samples.map(\.log).max() ?? 0) < 268_435_456)
        func most(_ quantity: (Sample) -> Double) -> Double { samples.map(quantity).max() ?? 0 }
        #expect(most { $0.descriptors.reduce(0, +) } < 800)
        // Without the four apps, which are the first.
        #expect(most { $0.descriptors.dropFirst(4).reduce(0, +) } < 400)
        guard isLong else { return }
        func expect(_ name: String, atMost limit: Double, _ quantity: (Sample) -> Double) {
            let values = samples.map(quantity)
            func median(_ part: ArraySlice<Double>) -> Double { part.sorted()[part.count / 2] }
            let early = median(values[values.count / 4..<values.count / 2])
            let late = median(values[(values.count * 3 / 4)...])
            print("\(name): \(early), at the end \(late)")
            #expect(late <= early * limit, "\(name)")
        }
        for process in samples.first?.memory.indices ?? 0..<0 {
            expect("memory of process \(process)", atMost: 1.15) { $0.memory[process] }
            expect("its descriptors", atMost: 1.1) { $0.descriptors[process] }
        }
        expect("size of the -wal", atMost: 1.5, \.log)
        expect("size of the store", atMost: 1.15, \.store)
        expect("transactions in the history", atMost: 1.25, \.transactions)
    }
}
