import FoundationEssentials
import Glibc

/// The file of one suite: read without a lock, and replaced atomically by the process that holds the lock.
struct SharedDefaultsFile: Sendable {
    static let format = 1
    static let maxBytes = 1 << 20

    let folder: String
    let name: String
    let path: String

    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
        path = folder + "/" + name
    }

    private var lockPath: String { path + "-lock" }
    /// Always the same path: the next writer overwrites the file of a killed one.
    private var draftPath: String { path + "-new" }

    func lock() throws(SharedDefaultsError) -> FileLock {
        try FileLock(path: lockPath, timeout: .seconds(5))
    }

    /// Returns all values; none if the file is missing.
    func read() throws(SharedDefaultsError) -> [String: SharedDefault] {
        guard let bytes = try bytes() else { return [:] }
        do {
            let header = try JSONDecoder().decode(Header.self, from: bytes)
            guard header.format <= Self.format else { throw SharedDefaultsError.newerFormat(path) }
            return try JSONDecoder().decode(Contents.self, from: bytes).values.mapValues(\.value)
        } catch let error as SharedDefaultsError {
            throw error
        } catch {
            throw .damaged(path, reason: "the JSON is not valid")
        }
    }

    /// Replaces the file atomically, even if the power fails: the new file is on the disk before it gets the
    /// name (rename(2)). Requires the lock.
    func replace(with values: [String: SharedDefault]) throws(SharedDefaultsError) {
        let bytes = try encoded(values)
        guard bytes.count <= Self.maxBytes else { throw .tooBig(path, limit: Self.maxBytes) }
        unlink(draftPath)
        let descriptor = open(draftPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotWrite(path, reason: .currentError) }
        let isWritten = Self.write(bytes, to: descriptor) && fsync(descriptor) == 0
        let reason = String.currentError
        close(descriptor)
        guard isWritten else {
            unlink(draftPath)
            throw .cannotWrite(path, reason: reason)
        }
        guard rename(draftPath, path) == 0 else { throw .cannotWrite(path, reason: .currentError) }
        syncFolder()
    }

    /// Renames the file and returns its new path; nil if the file is missing.
    func setAside() throws(SharedDefaultsError) -> String? {
        var number = 1
        while access("\(path)-damaged-\(number)", F_OK) == 0 { number += 1 }
        let aside = "\(path)-damaged-\(number)"
        guard rename(path, aside) == 0 else {
            if errno == ENOENT { return nil }
            throw .cannotWrite(path, reason: .currentError)
        }
        syncFolder()
        return aside
    }

    /// Returns a value that differs after each replacement of the file.
    func stamp() -> Stamp {
        var status = stat()
        guard stat(path, &status) == 0 else { return Stamp(inode: 0, size: 0, seconds: 0, nanoseconds: 0) }
        return Stamp(
            inode: UInt(status.st_ino), size: Int(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    struct Stamp: Equatable {
        let inode: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    private func bytes() throws(SharedDefaultsError) -> Data? {
        // O_NONBLOCK: do not wait for a FIFO of that name. O_NOCTTY: do not acquire a terminal.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .cannotRead(path, reason: .currentError)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .damaged(path, reason: "it is not a regular file")
        }
        guard status.st_size <= Self.maxBytes else {
            throw .damaged(path, reason: "it is larger than \(Self.maxBytes) bytes")
        }
        var bytes = Data(count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .cannotRead(path, reason: .currentError) }
            guard count > 0 else { throw .damaged(path, reason: "it became shorter during the read") }
            filled += count
        }
        return bytes
    }

    private func encoded(_ values: [String: SharedDefault]) throws(SharedDefaultsError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            let contents = Contents(format: Self.format, values: values.mapValues(SharedDefaultCoding.init))
            return try encoder.encode(contents) + Data("\n".utf8)
        } catch {
            throw .cannotWrite(path, reason: "a value cannot be encoded as JSON")
        }
    }

    private static func write(_ bytes: Data, to descriptor: CInt) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                written += count
            }
            return true
        }
    }

    /// Writes the folder to the disk, which makes a new name durable (fsync(2)).
    private func syncFolder() {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private struct Header: Decodable {
        let format: Int
    }

    private struct Contents: Codable {
        let format: Int
        let values: [String: SharedDefaultCoding]
    }
}
