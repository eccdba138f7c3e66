import FoundationEssentials
import Glibc

/// Text that is out at once, also into a pipe: figures take minutes.
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

    /// Replaces what is in the file.
    static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw BenchmarkError("\(path) cannot be written: give a file in a folder that is there")
        }
    }
}
