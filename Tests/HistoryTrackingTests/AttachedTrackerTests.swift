import Foundation
import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// A tracker on another program's database, while the owner writes.
@Suite struct AttachedTrackerTests {
    /// A copy of a table: of all rows at first, then of the changes after exactly that state.
    private final class Copy: HistoryConsumer {
        let rows = Mutex<[AttributeValue: AttributeValue]>([:])
        let refreshes = Mutex(0)
        let batchLimit = BatchLimit.split(7)

        func refresh(from snapshot: borrowing StoreSnapshot) throws {
            refreshes.withLock { $0 += 1 }
            var all: [AttributeValue: AttributeValue] = [:]
            for table in try snapshot.attachedTables() {
                try snapshot.forEachRow(of: table.name) { key, values in
                    all[key["k"] ?? .null] = values["v"]
                    return true
                }
            }
            rows.withLock { $0 = all }
        }

        func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
            rows.withLock { rows in
                for change in transactions.flatMap(\.changes) {
                    rows[change.key["k"] ?? .null] = change.kind == .delete ? nil : change.newValues["v"]
                }
            }
        }

        func trackingDidChange(_ state: TrackingState) {}
    }

    private static let writer = """
        import random, sqlite3, sys
        c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
        c.execute("PRAGMA synchronous = OFF")
        random.seed(int(sys.argv[2]))
        for i in range(1500):
            k = "k%d" % random.randint(0, 400)
            if random.random() < 0.2: c.execute("DELETE FROM t WHERE k = ?", (k,))
            else: c.execute("REPLACE INTO t VALUES (?, ?)", (k, i))
        print("done")
        """

    @Test func `a tracker copies the rows, follows two writers, and continues after a restart`() async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "owned.db")
        _ = try Shell.run(
            "sqlite3",
            [path, "CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES ('old', 1)"])
        let container = try await PersistentContainer(
            attachingTo: path, tables: ["t"], values: .rows, allowsWAL: true)
        let copy = Copy()
        func track() async throws -> HistoryTracker {
            let tracker = HistoryTracker(
                container: container, parameters: TrackingParameters(name: "copy"), consumer: copy)
            try await tracker.start()
            return tracker
        }
        func isEqual() throws -> Bool {
            let rows = try Shell.run("sqlite3", [path, "SELECT k, v FROM t"]).output
            let expected = Set(rows.split(separator: "\n").map(String.init))
            return copy.rows.withLock { rows in
                Set(rows.map { "\($0.key.textValue ?? "")|\($0.value.integerValue ?? -1)" }) == expected
            }
        }
        var writers = try (0..<2).map {
            try LineProcess("python3", ["-u", "-c", Self.writer, path, "\($0)"])
        }
        var tracker = try await track()
        for writer in writers { #expect(try writer.answer() == "done") }
        #expect(try await soon { try isEqual() })
        await tracker.stop()
        writers = [try LineProcess("python3", ["-u", "-c", Self.writer, path, "3"])]
        #expect(try writers[0].answer() == "done")
        tracker = try await track()
        #expect(try await soon { try isEqual() })
        // The second start continued at its cursor.
        #expect(copy.refreshes.withLock { $0 } == 1)
        await tracker.stop()
    }
}
