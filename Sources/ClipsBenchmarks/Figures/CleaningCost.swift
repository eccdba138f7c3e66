import Glibc
import PersistentStore
import Platform
import SQLite

extension Figure {
    static let cleaningCost = Figure(
        name: "F12", title: "cleaning of 1,000,000 changes while another process writes"
    ) { workspace in
        let changes = workspace.count(1_000_000, quick: 100_000)
        var speeds: [Double] = []
        var waits: [Double] = []
        for _ in 0..<workspace.count(5, quick: 1) {
            let work = try CleaningWork(workspace, changes: changes)
            waits.append(try work.longestWait(during: { speeds.append(try work.clean()) }))
            try work.close()
        }
        return [
            Measurement(
                "longest wait for the lock during cleaning of \(changes.grouped) changes", .time,
                waits, goal: .atMost(0.005), headline: "Longest wait of a writer during cleaning"),
            Measurement(
                "changes cleaned in a second", .count, speeds, goal: .atLeast(500_000),
                headline: "Changes cleaned in a second"),
        ]
    }
}

/// A store with a long history that no consumer needs, its cleaner, and a concurrent writer.
private struct CleaningWork {
    private let cleaner: PersistentContainer
    private let changes: Int

    /// Fills the history: half inserts, half updates, 500 per transaction.
    init(_ workspace: Workspace, changes: Int) throws {
        self.changes = changes
        let path = try workspace.newStore(clips: 0)
        let connection = try SampleStore.generator(path)
        let firsts = stride(from: 1, through: changes / 2, by: 500)
        for first in firsts {
            try connection.run(
                """
                WITH RECURSIVE n (i) AS (VALUES (?1) UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
                INSERT INTO Clip (url, title, text) SELECT ?3 || i, ?4 || i, ?5 FROM n
                """, first, first + 499, SampleClip.url(first), SampleClip.title(first),
                SampleClip.text(first))
        }
        for first in firsts {
            try connection.run(
                "UPDATE Clip SET title = title || '.' WHERE id BETWEEN ?1 AND ?2", first, first + 499)
        }
        // Otherwise the first commits would include pending writes to the disk.
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sync()
        cleaner = try SampleStore.open(path)
    }

    /// Cleans and returns the changes per second.
    func clean() throws -> Double {
        let began = Moment.now
        let result = try blocking { [cleaner] in try await cleaner.purgeHistory(maximumAge: .zero) }
        guard result.changes >= changes else { throw BenchmarkError("not everything was cleaned") }
        return Double(result.changes) / began.secondsSince
    }

    /// Commits one clip after the other while `work` runs, and returns the longest wait for the lock.
    func longestWait(during work: () throws -> Void) throws -> Double {
        let isDone = Shared(false)
        let writing = Task.detached { [path = cleaner.path] in
            let connection = try Connection(path: path, access: .readWrite)
            try connection.execute("PRAGMA synchronous = FULL")
            var longest = 0.0
            var number = 0
            while !isDone.value {
                let began = Moment.now
                try connection.execute("BEGIN IMMEDIATE")
                longest = max(longest, began.secondsSince)
                try connection.execute(SampleClip.insertion(number))
                try connection.execute("COMMIT")
                number += 1
            }
            return longest
        }
        defer { isDone.value = true }
        try work()
        isDone.value = true
        return try blocking { try await writing.value }
    }

    func close() throws { try cleaner.closeBlocking() }
}
