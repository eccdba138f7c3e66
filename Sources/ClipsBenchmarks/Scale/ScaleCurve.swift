import ClipsCore
import FoundationEssentials
import Glibc
import PersistentStore
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
            let grown = try GrownStore(workspace, clips: clips)
            let path = try grown.copy(workspace)
            defer { for end in ["", "-wal", "-shm", "-doorbell", "-search"] { unlink(path + end) } }
            let commands = ScaleCommands(
                program: try workspace.clipsProgram(), path: path, ids: try ids(path),
                deleted: Array(grown.deletedClips), folder: workspace.folder)
            let screens = ScaleScreens(
                program: commands.program, path: path, clips: clips, folder: workspace.folder)
            for point in try commands.measure(rounds: 5) + screens.measure() {
                var index = curves.firstIndex { $0.name == point.name }
                if index == nil {
                    curves.append(ScaleCurve(name: point.name, growth: point.growth))
                    index = curves.indices.last
                }
                if let index { curves[index].points.append((clips, point)) }
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

/// The cost of one operation with stores of several sizes.
struct ScaleCurve {
    enum Growth {
        /// Independent of the size of the store, except for the depth of its trees.
        case none
        /// Reads or prints everything.
        case whole
        /// Scanned by SQLite, a quarter of a second for a million clips; an index would slow down every
        /// writer.
        case steps
    }

    struct Point {
        let name: String
        let growth: Growth
        let seconds: Spread?
        let times: [Double]
        /// The peak memory in bytes; nil if it was not measured.
        let memory: Double?

        init(_ name: String, _ growth: Growth, _ times: [Double], memory: Double? = nil) {
            self.name = name
            self.growth = growth
            self.times = times
            seconds = Spread(times)
            self.memory = memory
        }
    }

    let name: String
    let growth: Growth
    var points: [(clips: Int, point: Point)] = []

    /// The maximum growth, from deeper trees and colder caches.
    private static let maxGrowth = 4.0
    private static let maxMemory = 64.0 * 1_048_576

    var measurements: [Measurement] {
        var comparison = Comparison(ours: [], beside: [])
        comparison.add(points.last?.point.times ?? [], points.first?.point.times ?? [])
        let note = growth == .none ? "" : growth == .whole ? ", reads all" : ", scans all"
        let time = Measurement(
            name + note, .time, comparison, beside: between,
            goal: growth == .none ? Measurement.Goal(atMost: Self.maxGrowth) : nil)
        guard let memory = points.last?.point.memory, memory > Self.maxMemory else { return [time] }
        return [
            time,
            Measurement(
                "\(name), memory", .memory, [memory], goal: Measurement.Goal(atMost: Self.maxMemory)),
        ]
    }

    /// The times of the stores between the largest and the smallest, then the name of the smallest.
    private var between: String {
        points.dropFirst().dropLast().map { clips, point in
            "\(clips / 1000)k \(Quantity(point.seconds?.median ?? 0, .time).text), "
        }.joined() + "1k"
    }
}
