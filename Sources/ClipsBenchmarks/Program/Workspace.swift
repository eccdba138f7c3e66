import FoundationEssentials
import Glibc
import PersistentStore

/// What the figures share: options, folders, the program that is measured.
final class Workspace {
    let options: Options
    /// Emptied at the end.
    let folder: String
    let peers: PeerFolder?
    private var lastNumber = 0
    private var made: [String: Any] = [:]

    init(_ options: Options) throws {
        self.options = options
        peers = try options.peers.map(PeerFolder.init(path:))
        guard let folder = UniqueFile.makeFolder("\(Self.temporaryFolder)/clips-benchmarks-") else {
            throw BenchmarkError("no folder can be made in \(Self.temporaryFolder)")
        }
        self.folder = folder
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Fewer repetitions with `--quick`.
    func count(_ whole: Int, quick: Int) -> Int { options.isQuick ? quick : whole }

    /// How many clips the list of a person has who never deletes any.
    var manyClips: Int { count(1_000_000, quick: 100_000) }

    /// What more than one figure needs, made for the first.
    func once<Made>(_ name: String, _ make: () throws -> Made) rethrows -> Made {
        if let known = made[name] as? Made { return known }
        let new = try make()
        made[name] = new
        return new
    }

    /// A path that nobody has had yet.
    func newPath(_ name: String) -> String {
        lastNumber += 1
        return "\(folder)/\(lastNumber)-\(name)"
    }

    /// The `clips` to measure.
    func clipsProgram() throws -> String {
        if let named = options.clips { return named }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = own.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/clips"
        guard access(beside, X_OK) == 0 else {
            throw BenchmarkError(
                "there is no program \(beside): build it with 'swift build -c release --product clips'")
        }
        return beside
    }

    /// Where large stores are kept between runs.
    func dataFolder() throws -> String {
        let path = options.data ?? "\(Self.temporaryFolder)/clips-benchmark-data-\(getuid())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static var temporaryFolder: String {
        getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    }
}

/// Why something could not be measured.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
