import Foundation

/// Runs a program to its end; for the strangers that write into a store: `sqlite3`, Python.
package struct Shell {
    package let status: Int32
    package let output: String
    package let errors: String

    @discardableResult
    package static func run(
        _ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) throws -> Shell {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let folder = try TemporaryFolder()
        // Files, not pipes: whatever the amount, nobody waits for a reader.
        for name in ["in", "out", "err"] {
            _ = FileManager.default.createFile(
                atPath: folder.path(of: name), contents: Data(name == "in" ? Array(input.utf8) : []))
        }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.path(of: "in")))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path(of: "out")))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path(of: "err")))
        try process.run()
        process.waitUntilExit()
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path(of: name))), as: UTF8.self)
        }
        return Shell(status: process.terminationStatus, output: try text("out"), errors: try text("err"))
    }
}
