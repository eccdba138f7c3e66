import ClipsCore
import Glibc
import PersistentStore
import SQLite

/// A store that several authors used for weeks: a number of clips, and five changes for each in its history.
///
/// It is created once and reused; measurements use a copy. The triggers of the model record everything, as
/// for the library, but with fewer commits. A store of any size has the same few starred clips, and the same
/// rare author and tag among the oldest.
struct GrownStore {
    let path: String
    let clips: Int
    /// Clips that were deleted first, and last.
    let deletedClips: ClosedRange<Int>

    /// The version of the generated data; raise it when the data changes.
    private static let edition = 1
    static let changesEach = 5
    static let rareTransactions = 5
    static let deletedEarly = 40

    init(_ workspace: Workspace, clips: Int) throws {
        self.clips = clips
        path = try "\(workspace.dataFolder())/grown-\(Self.edition)-\(clips).db"
        deletedClips = (Self.rareTransactions + 1)...(Self.rareTransactions + Self.deletedEarly)
        guard access(path, F_OK) != 0 else { return }
        let unfinished = path + ".unfinished-\(getpid())"
        try SmallStore.make(unfinished, clips: 0)
        let began = Moment.now
        // A program's peak memory includes that of its parent (getrusage(2)), so another process creates the
        // store.
        _ = try MeasuredRun(Role.grow(store: unfinished, clips: clips).commandLine)
        TextLine.print(
            "created a store with \(clips) clips in \(Quantity(began.secondsSince, .time).text)",
            on: STDERR_FILENO)
        guard rename(unfinished, path) == 0 else { throw BenchmarkError("cannot create \(path)") }
        for end in ["-wal", "-shm", "-doorbell"] { unlink(unfinished + end) }
    }

    /// Fills an empty store; returns the exit status for the process that runs it.
    static func grow(_ path: String, clips: Int) throws -> Int32 {
        try GrowingStore(path, clips: clips).grow()
        return 0
    }

    /// Returns a writable copy whose history was cleaned just now.
    func copy(_ workspace: Workspace) throws -> String {
        let copy = workspace.newPath("grown.db")
        guard LargeStore.copyFile(path, copy) else { throw BenchmarkError("cannot copy \(path)") }
        let connection = try Connection(path: copy, access: .readWrite)
        try connection.run(
            "INSERT OR REPLACE INTO store_metadata (key, value) VALUES ('last_cleaning', ?1)",
            StoreOptions.systemMilliseconds())
        return copy
    }
}

/// A generator that fills an empty store in typical transactions.
private final class GrowingStore {

    private let connection: Connection
    private let writing = SampleWriting()
    private var random = SampleRandom(seed: 5)
    private var insertions: Int
    private var deletions: Int
    private var updates: Int
    private let stars: Int
    private var sinceStar = 0
    /// Indexed by ID; index 0 is unused.
    private var isDeleted = [true]
    private var origins: [String: Int64] = [:]
    private var now: Int64
    private let pace: Int64
    private var live = 0
    private var changesLeft: Int { insertions + deletions + updates }

    private static let period: Int64 = 20 * 24 * 3600 * 1000
    private static let starred = 200
    private static let commitSize = 40_000

    init(_ path: String, clips: Int) throws {
        connection = try Connection(path: path, access: .readWrite)
        try connection.execute(
            "PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 16384")
        deletions = clips / 4
        insertions = clips + deletions
        updates = clips * GrownStore.changesEach - insertions - deletions
        stars = max(1, updates / Self.starred)
        isDeleted.reserveCapacity(insertions + 1)
        pace = Self.period / Int64(clips * GrownStore.changesEach)
        now = StoreOptions.systemMilliseconds() - Self.period - 60_000
    }

    func grow() throws {
        var inCommit = 0
        try connection.execute("BEGIN IMMEDIATE")
        // The first row of a new store has its creation time, which is later than the generated times.
        try connection.run("UPDATE history SET at = ?1", now)
        for number in 0..<GrownStore.rareTransactions {
            try transaction(of: SampleWriting.rareAuthor) {
                try insert(tags: SampleWriting.rareTag, author: SampleWriting.rareAuthor)
            }
            guard number == GrownStore.rareTransactions - 1 else { continue }
            try transaction(of: "import") {
                for _ in 0..<GrownStore.deletedEarly { try insert(author: "import") }
            }
            try transaction(of: "app") {
                for id in isDeleted.indices.suffix(GrownStore.deletedEarly) { try delete(id) }
            }
        }
        while changesLeft > 0 {
            inCommit += try transaction()
            guard inCommit > Self.commitSize else { continue }
            inCommit = 0
            try connection.execute("COMMIT; BEGIN IMMEDIATE")
        }
        try connection.execute("COMMIT")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func transaction() throws -> Int {
        let author = writing.author(&random)
        let sizes = [1, 1, 1, 1, 1, 2, 3, 4, 8, 20]
        let size = random.below(2000) == 0 ? 500 : sizes[random.below(sizes.count)]
        let count = min(size, changesLeft)
        try transaction(of: author) {
            for _ in 0..<count { try change(author) }
        }
        return count
    }

    private func transaction(of author: String, _ body: () throws -> Void) throws {
        let origin = try origin(author)
        try connection.run(
            "INSERT INTO history (kind, began, origin, process, session) VALUES (3, ?1, ?2, ?3, ?4)", now,
            origin,
            Int64(1000 + origin), origin)
        let began = now
        try body()
        try connection.run("INSERT INTO history (kind, at) VALUES (4, ?1)", began)
    }

    private func change(_ author: String) throws {
        now += pace
        let choice = random.below(changesLeft)
        let hasOthers = live > GrownStore.rareTransactions
        if choice < insertions || (!hasOthers && insertions > 0) {
            try insert(tags: nil, author: author)
        } else if choice < insertions + deletions {
            try delete(someClip())
        } else {
            try update(someClip())
        }
    }

    private func insert(tags: String? = nil, author: String) throws {
        let id = isDeleted.count
        try connection.run(
            """
            INSERT INTO Clip (url, title, text, note, tags, author, unread, created, updated)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?7)
            """, writing.url(id), writing.title(id), writing.text(id), writing.note(id),
            tags ?? writing.tags(id),
            author, now)
        isDeleted.append(false)
        insertions -= 1
        live += 1
    }

    private func delete(_ id: Int) throws {
        try connection.run("DELETE FROM Clip WHERE id = ?1", id)
        isDeleted[id] = true
        deletions -= 1
        live -= 1
    }

    private func update(_ id: Int) throws {
        updates -= 1
        sinceStar += 1
        if sinceStar == stars {
            sinceStar = 0
            return try connection.run("UPDATE Clip SET starred = 1, updated = ?2 WHERE id = ?1", id, now)
        }
        switch random.below(10) {
        case 0..<6:
            try connection.run("UPDATE Clip SET unread = 1 - unread, updated = ?2 WHERE id = ?1", id, now)
        case 6, 7:
            try connection.run(
                "UPDATE Clip SET tags = ?3, updated = ?2 WHERE id = ?1", id, now, writing.tags(id + updates))
        case 8:
            try connection.run(
                "UPDATE Clip SET note = ?3, updated = ?2 WHERE id = ?1", id, now, writing.note(id + updates))
        default:
            try connection.run(
                "UPDATE Clip SET title = ?3, updated = ?2 WHERE id = ?1", id, now, writing.title(id + updates)
            )
        }
    }

    /// Returns a clip, usually one of the newest; never one of the rare author.
    private func someClip() -> Int {
        let first = GrownStore.rareTransactions + 1
        while true {
            let count = isDeleted.count - first
            let back = random.below(5) == 0 ? random.below(count) : random.rank(below: count)
            let id = isDeleted.count - 1 - min(back, count - 1)
            if !isDeleted[id] { return id }
        }
    }

    private func origin(_ author: String) throws -> Int64 {
        if let known = origins[author] { return known }
        try connection.run(
            "INSERT INTO history_origin (author, program) VALUES (?1, ?2)", author,
            author == "cli" ? "clips" : "sample")
        origins[author] = connection.lastInsertedRow
        return connection.lastInsertedRow
    }
}
