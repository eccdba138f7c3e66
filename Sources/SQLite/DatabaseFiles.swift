import CSQLite
import Platform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The files of a database, prepared before SQLite opens them.
enum DatabaseFiles {
    /// SQLite opens its companion files, of which a pipe would block it, and creates a file that all users may
    /// read. So the file is created here, without a descriptor, since closing one drops SQLite's locks
    /// (sqlite.org/howtocorrupt.html 2.2); its companions get its mode.
    static func prepare(_ path: String, creates: Bool) throws(SQLiteError) {
        guard !path.isEmpty, path != ":memory:" else { return }
        if creates, !FilePath.exists(path), let target = try? FilePath.target(of: path) {
            mknod(target, S_IFREG | 0o600, 0)
        }
        let resolved = FilePath.resolved(path)
        for end in ["", "-journal", "-wal", "-shm"] {
            guard let status = FileStatus(path: resolved + end, followsLinks: false) else { continue }
            guard status.isRegular || end.isEmpty && status.isFolder else {
                throw SQLiteError(
                    code: SQLITE_CANTOPEN, message: "\(resolved)\(end) is not a regular file")
            }
        }
    }
}
