import Glibc
import PersistentStore

extension Figure {
    static let commitToPaint = Figure(
        name: "F2", title: "commit in one process until another has painted it on a terminal"
    ) { workspace in
        try [StoreOptions.Durability.normal, .full].flatMap { durability in
            let store = workspace.newPath("paint.db")
            try SampleStore.make(store)
            let app = try PaintedCommits(
                workspace.app(store), showing: SampleClip.title(99), .writer(store: store, durability))
            let bare = workspace.newPath("bare.db")
            try SampleStore.make(bare, isTracked: false)
            let probe = try PaintedCommits(
                Role.probeScreen(store: bare).commandLine, showing: "nothing yet",
                .probeWriter(store: bare, durability))
            func ours() throws -> [Double] { try app.measure(50, SampleClip.marker) }
            let comparison = try Comparison(
                rounds: workspace.count(20, quick: 6), warmsUp: true, ours: ours,
                reference: { try probe.measure(50) { "number \($0) " } })
            let result = Measurement(
                "commit to paint, \(durability)", .time, comparison, reference: "C live view",
                goal: .atMost(1.5), headline: "Commit to another process's screen, \(durability)")
            guard durability == .normal else { return [result] }
            let peers = LivePeers(workspace: workspace, result: result, ours: ours)
            return try [result] + peers.measure() + [idle(workspace)]
        }
    }

    /// Measures with old clips, because the screen updates the age of new ones every second.
    private static func idle(_ workspace: Workspace) throws -> Measurement {
        let store = try LargeStore(workspace, clips: 100)
        let program = try TerminalProgram(workspace.app(store.path))
        _ = try program.wait(for: store.firstTitles)
        try program.read(seconds: 4)
        let seconds = Double(workspace.count(5, quick: 3))
        let before = program.usage.processorTime
        try program.read(seconds: seconds)
        let load = (program.usage.processorTime - before) / seconds
        return Measurement(
            "processor time of the app, idle", .load, [load], goal: .atMost(0.0003),
            headline: "Processor time of the app, idle")
    }
}

/// A program on a terminal that shows the commits of a process.
final class PaintedCommits {
    private let program: TerminalProgram
    private let writer: RoleWriter
    private var number = 0

    init(_ command: [String], showing text: String, _ writer: Role) throws {
        program = try TerminalProgram(command)
        _ = try program.wait(for: [text])
        self.writer = try RoleWriter(writer)
    }

    /// Returns the times from commits until the text for each number was painted.
    func measure(_ count: Int, _ text: (Int) -> String) throws -> [Double] {
        try (0..<count).map { _ in
            usleep(UInt32.random(in: 1000...3000))
            number += 1
            try writer.commit(1)
            let painted = try program.wait(for: [text(number)], seconds: 5)
            return try painted - writer.begun()
        }
    }
}
