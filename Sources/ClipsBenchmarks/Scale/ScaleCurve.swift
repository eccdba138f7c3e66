import Glibc
import SQLite

extension Figure {
    static let scaleCurve = Figure(
        name: "SCALE",
        title: "every command and screen with 1,000 to 1,000,000 clips and five changes for each",
        isOnlyNamed: true
    ) { workspace in
        let sizes = workspace.options.isQuick ? [1000, 10_000] : [1000, 10_000, 100_000, 1_000_000]
        var curves: [ScaleCurve] = []
        for clips in sizes {
            let path = try GrownStore(workspace, clips: clips).copy(workspace)
            defer { for end in ["", "-wal", "-shm", "-doorbell", "-search"] { unlink(path + end) } }
            let commands = ScaleCommands(
                program: try workspace.clipsProgram(), path: path, ids: try ids(path),
                folder: workspace.folder)
            let screens = ScaleScreens(
                command: try workspace.app(path), clips: clips, folder: workspace.folder)
            for (index, point) in try (commands.measure(rounds: 5) + screens.measure()).enumerated() {
                if index == curves.count { curves.append(ScaleCurve()) }
                curves[index].points.append((clips, point))
            }
        }
        return curves.flatMap(\.measurements)
    }

    /// Returns the IDs of the newest clips, which the commands use.
    private static func ids(_ path: String) throws -> [Int] {
        let connection = try Connection(path: path, access: .readOnly)
        let rows = try connection.prepare("SELECT id FROM Clip ORDER BY created DESC LIMIT 200")
        var ids: [Int] = []
        while try rows.step() { ids.append(Int(rows.integer(0))) }
        return ids
    }
}

/// The cost of one operation with a store of one size.
struct ScalePoint {
    enum Growth: String {
        /// Independent of the size of the store, except for the depth of its trees.
        case none = ""
        case readsAll = ", reads all"
        /// Scanned by SQLite, a quarter of a second for a million clips; an index would slow down every
        /// writer.
        case scansAll = ", scans all"
    }

    let name: String
    var growth = Growth.none
    let times: [Double]
    /// The peak memory in bytes; nil if it was not measured.
    var memory: Double?
}

/// The cost of one operation with stores of several sizes.
private struct ScaleCurve {
    var points: [(clips: Int, point: ScalePoint)] = []

    /// Compares the largest store with the smallest; the name contains the times of those between.
    var measurements: [Measurement] {
        guard let (_, first) = points.first, let (_, last) = points.last else { return [] }
        let between = points.dropFirst().dropLast().map { clips, point in
            "\(clips / 1000)k \(Quantity(Spread(point.times)?.median ?? 0, .time).text), "
        }
        let comparison = Comparison(rounds: 1, ours: { last.times }, reference: { first.times })
        // The maximum growth, from deeper trees and colder caches.
        let time = Measurement(
            last.name + last.growth.rawValue, .time, comparison, reference: between.joined() + "1k",
            goal: last.growth == .none ? .atMost(4) : nil)
        let maxMemory = 64.0 * 1_048_576
        guard let memory = last.memory, memory > maxMemory else { return [time] }
        return [time, Measurement("\(last.name), memory", .memory, [memory], goal: .atMost(maxMemory))]
    }
}
