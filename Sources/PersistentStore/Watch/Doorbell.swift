import Glibc
import Platform
import SQLite

/// A file next to the store that is touched after a commit has become visible.
///
/// SQLite writes a commit's frames, which wakes every watcher of the `-wal`, before the commit can be read;
/// this file's event always comes after that. As long as a writer has the file open, it has a shared lock on
/// the byte of its process ID, by which watchers know that it will ring after the commit that it is writing.
struct Doorbell: ~Copyable {
    private let file: FileDescriptor

    static func path(store: String) -> String { store + "-doorbell" }

    init?(storePath: String) {
        // Opening a pipe of that name would block without O_NONBLOCK; a file with a second name belongs to
        // another program.
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        guard let file = try? FileDescriptor(Self.path(store: storePath), flags), let status = file.status,
            status.isRegular, status.links == 1
        else { return nil }
        // Without the lock, on a file system that has none, watchers check more often.
        _ = file.shareByte(Int(getpid()))
        self.file = file
    }

    /// Writes the same byte at the same offset: the file never grows.
    borrowing func ring() { file.write(UInt8(ascii: "\n"), at: 0) }
}

/// The doorbell as a watcher has it open.
struct WatchedDoorbell: ~Copyable {
    private let file: FileDescriptor

    init?(path: String) {
        guard let file = try? FileDescriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            file.status?.isRegular ?? false
        else { return nil }
        self.file = file
    }

    /// Whether the holder of the write lock rings this doorbell after its commit.
    borrowing func isRung(by holder: WriterLock.Holder) -> Bool {
        guard case .process(let process) = holder else { return false }
        return file.isByteLocked(Int(process))
    }
}
