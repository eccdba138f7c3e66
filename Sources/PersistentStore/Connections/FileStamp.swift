import Glibc
import SQLite

/// The metadata of a store's files, which shows whether a process wrote the store between two checks.
struct FileStamp: Equatable {
    let path: String
    private let file: FileIdentity?
    private let size: Int
    private let modified: [Int]
    private let changed: [Int]
    private let hasLog: Bool

    init(path: String) {
        self.path = path
        var status = stat()
        file = FileIdentity(path: path)
        _ = stat(path, &status)
        size = Int(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        var log = stat()
        hasLog = stat(path + "-wal", &log) == 0 && log.st_size > 0
    }

    /// Whether the file alone is the whole store: commits go to the `-wal` first, and SQLite deletes it only
    /// after its whole contents are in the file (sqlite.org/wal.html, 4.1).
    var isQuiet: Bool { !hasLog }

    /// Waits until a second change would change the timestamps, which have the resolution of the kernel's
    /// tick.
    func waitUntilChangesShow() {
        for _ in 0..<Self.maxWaits {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let age = (now.tv_sec - changed[0]) * 1_000_000_000 + now.tv_nsec - changed[1]
            guard (0..<Self.coarsestTick).contains(age) else { return }
            var pause = timespec(tv_sec: 0, tv_nsec: 2_000_000)
            nanosleep(&pause, nil)
        }
    }

    /// Two ticks of a kernel with 100 ticks per second, in nanoseconds.
    private static let coarsestTick = 20_000_000
    private static let maxWaits = 20
}
