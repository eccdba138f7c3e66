import CBenchmarkProbes
import Glibc
import Platform
import Synchronization

/// A folder with programs of other projects, prepared by its `setup.sh`.
struct PeerFolder {
    let path: String
    private static let reported = Mutex<Set<String>>([])

    init(path: String) throws {
        guard access(path + "/setup.sh", R_OK) == 0 else {
            throw BenchmarkError("\(path) is not a folder of peers: it has no setup.sh")
        }
        self.path = path
    }

    /// Returns the path of a file in the folder; prints a message and returns nil if it is missing.
    func file(_ name: String, for figure: String) -> String? {
        let file = path + "/" + name
        guard access(file, R_OK) == 0 else {
            Self.leaveOut(name, figure, "\(file) is missing")
            return nil
        }
        return file
    }

    static func leaveOut(_ peer: String, _ figure: String, _ reason: String) {
        guard reported.withLock({ $0.insert(peer + reason).inserted }) else { return }
        TextLine.print("\(figure): \(peer) was skipped: \(reason)", on: STDERR_FILENO)
    }

    /// Returns whether a program is in `PATH`; prints a message if it is not.
    static func has(_ program: String, for figure: String) -> Bool {
        let isInstalled = Environment.has(program: program)
        if !isInstalled { leaveOut(program, figure, "it is not installed") }
        return isInstalled
    }

    /// Runs a program and returns its output; discards its standard error.
    static func output(of command: [String]) throws -> String {
        var input: Int32 = -1
        var output: Int32 = -1
        let quiet = ["sh", "-c", "exec \"$@\" 2>/dev/null", "sh"] + command
        let process = withCStrings(quiet) { probe_start($0, &input, &output) }
        guard process > 0 else { throw BenchmarkError("cannot start '\(command[0])'") }
        close(input)
        defer {
            close(output)
            waitpid(process, nil, 0)
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
