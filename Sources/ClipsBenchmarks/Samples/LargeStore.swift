import ClipsCore
import Glibc
import PersistentStore
import SQLite

/// A store with many clips, created once and reused; figures copy it or only read it.
///
/// The rows are inserted without tracking, in few transactions, so that a million take seconds. The newest
/// and the oldest clips have titles that can be found on a screen.
struct LargeStore {
    let path: String
    let clips: Int

    /// The version of the generated data; raise it when the data changes.
    private static let edition = 2
    static let markedTitles = 60
    static let newestMillisecond: Int64 = 1_790_000_000_000
    private static let millisecondsBetween: Int64 = 60_000

    init(_ workspace: Workspace, clips: Int) throws {
        self.clips = clips
        path = try "\(workspace.dataFolder())/clips-\(Self.edition)-\(clips).db"
        guard access(path, F_OK) != 0 else {
            try Self.bringUpToDate(path)
            return
        }
        let unfinished = path + ".unfinished-\(getpid())"
        try Self.generate(unfinished, clips)
        guard rename(unfinished, path) == 0 else { throw BenchmarkError("cannot create \(path)") }
        for end in ["-wal", "-shm", "-doorbell"] { unlink(unfinished + end) }
    }

    /// Returns a writable copy.
    func copy(_ workspace: Workspace) throws -> String {
        let copy = workspace.newPath("large.db")
        try Self.bringUpToDate(path)
        guard Self.copyFile(path, copy) else { throw BenchmarkError("cannot copy \(path)") }
        return copy
    }

    /// Returns the title of the clip at an index of the list, newest first. The marked titles differ in every
    /// column, so that a screen update contains them completely.
    func title(at index: Int) -> String {
        if index < Self.markedTitles { return "newest-\(index)-of-all" }
        if index >= clips - Self.markedTitles { return "No. \(clips - index) FROM THE END" }
        return SampleClip.title(clips - index)
    }

    /// Returns the time at which the clip at an index of the list was saved.
    static func created(at index: Int) -> Int64 { newestMillisecond - Int64(index) * millisecondsBetween }

    private static func generate(_ path: String, _ clips: Int) throws {
        try SmallStore.make(path, clips: 0, isTracked: false)
        try fill(path, clips)
        try bringUpToDate(path)
    }

    /// Opens the store with the real model, which creates the triggers, and writes the WAL to the file for
    /// copying.
    private static func bringUpToDate(_ path: String) throws {
        try SmallStore.make(path, clips: 0)
        try work(path) { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    private static func work(_ path: String, _ body: (borrowing Connection) throws -> Void) throws {
        let connection = try Connection(path: path, access: .readWrite)
        try body(connection)
    }

    private func title(ofClip number: Int) -> String { title(at: clips - number) }

    private static func fill(_ path: String, _ clips: Int) throws {
        try work(path) { connection in
            try connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
            let store = LargeStore(path: path, count: clips)
            let batch = 50_000
            for first in stride(from: 1, through: clips, by: batch) {
                try connection.execute("BEGIN IMMEDIATE")
                for number in first...min(clips, first + batch - 1) {
                    try connection.run(
                        """
                        INSERT INTO Clip (uuid, url, title, text, tags, author, unread, created, updated)
                        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
                        """, Self.uuid(number), SampleClip.url(number), store.title(ofClip: number),
                        SampleClip.text(number), SampleClip.tags(number),
                        number % 3 == 0 ? "app" : "extension",
                        number % 2, created(at: clips - number))
                }
                try connection.execute("COMMIT")
            }
        }
    }

    private init(path: String, count: Int) {
        self.path = path
        clips = count
    }

    private static func uuid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    static func copyFile(_ from: String, _ to: String) -> Bool {
        let source = open(from, O_RDONLY | O_CLOEXEC)
        let target = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(source)
            close(target)
        }
        var copied = 1
        while copied > 0 { copied = sendfile(target, source, nil, 1 << 30) }
        return copied == 0
    }
}
