import ClipsCore
import Glibc
import PersistentStore
import SQLite
import Synchronization

extension Figure {
    static let cleaningCost = Figure(
        name: "F12", title: "cleaning 1,000,000 changes while another process writes"
    ) { workspace in
        let changes = workspace.count(1_000_000, quick: 100_000)
        var speeds: [Double] = []
        var (beside, alone): ([CleaningWork.Longest], [CleaningWork.Longest]) = ([], [])
        for _ in 0..<workspace.count(5, quick: 1) {
            let work = try CleaningWork(workspace, changes: changes)
            alone.append(try work.write(beside: { try work.wait(seconds: 1) }))
            beside.append(try work.write(beside: { speeds.append(try work.clean()) }))
            try work.close()
        }
        let count = Quantity.grouped(changes)
        let wait = Measurement(
            "longest wait for the lock during cleaning of \(count) changes", .time, beside.map(\.wait),
            goal: Measurement.Goal(atMost: 0.010)
        ).headlined("A writer's longest wait during cleaning")
        let speed = Measurement(
            "changes cleaned in a second", .count, speeds, goal: Measurement.Goal(atLeast: 500_000)
        ).headlined("Changes cleaned in a second")
        return try [wait, speed] + peers(workspace, wait, speed) + [
            Measurement("longest commit during cleaning", .time, beside.map(\.commit)),
            Measurement("longest commit of a second alone", .time, alone.map(\.commit)),
            trimmingCost(workspace),
        ]
    }

    private static func peers(_ workspace: Workspace, _ wait: Measurement, _ speed: Measurement) throws
        -> [Measurement]
    {
        try HistoryPeers.measured(workspace, for: "F12").flatMap { peer in
            [(wait, peer.longestWait), (speed, peer.changesCleaned)].compactMap { ours, theirs in
                guard let headline = ours.headline, let median = ours.ours?.median, let theirs else {
                    return nil
                }
                return Measurement(
                    headline, ours.unit, Comparison(ours: [median], beside: [theirs]), peer: peer.name,
                    of: headline)
            }
        }
    }
}

extension Figure {
    /// Compares blocks that are long enough for several trims each.
    private static func trimmingCost(_ workspace: Workspace) throws -> Measurement {
        let bounded = try container(workspace, HistoryBounds(maximumChanges: 1000))
        let unbounded = try container(workspace, nil)
        _ = try (secondsPerCommit(bounded), secondsPerCommit(unbounded))
        let comparison = try Comparison(rounds: workspace.count(20, quick: 6)) {
            [try secondsPerCommit(bounded)]
        } beside: {
            [try secondsPerCommit(unbounded)]
        }
        return Measurement(
            "speed of commits that bound history", .time, comparison.asSpeed, beside: "unbounded", goal: nil)
    }

    private static func container(_ workspace: Workspace, _ bounds: HistoryBounds?) throws
        -> PersistentContainer
    {
        let path = workspace.newPath("bounded.db")
        return try blocking {
            var options = StoreOptions()
            options.durability = .normal
            options.historyBounds = bounds
            return try await PersistentContainer(path: path, model: ClipModel.make(), options: options)
        }
    }

    /// Returns the mean, because few commits have the cost.
    private static func secondsPerCommit(_ container: PersistentContainer) throws -> Double {
        let count = 1200
        return try blocking {
            let context = container.makeContext(author: "app")
            let began = Moment.now
            for number in 0..<count {
                try await context.insert(ClipModel.entity, SmallStore.values(number))
                try await context.save()
            }
            return began.secondsSince / Double(count)
        }
    }
}

/// A store with a long history that no consumer needs, its cleaner, and a concurrent writer.
private final class CleaningWork {
    private let cleaner: PersistentContainer
    private let changes: Int

    init(_ workspace: Workspace, changes: Int) throws {
        self.changes = changes
        let path = workspace.newPath("cleaned.db")
        try SmallStore.make(path, clips: 0)
        try Self.fill(path, changes)
        cleaner = try blocking { try await PersistentContainer(path: path, model: ClipModel.make()) }
    }

    /// Fills the history: half inserts, half updates, 500 per transaction.
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
        // Otherwise the first commits would include pending writes to the disk.
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sync()
    }

    /// Cleans and returns the changes per second.
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

    struct Longest {
        var wait = 0.0
        var commit = 0.0
    }

    /// Commits one clip after the other while `work` runs.
    func write(beside work: () throws -> Void) throws -> Longest {
        let isDone = Flag()
        let path = cleaner.path
        let writing = Task.detached {
            let connection = try Connection(path: path, access: .readWrite)
            try connection.execute("PRAGMA synchronous = FULL")
            var longest = Longest()
            var number = 0
            while !isDone.value.withLock({ $0 }) {
                let began = Moment.now
                try connection.execute("BEGIN IMMEDIATE")
                longest.wait = max(longest.wait, began.secondsSince)
                try connection.execute(SampleClip.insertion(number))
                try connection.execute("COMMIT")
                longest.commit = max(longest.commit, began.secondsSince)
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
        let cleaner = cleaner
        try blocking { await cleaner.close() }
    }
}
