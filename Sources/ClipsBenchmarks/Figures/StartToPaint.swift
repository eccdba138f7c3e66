import FoundationEssentials
import Glibc

extension Figure {
    static let startToPaint = Figure(
        name: "F7", title: "start to first full paint with 1,000,000 clips, against 100, and less on a file"
    ) { workspace in
        let clips = try workspace.clipsProgram()
        let large = try LargeStore(workspace, clips: 1_000_000)
        let small = try LargeStore(workspace, clips: 100)
        let rounds = workspace.count(8, quick: 4)
        let block = workspace.count(10, quick: 5)
        func start(_ store: LargeStore) throws -> [Double] {
            try (0..<block).map { _ in
                try Screen.startTime(Screen.app(clips, store.path), Screen.titles(store))
            }
        }
        var results: [Measurement] = []
        let bySize = try Comparison(rounds: rounds) {
            try start(large)
        } beside: {
            try start(small)
        }
        results.append(
            Measurement(
                "first paint, 1,000,000 clips", .time, bySize, beside: "100 clips",
                goal: Measurement.Goal(atMost: 1.5)))
        guard access("/usr/bin/less", X_OK) == 0 else { return results }
        let (file, lastLine) = try Screen.file(workspace, lines: large.clips)
        let byProgram = try Comparison(rounds: rounds) {
            try start(large)
        } beside: {
            try (0..<block).map { _ in try Screen.startTime(["less", file], [lastLine]) }
        }
        results.append(
            Measurement(
                "first paint, 1,000,000 clips", .time, byProgram, beside: "less",
                goal: Measurement.Goal(atMost: 3)))
        return results
    }
}

/// The app on a screen of 40 rows.
enum Screen {
    /// Surely visible at once, whatever the header and footer take.
    private static let rows = 30

    static func app(_ program: String, _ store: String) -> [String] { [program, "--store", store] }

    static func titles(_ store: LargeStore) -> [String] { (0..<rows).map(store.title(at:)) }

    static func lastTitles(_ store: LargeStore) -> [String] {
        ((store.clips - rows)..<store.clips).map(store.title(at:))
    }

    static func startTime(_ command: [String], _ texts: [String]) throws -> Double {
        let program = try TerminalProgram(command)
        return try program.wait(for: texts) - program.began
    }

    /// A text with so many lines, and what stands in the last of its first screen.
    static func file(_ workspace: Workspace, lines: Int) throws -> (path: String, lastLine: String) {
        let path = workspace.newPath("lines.txt")
        var text = ""
        for number in 1...lines { text += "\(number). \(SampleClip.title(number))\n" }
        try Data(text.utf8).write(to: URL(filePath: path))
        return (path, "39. " + SampleClip.title(39))
    }
}
