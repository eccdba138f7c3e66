import ClipsCore
import PersistentStore
import SQLite
import Synchronization

extension Figure {
    static let cleaningCost = Figure(
        name: "F12", title: "cleaning 1,000,000 changes beside a writer"
    ) { workspace in
        let changes = workspace.count(1_000_000, quick: 100_000)
        var (speeds, longest, alone): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<workspace.count(3, quick: 1) {
            let work = try CleaningWork(workspace, changes: changes)
            alone.append(try work.longestCommit(beside: { try work.wait(seconds: 1) }))
            longest.append(try work.longestCommit(beside: { speeds.append(try work.clean()) }))
            try work.close()
        }
        return [
            Measurement(
                "longest commit beside cleaning", .time, longest, goal: Measurement.Goal(atMost: 0.010)),
            Measurement("longest commit in a second alone", .time, alone),
            Measurement(
                "changes cleaned in a second", .count, speeds, goal: Measurement.Goal(atLeast: 500_000)),
        ]
    }
}

/// A store with much history that nobody needs, one who cleans it, and one who goes on writing.
private final class CleaningWork {
    private let cleaner: PersistentContainer
    private let writer: PersistentContainer
    private let changes: Int

    init(_ workspace: Workspace, changes: Int) throws {
        self.changes = changes
        let path = workspace.newPath("cleaned.db")
        try SmallStore.make(path, clips: 0)
        try Self.fill(path, changes)
        (cleaner, writer) = try blocking {
            let model = try ClipModel.make()
            return (
                try await PersistentContainer(path: path, model: model),
                try await PersistentContainer(path: path, model: model)
            )
        }
    }

    /// One half inserts, one half updates, 500 in a transaction.
    private static func fill(_ path: String, _ changes: Int) throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
        let size = 500
        for first in stride(from: 1, through: changes / 2, by: size) {
            try connection.run(
                """
                WITH RECURSIVE n (i) AS (VALUES (?1) UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
                INSERT INTO Clip (url, title, text) SELECT ?3 || i, ?4 || i, ?5 FROM n
                """, first, first + size - 1, SampleClip.url(first), SampleClip.title(first),
                SampleClip.text(first))
        }
        for first in stride(from: 1, through: changes / 2, by: size) {
            try connection.run(
                "UPDATE Clip SET title = title || '.' WHERE id BETWEEN ?1 AND ?2", first, first + size - 1)
        }
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Changes a second.
    func clean() throws -> Double {
        let cleaner = cleaner
        let began = Moment.now
        let result = try blocking { try await cleaner.purgeHistory(maximumAge: .zero) }
        guard result.changes >= changes else { throw BenchmarkError("not everything was cleaned") }
        return Double(result.changes) / began.secondsSince
    }

    func wait(seconds: Double) throws {
        try blocking { try await Task.sleep(for: .seconds(seconds)) }
    }

    /// The longest of the commits that are made one after the other while something is done.
    func longestCommit(beside work: () throws -> Void) throws -> Double {
        let context = writer.makeContext(author: "beside")
        let isDone = Flag()
        let writing = Task.detached {
            var longest = 0.0
            var number = 0
            while !isDone.value.withLock({ $0 }) {
                let began = Moment.now
                try await context.insert(ClipModel.entity, SmallStore.values(number))
                try await context.save()
                longest = max(longest, began.secondsSince)
                number += 1
            }
            return longest
        }
        defer { isDone.value.withLock { $0 = true } }
        try work()
        isDone.value.withLock { $0 = true }
        return try blocking { try await writing.value }
    }

    private final class Flag: Sendable {
        let value = Mutex(false)
    }

    func close() throws {
        let (cleaner, writer) = (cleaner, writer)
        try blocking {
            await cleaner.close()
            await writer.close()
        }
    }
}
