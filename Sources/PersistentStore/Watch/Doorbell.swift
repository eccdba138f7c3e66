import Glibc

/// A file next to the store that is touched after a commit has become visible.
///
/// SQLite writes a commit's frames, which wakes every watcher of the `-wal`, before the commit can be read;
/// this file's event always comes after that.
struct Doorbell: ~Copyable {
    private let descriptor: CInt

    static func path(store: String) -> String { store + "-doorbell" }

    init?(storePath: String) {
        // Opening a pipe of that name would block without O_NONBLOCK; a file with a second name belongs to
        // another program.
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let opened = open(Self.path(store: storePath), flags, 0o600)
        var status = stat()
        guard opened >= 0, fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_nlink == 1
        else {
            if opened >= 0 { close(opened) }
            return nil
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Writes the same byte at the same offset: the file never grows.
    borrowing func ring() {
        var byte = UInt8(ascii: "\n")
        pwrite(descriptor, &byte, 1, 0)
    }
}
