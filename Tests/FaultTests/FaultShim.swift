import Foundation
import TestSupport

/// The library of `Shim/faults.c`, compiled if it is older than its source.
enum FaultShim {
    /// Next to the running test bundle.
    private static let library = Result<String, any Error> {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Shim/faults.c").path
        let path = StoreWriterProcess.path.replacingOccurrences(of: "StoreWriterTool", with: "faults.so")
        func changed(_ path: String) -> Date? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        }
        if let compiled = changed(path), let written = changed(source), compiled > written { return path }
        let unfinished = path + ".\(ProcessInfo.processInfo.processIdentifier)"
        var reasons: [String] = []
        // The package manager compiles C with the first one.
        for compiler in ["clang", "cc"] {
            let words = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", unfinished, source]
            guard let run = try? Shell.run(compiler, words) else { continue }
            guard run.status == 0 else {
                reasons.append(run.errors)
                continue
            }
            rename(unfinished, path)
            return path
        }
        throw ShellError(description: "\(source) cannot be compiled: \(reasons)")
    }

    /// The environment of a program with the library.
    static func environment(_ settings: [String: String]) throws -> [String: String] {
        settings.merging(["LD_PRELOAD": try library.get()]) { $1 }
    }
}

/// A fault of a system call.
struct Fault: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case error(Int32)
        /// Half of the bytes, and no error.
        case short
        case kill
        /// Half of the bytes, then SIGKILL.
        case torn
        case stop

        var text: String {
            switch self {
            case .error(let number): "\(number)"
            case .short: "short"
            case .kill: "kill"
            case .torn: "torn"
            case .stop: "stop"
            }
        }

        var isDeadly: Bool { ["kill", "torn"].contains(text) }
    }

    /// Letters as in `Shim/faults.c`.
    let calls: String
    let kind: Kind
    /// Whether all later calls fail as well, as on a full disk.
    var persists = false

    var description: String {
        let name =
            if case .error(let number) = kind { String(cString: strerror(number)) } else { kind.text }
        return "\(name)\(persists ? " from there on" : "") in \(calls)"
    }

    /// - Parameters:
    ///   - path: The beginning of the paths of the affected files.
    ///   - note: A file that is created when the fault happens.
    func environment(at number: Int, path: String, note: String) throws -> [String: String] {
        try FaultShim.environment([
            "FAULT_PATH": path, "FAULT_CALLS": calls, "FAULT_KIND": kind.text, "FAULT_AT": "\(number)",
            "FAULT_COUNT": persists ? "0" : "1", "FAULT_NOTE": note,
        ])
    }
}
