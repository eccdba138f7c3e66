import Platform

extension Figure {
    static let keyToPaint = Figure(
        name: "F9", title: "key to paint with 1,000,000 clips while another process commits 1,000 a second"
    ) { workspace in
        let app = try KeyedApp(workspace, clips: workspace.manyClips)
        let rounds = workspace.count(20, quick: 4)
        let block = workspace.count(100, quick: 50)
        let echo = try TerminalProgram(Role.probeEcho.commandLine())
        _ = try echo.wait(for: ["ready"])
        let name = "a key echoed by C"
        func compare(_ rounds: Int) throws -> Comparison {
            try Comparison(
                rounds: rounds, ours: { try app.press(block) },
                reference: {
                    try (0..<block).map { _ in
                        // An app blocks while its terminal is not read.
                        try app.program.read(seconds: KeyedApp.pause())
                        return try echo.answer(to: "j")
                    }
                })
        }
        let quiet = try compare(max(2, rounds / 4))
        let (busy, commitsInSecond) = try app.duringCommits { try compare(rounds) }
        guard let keys = Spread(busy.ours) else { return [] }
        let slowest = Measurement(
            "p99 of \(keys.count) keys", .time, [keys.p99], goal: .atMost(0.002),
            headline: "Key to paint, p99, during 1,000 commits/s"
        ).next(to: name, Spread(busy.reference).map { [$0.p99] } ?? [])
        let clips = workspace.manyClips.grouped
        return [
            slowest,
            Measurement("key to paint, during 1,000 commits a second", .time, busy, reference: name),
            Measurement(
                "concurrent commits a second", .count, [commitsInSecond], goal: .atLeast(950)),
            Measurement(
                "key to paint, no writer", .time, quiet, reference: name,
                headline: "Key to paint, \(clips) clips, no writer"),
        ]
    }
}

/// The app on a separate store, whose selection moves down and up between rows that do not move when clips
/// arrive above them.
private final class KeyedApp {
    let program: TerminalProgram
    private let store: String
    private let large: LargeStore
    private let rows = 3...28
    private var row = 0
    private var goesDown = true

    init(_ workspace: Workspace, clips: Int) throws {
        large = try LargeStore(workspace, clips: clips)
        store = try SampleStore.copy(large.path, workspace)
        program = try TerminalProgram(workspace.app(store))
        _ = try program.wait(for: large.firstTitles)
        try program.readUntilIdle()
        // On the first row, the list follows new clips.
        while row < rows.lowerBound { _ = try press() }
    }

    /// Returns a random pause, not longer than the interval of a key that is held down.
    static func pause() -> Double { Double.random(in: 0.005...0.03) }

    func press(_ count: Int) throws -> [Double] {
        try (0..<count).map { _ in
            try program.read(seconds: Self.pause())
            return try press()
        }
    }

    /// Returns the time from a key until its target row was repainted as the selection.
    private func press() throws -> Double {
        if row >= rows.upperBound { goesDown = false }
        if row <= rows.lowerBound { goesDown = true }
        row += goesDown ? 1 : -1
        let pressed = Moment.now
        program.press(goesDown ? "j" : "k")
        return try program.wait(for: [large.title(at: row)], seconds: 5) - pressed
    }

    /// Returns the result of some work, and the concurrent commits in a second.
    func duringCommits<Result>(_ work: () throws -> Result) throws -> (Result, commitsInSecond: Double) {
        let writer = try Role.steadyWriter(store: store).start()
        _ = try writer.receive()
        let began = Moment.now
        let result = try work()
        writer.closeInput()
        let commits = Double(try writer.receive())
        let seconds = began.secondsSince
        try program.readUntilIdle()
        return (result, commits / seconds)
    }
}
