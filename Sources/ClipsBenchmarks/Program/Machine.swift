import FoundationEssentials
import Glibc
import Platform
import SQLite

/// The machine and the conditions of a run.
struct Machine: Codable {
    let processor: String
    let cores: Int
    let memory: Double
    let kernel: String
    let sqlite: String
    let swift: String
    /// The date in UTC, in ISO 8601 format.
    let date: String
    /// The load average of the minute before the run (proc(5), loadavg).
    let load: Double
    let isQuick: Bool
    /// Whether programs of other projects were measured too.
    let hasPeers: Bool
    let isOptimized: Bool

    init(_ options: Options) {
        let model = Self.lines(of: "/proc/cpuinfo").first { $0.hasPrefix("model name") }
        processor = model?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown"
        cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        memory = Double(sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
        kernel = Self.lines(of: "/proc/sys/kernel/osrelease").first.map { "Linux " + $0 } ?? "Linux"
        sqlite = (try? Self.sqliteVersion()) ?? "unknown"
        swift = Self.swiftVersion
        date = Date.now.formatted(.iso8601)
        load = Self.lines(of: "/proc/loadavg").first?.split(separator: " ").first.flatMap { Double($0) } ?? 0
        isQuick = options.isQuick
        hasPeers = options["--peers"] != nil
        #if DEBUG
        isOptimized = false
        #else
        isOptimized = true
        #endif
    }

    var text: String {
        """
        \(processor), \(cores) cores, \(Quantity(memory, .memory).text), \(kernel), SQLite \(sqlite), \
        Swift \(swift); \(date), load \(load) before; \(isQuick ? "quick" : "complete"), \
        \(hasPeers ? "with peers" : "without peers"), \(isOptimized ? "release build" : "debug build")
        """
    }

    private static func sqliteVersion() throws -> String {
        let connection = try Connection(path: ":memory:", access: .create)
        let statement = try connection.prepare("SELECT sqlite_version()")
        return try statement.step() ? statement.text(0) : "unknown"
    }

    /// The version of the compiler that built this program.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
        "6.4 or later"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    private static func lines(of path: String) -> [Substring] {
        (TextFile.read(path) ?? "").split(separator: "\n")
    }
}
