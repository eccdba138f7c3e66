import CBenchmarkProbes
import Glibc

extension Figure {
    static let budget = Figure(
        name: "BUDGET",
        title: "instructions, system calls, page faults, and wake-ups, which repeat on a busy machine"
    ) { workspace in
        let budget = try Budget(workspace)
        var results: [Measurement] = []
        if PeerFolder.has("valgrind", for: "BUDGET") {
            results += try budget.instructionsOfApp() + budget.instructionsOfProcesses()
        }
        if PeerFolder.has("strace", for: "BUDGET") { results.append(try budget.systemCallsOfApp()) }
        return try results + [budget.emptyReads(), budget.pageFaults()] + budget.wakeUps()
    }
}

/// Costs per commit, save, or line are differences of two runs, of which one does twice as many, so that the cost of
/// the start cancels.
struct Budget {
    let workspace: Workspace
    let clips: String
    let count: Int

    init(_ workspace: Workspace) throws {
        self.workspace = workspace
        clips = try workspace.withoutDebugInformation(workspace.clipsProgram())
        count = workspace.count(100, quick: 30)
    }

    func instructionsOfApp() throws -> [Measurement] {
        // Valgrind is slow: each commit must be processed before the next one.
        let (main, others) = try countsPerCommit(.valgrind, pause: 60_000...90_000)
        return [
            row("Reader, instructions per commit", [others], 200_000),
            row("Main thread, instructions per commit", [main], 900_000),
        ]
    }

    func systemCallsOfApp() throws -> Measurement {
        let calls = try countsPerCommit(.strace, pause: 4000...6000).main
        return row("App, system calls per commit", [calls], 22)
    }

    private func countsPerCommit(_ tool: CountingTool, pause: ClosedRange<UInt32>) throws -> (
        main: Double, others: Double
    ) {
        func run(_ commits: Int) throws -> (main: Double, others: Double) {
            let output = workspace.newPath("counts")
            let app = try app { tool.command([clips, "--store", $0], output: output) }
            try app.measure(commits, pause: pause)
            try app.program.readUntilIdle(milliseconds: 300)
            app.program.press("q")
            try app.program.waitForExit()
            let counts = try tool.counts(output)
            return (counts[0], counts.dropFirst().reduce(0, +))
        }
        let (once, twice) = try (run(count), run(2 * count))
        return ((twice.main - once.main) / Double(count), (twice.others - once.others) / Double(count))
    }

    /// Starts the app with old clips, and a writer of old clips, because the screen updates the age of new ones every
    /// second.
    private func app(_ command: (String) throws -> [String]) throws -> PaintedCommits {
        let large = try LargeStore(workspace, clips: 100)
        let store = try SampleStore.copy(large.path, workspace)
        return try PaintedCommits(
            command(store), showing: large.title(at: 0), .writer(store: store, areOld: true))
    }

    /// Counts in this process, because a tool would slow the reader down, which then finds each commit at once.
    func emptyReads() throws -> Measurement {
        let store = try workspace.newStore()
        // The first statement of each snapshot.
        probe_count_runs("PRAGMA schema_version")
        let window = try ListeningWindow(store: store)
        probe_count_runs(nil)
        let writer = try RoleWriter(.writer(store: store))
        func commit(_ count: Int) throws {
            for _ in 0..<count {
                usleep(UInt32.random(in: 500...1500))
                _ = try window.timeOfArrival(from: writer)
            }
        }
        try commit(20)
        let before = probe_runs()
        try commit(10 * count)
        let reads = Double(probe_runs() - before) / Double(10 * count)
        try window.close()
        return row("Reads that find nothing, per commit", [reads - 1], 0.01)
    }

    func wakeUps() throws -> [Measurement] {
        let app = try app(workspace.app)
        try app.measure(20)
        let before = app.program.usage.wakeUps
        try app.measure(5 * count)
        let each = app.program.usage.wakeUps(since: before) / Double(5 * count)
        return try [
            row("App, wake-ups per commit", [each], 2.5),
            row("Idle app, wake-ups in a second", [IdleApp.measured(workspace).wakeUps], 0),
        ]
    }

    func row(_ name: String, _ values: [Double], _ limit: Double) -> Measurement {
        Measurement(name, .count, values, goal: .atMost(limit), headline: name)
    }

    func row(_ name: String, _ comparison: Comparison, _ reference: String, _ limit: Double)
        -> Measurement
    {
        Measurement(name, .count, comparison, reference: reference, goal: .atMost(limit), headline: name)
    }
}
