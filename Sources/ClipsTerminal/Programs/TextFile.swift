import Glibc
import PersistentStore

/// Small files of text, read and written whole.
package enum TextFile {
    package static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor)
    }

    /// The same from an open file, a pipe, or a terminal.
    package static func read(_ descriptor: CInt) -> String? {
        var bytes: [UInt8] = []
        do throws(DescriptorIO.Failure) {
            while let piece = try DescriptorIO.read(descriptor) { bytes += piece }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            return nil
        }
    }

    /// Writes a file of this name, made for the owner alone; false if not all could be written.
    static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        return descriptor >= 0 && write(text, closing: descriptor)
    }

    /// A new file in the folder for temporary files, for the owner alone; nil if it cannot be made.
    package static func writeTemporary(_ text: String) -> String? {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let place = (folder.isEmpty ? "/tmp" : folder) + "/clip-"
        guard let (name, descriptor) = UniqueFile.make(place, suffix: ".txt") else { return nil }
        guard write(text, closing: descriptor) else {
            unlink(name)
            return nil
        }
        return name
    }

    private static func write(_ text: String, closing descriptor: CInt) -> Bool {
        defer { close(descriptor) }
        return write(text, on: descriptor)
    }

    static func write(_ text: String, on descriptor: CInt) -> Bool {
        (try? DescriptorIO.write(text.utf8, to: descriptor)) != nil
    }
}
