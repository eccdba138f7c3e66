import Glibc
import Platform

/// A file next to the store that is touched after a commit has become visible.
///
/// SQLite writes a commit's frames, which wakes every watcher of the `-wal`, before the commit can be read;
/// this file's event always comes after that.
struct Doorbell: ~Copyable {
    private let file: FileDescriptor

    static func path(store: String) -> String { store + "-doorbell" }

    init?(storePath: String) {
        // Opening a pipe of that name would block without O_NONBLOCK; a file with a second name belongs to
        // another program.
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        guard let file = try? FileDescriptor(Self.path(store: storePath), flags), let status = file.status,
            status.isRegular, status.links == 1
        else { return nil }
        self.file = file
    }

    /// Writes the same byte at the same offset: the file never grows.
    borrowing func ring() { file.write(UInt8(ascii: "\n"), at: 0) }
}
