import CBenchmarkProbes
import PersistentStore

extension Figure {
    static let oneShotProcess = Figure(
        name: "F10", title: "'clips extension' as a whole process against the sqlite3 shell"
    ) { workspace in
        let clips = try workspace.clipsProgram()
        return try [true, false].flatMap { isOpenElsewhere in
            try OneShotProcess(workspace, clips, isOpenElsewhere: isOpenElsewhere).measure()
        }
    }
}

/// The same insert by two programs, each into a separate store of the same kind.
private struct OneShotProcess {
    private let workspace: Workspace
    private let isOpenElsewhere: Bool
    private let clips: String
    private let stores: [String]

    init(_ workspace: Workspace, _ clips: String, isOpenElsewhere: Bool) throws {
        self.workspace = workspace
        self.isOpenElsewhere = isOpenElsewhere
        stores = [workspace.newPath("one-shot.db"), workspace.newPath("shell.db")]
        for store in stores { try SmallStore.make(store, clips: 1000) }
        self.clips = clips
    }

    private func ours(_ number: Int) -> [String] {
        [
            clips, "extension", "--store", stores[0], "--url", SampleClip.url(number), "--title",
            SampleClip.title(number), "--text", SampleClip.text(number),
        ]
    }

    private func shell(_ number: Int) -> [String] {
        [
            "sqlite3", "-cmd", ".timeout 5000", stores[1],
            "PRAGMA synchronous = FULL; " + SampleClip.insertion(number),
        ]
    }

    func measure() throws -> [Measurement] {
        let windows = try isOpenElsewhere ? stores.map(ListeningWindow.init(store:)) : []
        var number = 10_000
        func next() -> Int {
            number += 1
            return number
        }
        let block = 20
        let comparison = try Comparison(rounds: workspace.count(20, quick: 8)) {
            try (0..<block).map { _ in try run(ours(next())) }
        } beside: {
            try (0..<block).map { _ in try run(shell(next())) }
        }
        for window in windows { try window.close() }
        let name = isOpenElsewhere ? "store open elsewhere" : "no other process"
        return [
            Measurement(
                "one clip, \(name)", .time, comparison, beside: "sqlite3", goal: Measurement.Goal(atMost: 1)
            ).headlined("clips extension as a process, \(name)")
        ]
    }

    private func run(_ command: [String]) throws -> Double {
        var took: Int64 = 0
        let status = withCStrings(command) { probe_run($0, &took) }
        guard status == 0 else { throw BenchmarkError("'\(command[0])' exited with status \(status)") }
        return Double(took) / 1_000_000_000
    }
}
