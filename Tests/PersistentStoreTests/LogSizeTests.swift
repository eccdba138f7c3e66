import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

/// The size of the write-ahead log.
@Suite struct LogSizeTests {
    /// Holds the lock of checkpoints as another writer does after its commits, for most of the time
    /// (sqlite.org/walformat.html, WAL_CKPT_LOCK).
    private static let checkpoints = """
        import fcntl, sys, threading
        index, ended = open(sys.argv[1], "r+b"), threading.Event()
        threading.Thread(target=lambda: (sys.stdin.read(), ended.set())).start()
        print("ready", flush=True)
        while not ended.is_set():
            fcntl.lockf(index, fcntl.LOCK_EX, 1, 121)
            ended.wait(0.02)
            fcntl.lockf(index, fcntl.LOCK_UN, 1, 121)
            ended.wait(0.002)
        """

    @Test(arguments: [false, true])
    func `readers without a pause do not make the log grow without limit`(withCheckpoints: Bool) async throws
    {
        let folder = try TemporaryFolder()
        var options = StoreOptions()
        options.durability = .normal
        let container = try await Notes.open(folder, options: options)
        let context = container.makeContext(author: "app")
        _ = try await context.save(inserting: ["title": "a"])
        let other = try LineProcess("python3", ["-c", Self.checkpoints, container.path + "-shm"])
        #expect(try other.answer() == "ready")
        if !withCheckpoints { other.closeInput() }
        func size() throws -> Int {
            try #require(
                FileManager.default.attributesOfItem(atPath: container.path + "-wal")[.size] as? Int)
        }
        try await withThrowingTaskGroup { group in
            group.addTask {
                // At each moment, one of the two has a snapshot.
                let one = try Connection(path: folder.path(of: "notes.db"), access: .readWrite)
                let two = try Connection(path: folder.path(of: "notes.db"), access: .readWrite)
                let begin = "BEGIN; SELECT count(*) FROM history"
                try one.execute(begin)
                while !Task.isCancelled {
                    try two.execute(begin)
                    try one.execute("COMMIT; " + begin)
                    try two.execute("COMMIT")
                    await Task.yield()
                }
            }
            defer { group.cancelAll() }
            for round in 0..<600 {
                let text = String(repeating: "\(round % 10)", count: 240_000)
                try await context.insert("Note", ["body": .text(text)])
                try await context.save()
                // On a loaded machine, some attempts to empty it fail.
                if round > 200, try size() < 40 << 20 { break }
            }
        }
        #expect(try size() < 40 << 20)
        other.closeInput()
    }
}
