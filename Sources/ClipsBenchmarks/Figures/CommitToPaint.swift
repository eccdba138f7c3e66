import Glibc
import PersistentStore

extension Figure {
    static let commitToPaint = Figure(
        name: "F2", title: "commit in one process until another has painted it on a terminal"
    ) { workspace in
        try [StoreOptions.Durability.normal, .full].flatMap { durability in
            try CommitToPaint(workspace, durability).measure()
        }
    }
}

/// The app on a terminal, compared with the C probe and `tail -f` on others.
private struct CommitToPaint {
    private let workspace: Workspace
    private let durability: StoreOptions.Durability
    private let app: TerminalProgram
    private let writer: RoleWriter
    private let probe: TerminalProgram
    private let probeWriter: RoleWriter

    init(_ workspace: Workspace, _ durability: StoreOptions.Durability) throws {
        self.workspace = workspace
        self.durability = durability
        let store = workspace.newPath("paint.db")
        try SmallStore.make(store)
        app = try TerminalProgram(Screen.app(workspace.clipsProgram(), store))
        _ = try app.wait(for: [SampleClip.title(99)])
        writer = try RoleWriter(.writer(store: store, durability))
        let bare = workspace.newPath("bare.db")
        try SmallStore.make(bare, isTracked: false)
        probeWriter = try RoleWriter(.probeWriter(store: bare, durability))
        probe = try TerminalProgram(Role.probeScreen(store: bare).commandLine)
        _ = try probe.wait(for: ["nothing yet"])
    }

    func measure() throws -> [Measurement] {
        let block = 50
        var number = 0
        var probeNumber = 0
        func ours() throws -> [Double] {
            try paint(block, app, writer) {
                number += 1
                return SampleClip.marker(number)
            }
        }
        func beside() throws -> [Double] {
            try paint(block, probe, probeWriter) {
                probeNumber += 1
                return "number \(probeNumber) "
            }
        }
        _ = try (ours(), beside())
        let comparison = try Comparison(rounds: workspace.count(20, quick: 6), ours: ours, beside: beside)
        let headline = "Commit to another process's screen, \(durability)"
        let result = Measurement(
            "commit to paint, \(durability)", .time, comparison, beside: "C live view",
            goal: Measurement.Goal(atMost: 1.5)
        ).headlined(headline)
        guard durability == .normal else { return [result] }
        let peers = try LivePeers(workspace: workspace, headline: headline, ours: ours).measure()
        return try [result] + peers + [idle()]
    }

    private func paint(
        _ count: Int, _ program: TerminalProgram, _ writer: RoleWriter, _ next: () -> String
    ) throws -> [Double] {
        try (0..<count).map { _ in
            usleep(UInt32.random(in: 1000...3000))
            let text = next()
            try writer.commit(1)
            let painted = try program.wait(for: [text], seconds: 5)
            return try painted - writer.begun()
        }
    }

    /// Measures with old clips, because the screen updates the age of new ones every second.
    private func idle() throws -> Measurement {
        let store = try LargeStore(workspace, clips: 100)
        let program = try TerminalProgram(Screen.app(workspace.clipsProgram(), store.path))
        _ = try program.wait(for: Screen.titles(store))
        try program.read(seconds: 4)
        let usage = ProcessUsage(process: program.process)
        let seconds = Double(workspace.count(5, quick: 3))
        let before = usage.processorTime
        try program.read(seconds: seconds)
        let load = (usage.processorTime - before) / seconds
        return Measurement(
            "its processor time when idle", .load, [load], goal: Measurement.Goal(atMost: 0.0003)
        ).headlined("The app's processor time, idle")
    }
}
