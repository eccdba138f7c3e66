import FoundationEssentials
import Glibc
import Platform

/// A folder for an unfinished store, next to its destination, so that it can be renamed to it.
///
/// Each process locks its folder. A folder without a lock belongs to a process that was killed, and the next
/// one deletes it.
enum DraftFolder {
    private static let infix = ".draft-"
    private static let maxAttempts = 100
    private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

    /// Runs work on the path of a file that does not exist yet, and then deletes the folder.
    ///
    /// - Parameter failure: A closure that returns the error for an error of the system.
    static func with<Result: ~Copyable>(
        near destination: String, failure: (Errno) -> StoreError, _ work: (_ draft: String) throws -> Result
    ) throws -> Result {
        removeStale(near: destination)
        for _ in 0..<maxAttempts {
            guard let (path, folder) = try make(destination, failure) else { continue }
            defer { remove(path, folder) }
            return try work(path + "/store")
        }
        throw failure(Errno(EBUSY))
    }

    /// Creates and locks a folder. Returns nil if another process deleted it before it was locked.
    private static func make(
        _ destination: String, _ failure: (Errno) -> StoreError
    ) throws(StoreError) -> (String, Folder)? {
        do throws(Errno) {
            let path = try TemporaryFile.makeFolder(destination + infix)
            do throws(Errno) {
                let folder = Folder(try FileDescriptor(path, flags))
                if hasLock(folder, path, isOwn: true) { return (path, folder) }
                rmdir(path)
                return nil
            } catch {
                rmdir(path)
                guard error.code == ENOENT else { throw error }
                return nil
            }
        } catch {
            throw failure(error)
        }
    }

    /// Deletes the folders that killed processes left.
    static func removeStale(near destination: String) {
        let start = destination.lastIndex(of: "/").map(destination.index(after:)) ?? destination.startIndex
        let parent = start == destination.startIndex ? "./" : String(destination[..<start])
        let prefix = destination[start...] + infix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6 {
            guard let opened = try? FileDescriptor(parent + name, flags) else { continue }
            let folder = Folder(opened)
            if hasLock(folder, parent + name, isOwn: false) { remove(parent + name, folder) }
        }
    }

    /// Locks a folder of this user. Returns false if another process has the lock or has deleted the folder.
    /// For this process's own folder, a file system without locks, or one that gives all files to one user, is
    /// sufficient.
    private static func hasLock(_ folder: Folder, _ path: String, isOwn: Bool) -> Bool {
        guard (try? folder.descriptor.tryLock()) ?? isOwn, let status = folder.descriptor.status,
            isOwn || status.owner == geteuid()
        else { return false }
        return FileIdentity(path: path) == status.identity
    }

    private static func remove(_ path: String, _ folder: Folder) {
        for end in ["", "-wal", "-shm", "-journal", "-doorbell"] {
            unlinkat(folder.descriptor.number, "store" + end, 0)
        }
        rmdir(path)
    }

    /// An object that owns a descriptor, so that it can be returned in a tuple.
    private final class Folder {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }
}
