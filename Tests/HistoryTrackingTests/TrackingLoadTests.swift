import Dispatch
import Glibc
import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// A tracker under more load than it can show.
@Suite(.serialized) struct TrackingLoadTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    private func parameters(_ contexts: [StoreContext] = []) -> TrackingParameters {
        .quiet("reader", contexts: contexts, cursor: .transient(every: .seconds(1)))
    }

    private func shell(_ sql: String) throws -> String {
        let result = try Shell.run("sqlite3", [container.path], input: ".timeout 5000\n" + sql)
        #expect(result.errors == "")
        return result.output
    }

    @Test func `commits during a pass cause one or two more passes, and each arrives once`()
        async throws
    {
        let (entered, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Atomic(true)
        let consumer = RecordingConsumer(refusing: { _ in
            if isFirst.exchange(false, ordering: .relaxed) {
                entered.signal()
                released.wait()
            }
            return false
        })
        let tracker = HistoryTracker(container: container, parameters: parameters(), consumer: consumer)
        try await tracker.start()
        let insert = "INSERT INTO Note (title) VALUES ('x');"
        let count = LongProof.count(2000, of: 10_000, "commits during a pass")
        _ = try shell(insert)
        #expect(await soon { entered.wait(timeout: .now()) == .success })
        _ = try shell("PRAGMA synchronous = OFF;" + String(repeating: insert, count: count))
        released.signal()
        #expect(consumer.waits(for: count + 1, milliseconds: 60_000))
        let newest = try await container.currentToken()
        #expect(await soon { await tracker.deliveredToken == newest })
        #expect(Set(consumer.numbers).count == count + 1 && consumer.numbers == consumer.numbers.sorted())
        // The first at the start, the one that was blocked, and those that the burst's events caused.
        #expect(await tracker.statistics.passes <= 5)
        await tracker.stop()
    }

    @Test func `between passes a live tracker holds no read transaction, so the log can be emptied`()
        async throws
    {
        let view = container.makeContext(author: "view")
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(
            container: container, parameters: parameters([view]), consumer: consumer)
        try await tracker.start()
        for round in 1...5 {
            #expect(
                try shell(
                    "PRAGMA synchronous = OFF;"
                        + String(repeating: "INSERT INTO Note (title) VALUES ('x');", count: 50)) == "")
            try #require(consumer.waits(for: round * 50, milliseconds: 20_000))
            let newest = try await container.currentToken()
            #expect(await soon { await tracker.deliveredToken == newest })
            // busy, pages in the log, pages written back: sqlite.org/pragma.html#pragma_wal_checkpoint
            try #require(await soon { (try? shell("PRAGMA wal_checkpoint(TRUNCATE);")) == "0|0|0\n" })
            var status = stat()
            #expect(stat(container.path + "-wal", &status) == 0 && status.st_size == 0)
        }
        await tracker.stop()
    }

    @Test func `the log stays small under any number of commits with a live tracker`() async throws {
        let consumer = RecordingConsumer()
        let tracker = HistoryTracker(
            container: container, parameters: parameters([container.makeContext(author: "view")]),
            consumer: consumer)
        try await tracker.start()
        let writer = try LineProcess("sqlite3", [container.path])
        writer.send("PRAGMA synchronous = OFF; PRAGMA busy_timeout = 5000;")
        #expect(try writer.answer() == "5000")
        var largest: Int = 0
        // The log of the smaller number is restarted six times.
        let rounds = LongProof.count(3, of: 20, "thousands of commits with a live tracker")
        for round in 1...rounds {
            writer.send(String(repeating: "INSERT INTO Note (title) VALUES ('x');\n", count: 1000))
            try #require(consumer.waits(for: round * 1000, milliseconds: 20_000))
            var status = stat()
            #expect(stat(container.path + "-wal", &status) == 0)
            largest = max(largest, Int(status.st_size))
        }
        #expect(Set(consumer.numbers).count == rounds * 1000 && consumer.numbers == consumer.numbers.sorted())
        // SQLite restarts the log every 1,000 pages of 4 KiB unless a reader is active.
        #expect(largest < 12 << 20, "the log grew to \(largest) bytes")
        await tracker.stop()
    }

    @Test @MainActor func `a large foreign transaction is merged while the main actor is busy`()
        async throws
    {
        let view = container.makeContext(author: "view")
        let id = try await view.save(inserting: ["title": "a"])
        let consumer = RecordingConsumer()
        let merged = Mutex(0)
        let tracker = HistoryTracker(
            container: container, parameters: parameters([view]), consumer: consumer)
        await tracker.registerMergeObserver { result, _ in merged.withLock { $0 += result.inserted.count } }
        try await tracker.start()
        let count = LongProof.count(20_000, of: 100_000, "foreign changes")
        #expect(
            try shell(
                """
                UPDATE Note SET title = 'theirs';
                WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO Note (title) SELECT 'x' FROM n;
                """) == "")
        // Occupies the main actor for the whole merge.
        #expect(eventually(within: 60) { merged.withLock { $0 } == count })
        #expect(consumer.changes == count + 1)
        #expect(consumer.seen.batches.count >= count / 1000)
        try await view.update(id, ["title": "mine, on theirs"])
        try await view.save()
        await tracker.stop()
    }
}
