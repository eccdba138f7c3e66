import Glibc

/// A file beside the store that is touched after a commit has become visible.
///
/// SQLite writes a commit's frames, and so wakes whoever watches the `-wal`, before the commit can be read;
/// this file's event always comes after.
struct Doorbell: ~Copyable {
    private let descriptor: CInt

    static func path(store: String) -> String { store + "-doorbell" }

    init?(storePath: String) {
        descriptor = open(Self.path(store: storePath), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Always the same byte at the same place: the file never grows.
    borrowing func ring() {
        var byte = UInt8(ascii: "\n")
        pwrite(descriptor, &byte, 1, 0)
    }
}
