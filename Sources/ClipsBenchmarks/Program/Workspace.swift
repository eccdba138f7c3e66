import FoundationEssentials
import Glibc
import Platform

/// The shared state of the figures: options, folders, the program to measure.
final class Workspace {
    let options: Options
    /// The temporary folder, removed at the end.
    let folder: String
    let peers: PeerFolder?
    private var lastNumber = 0
    private var shared: [String: Any] = [:]

    init(_ options: Options) throws {
        self.options = options
        peers = try options["--peers"].map(PeerFolder.init(path:))
        do {
            folder = try TemporaryFile.makeFolder("\(Environment.temporaryFolder)/clips-benchmarks-")
        } catch {
            throw BenchmarkError("cannot create a folder in \(Environment.temporaryFolder): \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Returns the number of repetitions; fewer with `--quick`.
    func count(_ whole: Int, quick: Int) -> Int { options.isQuick ? quick : whole }

    /// The number of clips of a user who never deletes any.
    var manyClips: Int { count(1_000_000, quick: 100_000) }

    /// Returns a value that several figures share; creates it for the first one.
    func once<Shared>(_ name: String, _ make: () throws -> Shared) rethrows -> Shared {
        if let known = shared[name] as? Shared { return known }
        let new = try make()
        shared[name] = new
        return new
    }

    /// Returns an unused path.
    func newPath(_ name: String) -> String {
        lastNumber += 1
        return "\(folder)/\(lastNumber)-\(name)"
    }

    /// Creates a store and returns its path.
    func newStore(clips: Int = 100, isTracked: Bool = true) throws -> String {
        let path = newPath("store.db")
        try SampleStore.make(path, clips: clips, isTracked: isTracked)
        return path
    }

    /// Returns the path of the `clips` to measure.
    func clipsProgram() throws -> String { try options["--clips"] ?? neighbor("clips") }

    /// Returns the path of another program of the same build.
    func neighbor(_ product: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = String(own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex)) + product
        guard access(path, X_OK) == 0 else {
            throw BenchmarkError(
                "\(path) is missing: build it with 'swift build -c release --traits FastStart --product \(product)'"
            )
        }
        return path
    }

    /// Returns a copy of a program in one piece, as after an installation: the linker's writes scatter a new file in
    /// the page cache, which affects its start.
    func installed(_ program: String) throws -> String { try SampleStore.copy(program, self) }

    /// Returns a copy without debug information, which Valgrind cannot read from Swift.
    func withoutDebugInformation(_ program: String) throws -> String {
        let copy = try installed(program)
        if PeerFolder.has("strip", for: "BUDGET") { try ChildProcess.run(["strip", "--strip-debug", copy]) }
        return copy
    }

    /// Returns the command line of the app on a store.
    func app(_ store: String) throws -> [String] { [try clipsProgram(), "--store", store] }

    /// Returns the folder for large stores that later runs reuse.
    func dataFolder() throws -> String {
        let path = options["--data"] ?? "\(Environment.temporaryFolder)/clips-benchmark-data-\(getuid())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}
