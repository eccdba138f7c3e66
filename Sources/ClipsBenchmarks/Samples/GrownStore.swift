import PersistentStore
import SQLite

/// A store that several authors used for weeks: a number of clips, and five changes for each in its history.
///
/// The triggers of the model record everything, as for the library, but with fewer commits. A store of any
/// size has the same few starred clips, and the same rare author and tag among the oldest.
struct GrownStore {
    let path: String
    /// The clips that were deleted first, a few changes after the beginning.
    static let firstDeleted = 6...45
    /// The author and the tag of a few clips, the oldest of all.
    static let (rareAuthor, rareTag) = ("archivist", "rarissima")

    /// The version of the generated data; raise it when the data changes.
    private static let edition = 2

    init(_ workspace: Workspace, clips: Int) throws {
        path = try SampleStore.reused(workspace, "grown-\(Self.edition)-\(clips)") { path in
            try SampleStore.make(path, clips: 0)
            // A program's peak memory includes that of its parent (getrusage(2)), so another process
            // generates the store.
            let run = try ChildProcess.run(Role.grow(store: path, clips: clips).commandLine())
            let time = Quantity(run.seconds, .time).text
            Output.printError("generated a store with \(clips) clips in \(time)")
        }
    }

    /// Fills an empty store; returns the exit status for the process that runs it.
    static func grow(_ path: String, clips: Int) throws -> Int32 {
        try GrowingStore(path, clips: clips).grow()
        return 0
    }

    /// Returns a writable copy whose history was cleaned just now.
    func copy(_ workspace: Workspace) throws -> String {
        let copy = try SampleStore.copy(path, workspace)
        try Connection(path: copy, access: .readWrite).run(
            "INSERT OR REPLACE INTO store_metadata (key, value) VALUES ('last_cleaning', ?1)",
            StoreOptions.systemMilliseconds())
        return copy
    }
}

/// A generator that fills an empty store in typical transactions.
private final class GrowingStore {
    private let connection: Connection
    private let sample = SampleText()
    private let changes: Int
    private var random = SampleRandom(seed: 5)
    /// Indexed by ID; index 0 is unused.
    private var isDeleted = [true]
    private var origins: [String: Int64] = [:]
    private var now: Int64
    private let pace: Int64

    private static let period: Int64 = 20 * 24 * 3600 * 1000
    private static let authors = [
        "extension", "app", "cli", "phone", "import", "work", "feed", "laptop", "script",
    ]

    init(_ path: String, clips: Int) throws {
        connection = try SampleStore.generator(path)
        try connection.execute("PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 16384")
        changes = clips * 5
        pace = Self.period / Int64(changes)
        now = StoreOptions.systemMilliseconds() - Self.period - 60_000
    }

    func grow() throws {
        try connection.execute("BEGIN IMMEDIATE")
        // The first row of a new store has its creation time, which is later than the generated times.
        try connection.run("UPDATE history SET at = ?1", now)
        for _ in 1..<GrownStore.firstDeleted.lowerBound {
            try transaction(of: GrownStore.rareAuthor) {
                try insert(tags: GrownStore.rareTag, author: GrownStore.rareAuthor)
            }
        }
        try transaction(of: "import") { for _ in GrownStore.firstDeleted { try insert(author: "import") } }
        try transaction(of: "app") { for id in GrownStore.firstDeleted { try delete(id) } }
        let sizes = [1, 1, 1, 1, 1, 2, 3, 4, 8, 20]
        var number = 0
        while number < changes {
            let author = Self.authors[random.rank(below: Self.authors.count)]
            let size = random.below(2000) == 0 ? 500 : sizes[random.below(sizes.count)]
            try transaction(of: author) {
                for _ in 0..<min(size, changes - number) {
                    try change(number, author)
                    number += 1
                }
            }
            if number % 40_000 < size { try connection.execute("COMMIT; BEGIN IMMEDIATE") }
        }
        try connection.execute("COMMIT")
    }

    private func transaction(of author: String, _ body: () throws -> Void) throws {
        if origins[author] == nil {
            try connection.run(
                "INSERT INTO history_origin (author, program) VALUES (?1, ?2)", author,
                author == "cli" ? "clips" : "sample")
            origins[author] = connection.lastInsertedRow
        }
        let origin = origins[author] ?? 0
        try connection.run(
            "INSERT INTO history (kind, began, origin, process, session) VALUES (3, ?1, ?2, ?3, ?4)", now,
            origin, 1000 + origin, origin)
        let began = now
        try body()
        try connection.run("INSERT INTO history (kind, at) VALUES (4, ?1)", began)
    }

    /// Of 20 changes, 5 insert and one deletes: five changes for each clip that remains.
    private func change(_ number: Int, _ author: String) throws {
        now += pace
        switch number % 20 {
        case 0, 4, 8, 12, 16: try insert(author: author)
        case 17: try delete(recentClip())
        default:
            let id = recentClip()
            switch number % max(20, changes / 200) == 1 ? 10 : random.below(10) {
            case 10: try update(id, "starred = 1")
            case 6, 7: try update(id, "tags = ?3", sample.tags(number))
            case 8: try update(id, "note = ?3", sample.note(number))
            case 9: try update(id, "title = ?3", sample.title(number))
            default: try update(id, "unread = 1 - unread")
            }
        }
    }

    private func insert(tags: String? = nil, author: String) throws {
        let id = isDeleted.count
        try connection.run(
            """
            INSERT INTO Clip (url, title, text, note, tags, author, unread, created, updated)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?7)
            """, sample.url(id), sample.title(id), sample.text(id), sample.note(id), tags ?? sample.tags(id),
            author, now)
        isDeleted.append(false)
    }

    private func delete(_ id: Int) throws {
        try connection.run("DELETE FROM Clip WHERE id = ?1", id)
        isDeleted[id] = true
    }

    private func update(_ id: Int, _ assignment: String, _ text: String? = nil) throws {
        let sql = "UPDATE Clip SET \(assignment), updated = ?2 WHERE id = ?1"
        if let text { try connection.run(sql, id, now, text) } else { try connection.run(sql, id, now) }
    }

    /// Returns a clip, usually one of the newest; never one of the rare author.
    private func recentClip() -> Int {
        let count = isDeleted.count - GrownStore.firstDeleted.lowerBound
        while true {
            let back = random.below(5) == 0 ? random.below(count) : random.rank(below: count)
            let id = isDeleted.count - 1 - back
            if !isDeleted[id] { return id }
        }
    }
}
