import Glibc
import PersistentStore

extension Figure {
    static let commitToPaint = Figure(
        name: "F2", title: "commit in one process until another has painted it on a terminal"
    ) { workspace in
        try [StoreOptions.Durability.normal, .full].flatMap { durability in
            let isDurable = durability == .full
            let (store, bare) = try (workspace.newStore(), workspace.newStore(isTracked: false))
            let app = try PaintedCommits(
                workspace.app(store), showing: SampleClip.title(99),
                .writer(store: store, isDurable: isDurable))
            let probe = try PaintedCommits(
                Role.probeScreen(store: bare).commandLine(), showing: SampleClip.title(99),
                .probeWriter(store: bare, isDurable: isDurable))
            let comparison = try Comparison(
                rounds: workspace.count(20, quick: 6), warmsUp: true, ours: { try app.measure(50) },
                reference: { try probe.measure(50) })
            let result = Measurement(
                "commit to paint, \(durability)", .time, comparison, reference: "C with ncurses",
                goal: .atMost(1.25), headline: "Commit to another process's screen, \(durability)")
            guard durability == .normal else { return [result] }
            return try [
                result,
                Measurement(
                    "processor time of the app, idle", .load, [IdleApp.measured(workspace).processorTime],
                    goal: .atMost(0.0003), headline: "Processor time of the app, idle"),
            ]
        }
    }
}

/// The work in a second of an app without commits; of old clips, because the screen updates the age of new ones.
struct IdleApp {
    /// In seconds.
    let processorTime: Double
    let wakeUps: Double

    static func measured(_ workspace: Workspace) throws -> IdleApp {
        try workspace.once("idle app") {
            let store = try LargeStore(workspace, clips: 100)
            let program = try TerminalProgram(workspace.app(store.path))
            _ = try program.wait(for: store.firstTitles)
            try program.read(seconds: 4)
            let seconds = Double(workspace.count(10, quick: 3))
            let before = (program.usage.processorTime, program.usage.wakeUps)
            try program.read(seconds: seconds)
            return IdleApp(
                processorTime: (program.usage.processorTime - before.0) / seconds,
                wakeUps: program.usage.wakeUps(since: before.1) / seconds)
        }
    }
}

/// A program on a terminal that shows the commits of a process.
final class PaintedCommits {
    let program: TerminalProgram
    private let writer: RoleWriter
    private var number = 0

    init(_ command: [String], showing text: String, _ writer: Role) throws {
        program = try TerminalProgram(command)
        _ = try program.wait(for: [text], seconds: 60)
        self.writer = try RoleWriter(writer)
    }

    /// Returns the times from commits until the title of each clip was painted.
    ///
    /// - Parameter pause: the bounds of the pause before each, in microseconds.
    @discardableResult
    func measure(_ count: Int, pause: ClosedRange<UInt32> = 1000...3000) throws -> [Double] {
        try (0..<count).map { _ in
            usleep(UInt32.random(in: pause))
            number += 1
            try writer.commit(1)
            let painted = try program.wait(for: [SampleClip.marker(number)], seconds: 5)
            return try painted - writer.begun()
        }
    }
}
