import Glibc
import Platform

/// The metadata of a store's files, which shows whether a process wrote the store between two checks.
struct FileStamp: Equatable {
    let path: String
    private let status: FileStatus?
    private let hasLog: Bool

    init(path: String) {
        self.path = path
        status = FileStatus(path: path)
        hasLog = !FileStatus.isMissingOrEmpty(path + "-wal")
    }

    /// Whether the file alone is the whole store: commits go to the `-wal` first, and SQLite deletes it only
    /// after its whole contents are in the file (sqlite.org/wal.html, 4.1).
    var isQuiet: Bool { !hasLog }

    /// Waits until a second change would change the timestamps, which have the resolution of the kernel's
    /// tick.
    func waitUntilChangesShow() {
        guard let changed = status?.changed else { return }
        for _ in 0..<Self.maxWaits {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let age = (now.tv_sec - changed.tv_sec) * 1_000_000_000 + now.tv_nsec - changed.tv_nsec
            guard (0..<Self.coarsestTick).contains(age) else { return }
            DescriptorIO.pause(for: .milliseconds(2))
        }
    }

    /// Two ticks of a kernel with 100 ticks per second, in nanoseconds.
    private static let coarsestTick = 20_000_000
    private static let maxWaits = 20
}
