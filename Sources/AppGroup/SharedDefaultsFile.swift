import FoundationEssentials
import Glibc

/// One suite's file, as a whole: read by whoever likes, replaced in one step by whoever has the lock.
struct SharedDefaultsFile: Sendable {
    static let format = 1
    static let mostBytes = 1 << 20

    let folder: String
    let name: String
    let path: String

    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
        path = folder + "/" + name
    }

    private var lockPath: String { path + "-lock" }
    /// Always the same one: what a killed writer leaves is overwritten by the next.
    private var draftPath: String { path + "-new" }

    func lock() throws(SharedDefaultsError) -> FileLock {
        try FileLock(path: lockPath, timeout: .seconds(5))
    }

    /// All values; none when there is no file yet.
    func read() throws(SharedDefaultsError) -> [String: SharedDefault] {
        guard let bytes = try bytes() else { return [:] }
        do {
            let header = try JSONDecoder().decode(Header.self, from: bytes)
            guard header.format <= Self.format else { throw SharedDefaultsError.newerFormat(path) }
            return try JSONDecoder().decode(Contents.self, from: bytes).values.mapValues(\.value)
        } catch let error as SharedDefaultsError {
            throw error
        } catch {
            throw .damaged(path, reason: "it is not JSON of the form that is written here")
        }
    }

    /// Takes effect at once and whole, also when the power fails: the new file is on the disk before it gets
    /// the name (rename(2)). Only for who has the lock.
    func replace(with values: [String: SharedDefault]) throws(SharedDefaultsError) {
        let bytes = try encoded(values)
        guard bytes.count <= Self.mostBytes else { throw .tooBig(path, limit: Self.mostBytes) }
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

    /// Gives the file another name, and tells it; nil when there is no file.
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

    /// Changes whenever the file was replaced.
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
        // A pipe of that name would be waited for without O_NONBLOCK, a terminal would become ours without O_NOCTTY.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .cannotRead(path, reason: .currentError)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .damaged(path, reason: "it is not a file")
        }
        guard status.st_size <= Self.mostBytes else {
            throw .damaged(path, reason: "it is larger than \(Self.mostBytes) bytes")
        }
        var bytes = Data(count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .cannotRead(path, reason: .currentError) }
            guard count > 0 else { throw .damaged(path, reason: "it became shorter while it was read") }
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
            throw .cannotWrite(path, reason: "a value cannot be written as JSON")
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

    /// A new name is on the disk only with its folder (fsync(2)).
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
