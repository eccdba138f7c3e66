import FoundationEssentials
import Glibc
import Platform

/// Unbuffered text output, even to a pipe, because figures take minutes.
enum TextLine {
    static func print(_ text: String, on descriptor: Int32 = STDOUT_FILENO) {
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
