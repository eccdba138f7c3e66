import CBenchmarkProbes
import Glibc
import Synchronization

/// A folder with other people's programs, made ready by the `setup.sh` in it.
struct PeerFolder {
    let path: String
    private static let told = Mutex<Set<String>>([])

    init(path: String) throws {
        guard access(path + "/setup.sh", R_OK) == 0 else {
            throw BenchmarkError("\(path) is no folder of peers: there is no setup.sh in it")
        }
        self.path = path
    }

    /// A file of the folder; nil, and told, when it is not there.
    func file(_ name: String, for figure: String) -> String? {
        let file = path + "/" + name
        guard access(file, R_OK) == 0 else {
            Self.leaveOut(name, figure, "there is no \(file)")
            return nil
        }
        return file
    }

    static func leaveOut(_ peer: String, _ figure: String, _ reason: String) {
        guard told.withLock({ $0.insert(peer + reason).inserted }) else { return }
        TextLine.print("\(figure): \(peer) is left out: \(reason)", on: STDERR_FILENO)
    }

    /// Whether a program can be run by its name; told when not.
    static func has(_ program: String, for figure: String) -> Bool {
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
        let isThere = folders.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
        if !isThere { leaveOut(program, figure, "it is not installed") }
        return isThere
    }

    /// What a program prints until it ends; its standard error is thrown away.
    static func output(of command: [String]) throws -> String {
        var input: Int32 = -1
        var output: Int32 = -1
        let quiet = ["sh", "-c", "exec \"$@\" 2>/dev/null", "sh"] + command
        let process = withCStrings(quiet) { probe_start($0, &input, &output) }
        guard process > 0 else { throw BenchmarkError("'\(command[0])' cannot be started") }
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
