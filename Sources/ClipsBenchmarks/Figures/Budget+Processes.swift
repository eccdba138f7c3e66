import ClipsCore
import Glibc
import PersistentStore

/// Programs that save clips and exit.
extension Budget {
    func pageFaults() throws -> Measurement {
        let faults = try oneShotProcesses { try ChildProcess.run($0).pageFaults }
        return row("'clips extension', page faults", faults.ours, 270).next(to: "sqlite3", faults.reference)
    }

    func instructionsOfProcesses() throws -> [Measurement] {
        let extensions = try oneShotProcesses(instructions)
        return try [
            row("'clips extension', instructions", extensions.ours, 5_500_000)
                .next(to: "sqlite3", extensions.reference),
            browserHost(), importedLine(),
        ]
    }

    /// Compares processes that save a clip in a store that is open in this process.
    private func oneShotProcesses(_ cost: ([String]) throws -> Double) throws -> Comparison {
        let stores = [workspace.newPath("one-shot.db"), workspace.newPath("shell.db")]
        for store in stores { try SampleStore.make(store, clips: 1000) }
        let windows = try stores.map(ListeningWindow.init(store:))
        defer { for window in windows { try? window.close() } }
        let shell = try OneShot.shellProgram()
        var number = 10_000
        func next() -> Int {
            number += 1
            return number
        }
        return try Comparison(
            rounds: 5, warmsUp: true, ours: { [try cost(OneShot.clips(clips, stores[0], next()))] },
            reference: { [try cost(OneShot.shell(shell, stores[1], next()))] })
    }

    private func browserHost() throws -> Measurement {
        let stores = [workspace.newPath("host.db"), workspace.newPath("bare.db")]
        try SampleStore.make(stores[0], clips: 1000)
        try SampleStore.make(stores[1], clips: 1000, isTracked: false)
        setenv("CLIPS_STORE", stores[0], 1)
        defer { unsetenv("CLIPS_STORE") }
        func cost(_ command: [String]) throws -> [Double] {
            try difference(count) { saves in
                let output = workspace.newPath("counts")
                let host = try HostClient(CountingTool.valgrind.command(command, output: output))
                _ = try host.times(of: saves)
                host.close()
                return try CountingTool.valgrind.counts(output).reduce(0, +)
            }
        }
        let probe = try Role.probeHost(store: stores[1], .full).commandLine(of: ownProgram())
        let comparison = try Comparison(ours: cost([clips, HostClient.origin]), reference: cost(probe))
        return row("Browser host, instructions per save", comparison, "C host", 1.5)
    }

    private func importedLine() throws -> Measurement {
        func cost(_ command: (Int, String) throws -> [String]) throws -> [Double] {
            try difference(20 * count) { try instructions(command($0, workspace.newPath("import.db"))) }
        }
        let comparison = try Comparison(
            ours: cost { lines, store in
                let file = workspace.newPath("lines.jsonl")
                try Output.write((0..<lines).map { SampleClip.draft($0).jsonLine }.joined(), to: file)
                return [clips, "import", "--quiet", "--store", store, file]
            },
            reference: cost { try Role.insert(store: $1, clips: $0).commandLine(of: ownProgram()) })
        return row("Import, instructions per JSON line", comparison, "INSERT", 1.5)
    }

    /// Returns the cost of one of `count` units of work.
    private func difference(_ count: Int, _ run: (Int) throws -> Double) throws -> [Double] {
        [(try run(2 * count) - run(count)) / Double(count)]
    }

    private func ownProgram() throws -> String {
        try workspace.once("own program") {
            try workspace.withoutDebugInformation(workspace.neighbor("ClipsBenchmarks"))
        }
    }

    /// Returns the instructions of a whole process.
    private func instructions(_ command: [String]) throws -> Double {
        let output = workspace.newPath("counts")
        try ChildProcess.run(CountingTool.valgrind.command(command, output: output))
        return try CountingTool.valgrind.counts(output).reduce(0, +)
    }
}
