import Glibc
import SQLite

/// The app on a separate store, whose selection moves down and up between rows that do not move when clips
/// arrive above them.
final class KeyedApp {
    let store: String
    let program: TerminalProgram
    /// The processor time of the app during all of `whileOthersWrite`, in seconds.
    private(set) var processorTime = 0.0
    private(set) var done: (commits: Int, seconds: Double)?
    private let large: LargeStore
    private let rows = 3...28
    private var row = 0
    private var goesDown = true

    init(_ workspace: Workspace, clips: Int) throws {
        large = try LargeStore(workspace, clips: clips)
        store = try large.copy(workspace)
        program = try TerminalProgram(Screen.app(workspace.clipsProgram(), store))
        _ = try program.wait(for: Screen.titles(large))
        try program.waitUntilIdle()
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

    func whileOthersWrite<Result>(_ work: () throws -> Result) throws -> Result {
        let usage = ProcessUsage(process: program.process)
        let before = usage.processorTime
        let writer = try SteadyWriter(store: store)
        let result = try work()
        try writer.stop()
        try program.waitUntilIdle()
        processorTime = usage.processorTime - before
        done = writer.done
        return result
    }

    /// Returns the number of differences between the screen and the store, in the newest rows and the count,
    /// after all clips arrived and the first row is shown.
    func differences() throws -> Int {
        let (count, newest) = try stored()
        program.press("g")
        var wrong = Int.max
        let began = Moment.now
        while wrong > 0, began.secondsSince < 5 {
            try program.waitUntilIdle()
            let redraw = "\u{0c}"
            program.press(redraw)
            let screen = try program.output()
            // The first is shown twice: in its row and, complete, next to the list.
            var rows: [String] = []
            for marker in screen.matches(of: /[XZ][A-T]{8}/).map({ String($0.output) })
            where !rows.contains(marker) { rows.append(marker) }
            wrong = screen.contains("1/\(Quantity.grouped(Int(count)))") ? 0 : 1
            wrong += newest.indices.count { !rows.indices.contains($0) || rows[$0] != newest[$0] }
        }
        return wrong
    }

    /// Returns the count and the prefixes of the newest titles.
    private func stored() throws -> (count: Int64, newest: [String]) {
        let connection = try Connection(path: store, access: .readOnly)
        let rows = try connection.prepare("SELECT title FROM Clip ORDER BY created DESC, id DESC LIMIT 30")
        var newest: [String] = []
        while try rows.step() { newest.append(String(rows.text(0).prefix { $0 != " " })) }
        return (try connection.integer("SELECT count(*) FROM Clip") ?? 0, newest)
    }
}
