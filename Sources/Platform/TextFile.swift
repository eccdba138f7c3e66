import Glibc

/// Small files of text, read and written as a whole.
package enum TextFile {
    package static func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor(path, O_RDONLY) else { return nil }
        return read(file.number)
    }

    /// Reads an open file, a pipe, or a terminal to its end.
    package static func read(_ descriptor: CInt) -> String? {
        var bytes: [UInt8] = []
        do throws(Errno) {
            while let piece = try DescriptorIO.read(descriptor) { bytes += piece }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            return nil
        }
    }

    package static func write(_ text: String, on descriptor: CInt) -> Bool {
        (try? DescriptorIO.write(text.utf8, to: descriptor)) != nil
    }

    /// Writes a file that only its owner may read; returns false if not all could be written.
    package static func write(_ text: String, to path: String) -> Bool {
        guard let file = try? FileDescriptor(path, O_WRONLY | O_CREAT | O_TRUNC) else { return false }
        return (try? file.write(text.utf8)) != nil
    }

    /// Creates a file in the folder for temporary files and returns its path; nil if it cannot be written.
    package static func writeTemporary(_ text: String) -> String? {
        guard let file = try? TemporaryFile(Environment.temporaryFolder + "/clip-", suffix: ".txt") else {
            return nil
        }
        guard (try? file.descriptor.write(text.utf8)) != nil else {
            unlink(file.path)
            return nil
        }
        return file.path
    }
}
