import Glibc
import Platform

/// A folder with programs of other projects, prepared by its `setup.sh`.
struct PeerFolder {
    private let path: String
    private static let reported = Shared<Set<String>>([])

    init(path: String) throws {
        guard access(path + "/setup.sh", R_OK) == 0 else {
            throw BenchmarkError("\(path) is not a folder of peers: it has no setup.sh")
        }
        self.path = path
    }

    /// Returns the path of a file in the folder; reports the figure without the peer and returns nil if the
    /// file is missing.
    func file(_ name: String, for figure: String) -> String? {
        let file = path + "/" + name
        guard access(file, R_OK) == 0 else {
            Self.reportSkipped(name, figure, "\(file) is missing")
            return nil
        }
        return file
    }

    /// Returns the start of a command line that runs one of the folder's scripts; nil if it is missing.
    func python(_ script: String, for figure: String) -> [String]? {
        guard let python = file("venv/bin/python", for: figure), let script = file(script, for: figure) else {
            return nil
        }
        return [python, script]
    }

    static func reportSkipped(_ peer: String, _ figure: String, _ reason: String) {
        guard reported.value.insert(peer + reason).inserted else { return }
        Output.printError("\(figure): \(peer) was skipped: \(reason)")
    }

    /// Returns whether a program is in `PATH`; reports it if it is not.
    static func has(_ program: String, for figure: String) -> Bool {
        let isInstalled = Environment.has(program: program)
        if !isInstalled { reportSkipped(program, figure, "it is not installed") }
        return isInstalled
    }
}
