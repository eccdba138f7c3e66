import CPlatform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Small files of text, read and written as a whole.
package enum TextFile {
    package static func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor(path) else { return nil }
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

    /// Creates a file that has no name and is never on a disk, to be read from its begin; nil if there is no memory.
    package static func inMemory(_ text: String = "") -> FileDescriptor? {
        let number = platform_memory_file()
        guard number >= 0 else { return nil }
        let file = FileDescriptor(owning: number)
        guard (try? file.write(text.utf8)) != nil, lseek(number, 0, SEEK_SET) == 0 else { return nil }
        return file
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
