import ClipsCore
import Glibc
import PersistentStore
import SQLite

/// A store whose clips have realistic texts, created once and reused.
struct WrittenStore {
    let path: String
    let clips: Int

    /// The version of the generated data; raise it when the data changes.
    private static let edition = 1

    init(_ workspace: Workspace, clips: Int) throws {
        self.clips = clips
        path = try "\(workspace.dataFolder())/written-\(Self.edition)-\(clips).db"
        guard access(path, F_OK) != 0 else { return }
        let unfinished = path + ".unfinished-\(getpid())"
        try SmallStore.make(unfinished, clips: 0, isTracked: false)
        try Self.fill(unfinished, clips)
        // Opening it with the real model creates the triggers.
        try SmallStore.make(unfinished, clips: 0)
        let connection = try Connection(path: unfinished, access: .readWrite)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        guard rename(unfinished, path) == 0 else { throw BenchmarkError("cannot create \(path)") }
    }

    private static func fill(_ path: String, _ clips: Int) throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
        let sample = SampleText()
        for first in stride(from: 1, through: clips, by: 20_000) {
            try connection.execute("BEGIN IMMEDIATE")
            for number in first...min(clips, first + 19_999) {
                try connection.run(
                    """
                    INSERT INTO Clip (url, title, text, tags, author, unread, created, updated)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
                    """, sample.url(number), sample.title(number), sample.text(number), sample.tags(number),
                    number % 3 == 0 ? "app" : "extension", number % 2, LargeStore.created(at: clips - number))
            }
            try connection.execute("COMMIT")
        }
    }

    /// Returns the size of the store's files.
    static func size(_ path: String) -> Double {
        ["", "-wal"].reduce(0) { sum, end in
            var status = stat()
            return sum + (stat(path + end, &status) == 0 ? Double(status.st_size) : 0)
        }
    }
}
