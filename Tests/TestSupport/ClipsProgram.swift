package import Foundation
import Synchronization

/// The built `clips`, with its own store and a reproducible environment.
package struct ClipsProgram: Sendable {
    package let folder: TemporaryFolder
    package let storePath: String
    /// The browser, which records the URLs it opens, in a separate folder, so that the first has only the program's files.
    private let browser: TemporaryFolder

    /// In the folder of the running test bundle.
    package static let path: String = {
        let bundle = URL(
            fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
                ?? "")
        return bundle.deletingLastPathComponent().appendingPathComponent("clips").path
    }()

    package init() throws {
        folder = try TemporaryFolder()
        storePath = folder.path(of: "clips.db")
        browser = try TemporaryFolder()
        let recorder = "#!/bin/sh\necho \"$1\" >> '\(browser.path(of: "opened"))'\n"
        try recorder.write(toFile: browser.path(of: "browser"), atomically: true, encoding: .utf8)
    }

    private static let templates = Mutex<[String: ClipsProgram]>([:])

    /// Returns a copy of the files that `fill` creates once in a process.
    ///
    /// - Parameter variant: The difference between several templates of one line.
    package static func copy(
        _ variant: Any = "", file: String = #fileID, line: Int = #line, fill: (ClipsProgram) throws -> Void
    ) throws -> ClipsProgram {
        let name = "\(file):\(line) \(variant)"
        if let template = templates.withLock({ $0[name] }) { return try template.copy() }
        let template = try ClipsProgram()
        try fill(template)
        let isFirst = templates.withLock { templates in
            defer { templates[name] = template }
            return templates.isEmpty
        }
        if isFirst { atexit { ClipsProgram.templates.withLock { $0 = [:] } } }
        return try template.copy()
    }

    /// Returns a program with copies of the files.
    package func copy() throws -> ClipsProgram {
        let copy = try ClipsProgram()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.copyItem(
                atPath: folder.path(of: name), toPath: copy.folder.path(of: name))
        }
        return copy
    }

    /// The opened URLs, one per line.
    package var opened: String {
        (try? String(contentsOfFile: browser.path(of: "opened"), encoding: .utf8)) ?? ""
    }

    package var environment: [String: String] {
        [
            "CLIPS_STORE": storePath, "HOME": folder.path, "XDG_CONFIG_HOME": folder.path(of: "config"),
            "XDG_DATA_HOME": folder.path(of: "data"), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "TERM": "xterm-256color",
            "NO_COLOR": "1", "BROWSER": "sh " + browser.path(of: "browser"),
            "CLIPS_TERMINAL_BROWSER": "sh " + browser.path(of: "browser"), "VISUAL": "", "EDITOR": "true",
        ]
    }

    @discardableResult
    package func run(_ arguments: String..., input: String = "") throws -> Shell {
        try Shell.run(
            Self.path, arguments, input: input, environment: environment.merging(["TMUX": ""]) { $1 })
    }

    /// Runs a script of bash, in which `$CLIPS` is the program.
    package func shell(_ script: String, _ more: [String: String] = [:]) throws -> Shell {
        let own = ["CLIPS": Self.path, "TMPDIR": folder.path]
        return try Shell.run(
            "bash", ["--norc", "-c", script],
            environment: environment.merging(own) { $1 }.merging(more) { $1 })
    }

    /// The commands in the help, some of which share a line.
    package func commandNames() throws -> [String] {
        try run("--help").output.split(separator: "\n").flatMap { line in
            let names = line.firstMatch(of: /^  ([a-z]+(?:, [a-z]+)*) {2}/)?.1 ?? ""
            return names.split(separator: ", ").map(String.init)
        }
    }

    /// Starts the program and returns without waiting for it.
    package func start(_ arguments: [String], input: FileHandle? = nil, output: FileHandle? = nil) throws
        -> Process
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Returns the store's answer to another program.
    package func sqlite3(_ sql: String) throws -> String {
        try Shell.run("sqlite3", [storePath], input: sql).output.trimmingCharacters(
            in: .whitespacesAndNewlines)
    }
}
