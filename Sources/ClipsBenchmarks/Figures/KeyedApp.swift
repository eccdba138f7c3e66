import Glibc
import SQLite

/// The app over a store of its own, with a cursor that goes down and up between rows that stay in their places
/// whatever arrives above them.
final class KeyedApp {
    let store: String
    let program: TerminalProgram
    /// Of the app, in the whole of `whileOthersWrite`, in seconds.
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
        try program.settle()
        // The first row is where the list follows what comes.
        while row < rows.lowerBound { _ = try press() }
    }

    /// Neither as steady as a machine nor slower than a key that is held down.
    static func pause() -> Double { Double.random(in: 0.005...0.03) }

    func press(_ count: Int) throws -> [Double] {
        try (0..<count).map { _ in
            try program.read(seconds: Self.pause())
            return try press()
        }
    }

    /// From a key until the row that it leads to was painted anew, as the selected one.
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
        try program.settle()
        processorTime = usage.processorTime - before
        done = writer.done
        return result
    }

    /// How many of the newest rows, and the count, are not on the screen as they are in the store, once the first
    /// row is shown and all has come.
    func differences() throws -> Int {
        let (count, newest) = try stored()
        program.press("g")
        var wrong = Int.max
        let began = Moment.now
        while wrong > 0, began.secondsSince < 5 {
            try program.settle()
            let redraw = "\u{0c}"
            program.press(redraw)
            let screen = try program.output()
            // The first is shown twice: in its row, and whole beside the list.
            var rows: [String] = []
            for marker in screen.matches(of: /[XZ][A-T]{8}/).map({ String($0.output) })
            where !rows.contains(marker) { rows.append(marker) }
            wrong = screen.contains("1/\(Quantity.grouped(Int(count)))") ? 0 : 1
            wrong += newest.indices.count { !rows.indices.contains($0) || rows[$0] != newest[$0] }
        }
        return wrong
    }

    /// The count, and what each of the newest titles begins with.
    private func stored() throws -> (count: Int64, newest: [String]) {
        let connection = try Connection(path: store, access: .readOnly)
        let rows = try connection.prepare("SELECT title FROM Clip ORDER BY created DESC, id DESC LIMIT 30")
        var newest: [String] = []
        while try rows.step() { newest.append(String(rows.text(0).prefix { $0 != " " })) }
        return (try connection.integer("SELECT count(*) FROM Clip") ?? 0, newest)
    }
}
