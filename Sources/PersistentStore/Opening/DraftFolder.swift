import FoundationEssentials
import Platform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A folder for an unfinished store, next to its destination so that the store can be renamed to it, or for a
/// store in memory. Deleted with its contents by deinit.
///
/// Each process locks its folder. A folder without a lock belongs to a process that was killed, and the next
/// one deletes it.
struct DraftFolder: ~Copyable {
    private static let infix = ".draft-"
    private static let maxAttempts = 100
    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

    private let path: String
    private let descriptor: FileDescriptor

    /// The path of a file that does not exist at first.
    var store: String { path + "/store" }

    /// Creates and locks a folder, and deletes those of killed processes.
    init(near destination: String) throws(Errno) {
        Self.removeStale(near: destination)
        for _ in 0..<Self.maxAttempts {
            let path = try TemporaryFile.makeFolder(destination + Self.infix)
            do throws(Errno) {
                let descriptor = try FileDescriptor(path, Self.flags)
                if Self.hasLock(descriptor, path, isOwn: true) {
                    self.init(path: path, descriptor: descriptor)
                    return
                }
                rmdir(path)
            } catch {
                rmdir(path)
                // Another process deleted it before it was locked.
                guard error.code == ENOENT else { throw error }
            }
        }
        throw Errno(EBUSY)
    }

    private init(path: String, descriptor: consuming FileDescriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            unlinkat(descriptor.number, name, 0)
        }
        rmdir(path)
    }

    /// Runs work on the path of a file that does not exist yet, and then deletes the folder.
    ///
    /// - Parameter failure: A closure that returns the error for an error of the system.
    static func with<Result: ~Copyable>(
        near destination: String, failure: (Errno) -> StoreError, _ work: (_ draft: String) throws -> Result
    ) throws -> Result {
        let folder: DraftFolder
        do throws(Errno) {
            folder = try DraftFolder(near: destination)
        } catch {
            throw failure(error)
        }
        return try work(folder.store)
    }

    /// Deletes the folders that killed processes left.
    static func removeStale(near destination: String) {
        let start = destination.lastIndex(of: "/").map(destination.index(after:)) ?? destination.startIndex
        let parent = start == destination.startIndex ? "./" : String(destination[..<start])
        let prefix = destination[start...] + infix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6 {
            guard let opened = try? FileDescriptor(parent + name, flags) else { continue }
            guard hasLock(opened, parent + name, isOwn: false) else { continue }
            _ = DraftFolder(path: parent + name, descriptor: opened)
        }
    }

    /// Locks a folder of this user. Returns false if another process has the lock or has deleted the folder.
    /// For this process's own folder, a file system without locks, or one that gives all files to one user, is
    /// sufficient.
    private static func hasLock(_ folder: borrowing FileDescriptor, _ path: String, isOwn: Bool) -> Bool {
        guard (try? folder.tryLock()) ?? isOwn, let status = folder.status,
            isOwn || status.owner == geteuid()
        else { return false }
        return FileIdentity(path: path) == status.identity
    }
}
