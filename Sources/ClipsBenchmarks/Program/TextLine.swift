import FoundationEssentials
import Glibc

/// Unbuffered text output, even to a pipe, because figures take minutes.
enum TextLine {
    static func print(_ text: String, on descriptor: Int32 = STDOUT_FILENO) {
        var line = text + "\n"
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
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
