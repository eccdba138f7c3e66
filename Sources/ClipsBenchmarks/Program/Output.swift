import FoundationEssentials
import Glibc
import Platform

/// Unbuffered text output, even to a pipe, because figures take minutes.
enum Output {
    static func print(_ text: String) { print(text, on: STDOUT_FILENO) }
    static func printError(_ text: String) { print(text, on: STDERR_FILENO) }

    private static func print(_ text: String, on descriptor: Int32) {
        _ = TextFile.write(text + "\n", on: descriptor)
    }

    /// Replaces the contents of a file.
    static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw BenchmarkError("cannot write \(path): name a file in an existing folder")
        }
    }
}

/// The reason that a measurement failed.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
