import ClipsCore
import Foundation
import HistoryTracking
import LiveQuery
import PersistentStore
import SearchIndex
import Synchronization
import TestSupport
import Testing

/// Every change reaches every follower exactly once, regardless of its writer: at the end, the results of a
/// tracker, a live list, the search index, and `clips history --follow` equal the tables.
@Suite(.serialized) struct FollowerOracleTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    /// Reads again each object that a change names, and no other.
    final class Replica: HistoryConsumer {
        private let state = Mutex<(titles: [Int64: String], changes: [Int64])>(([:], []))
        var titles: [Int64: String] { state.withLock { $0.titles } }
        var changes: [Int64] { state.withLock { $0.changes } }

        func refresh(from snapshot: borrowing StoreSnapshot) throws {
            let titles = try FollowerOracleTests.titles(FetchRequest("Clip"), snapshot)
            state.withLock { $0 = (titles, []) }
        }

        func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
            let changes = transactions.flatMap(\.changes)
            let keys = Set(changes.map(\.objectID.key))
            let titles = try FollowerOracleTests.titles(
                FetchRequest("Clip", where: .keys(Array(keys))), snapshot)
            state.withLock { state in
                state.changes += changes.map(\.number)
                for key in keys { state.titles[key] = titles[key] }
            }
        }
    }

    /// External writers: Python with several connections that commit each statement. `A sql` runs it on
    /// connection A.
    struct Python {
        let process: LineProcess

        init(_ store: String) throws {
            let script = """
                import sqlite3, sys
                connections = {n: sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30) for n in "ABC"}
                for line in iter(sys.stdin.readline, ""):
                    name, sql = line.rstrip("\\n").split(" ", 1)
                    for statement in sql.split(";;"):
                        connections[name].execute(statement).fetchall()
                    print("ok", flush=True)
                """
            process = try LineProcess("python3", ["-c", script, store])
        }

        func run(_ connection: String, _ sql: String) throws {
            #expect(try process.ask("\(connection) \(sql)", within: 60) == "ok")
        }
    }

    /// All followers of one store.
    struct Followers {
        let store: ClipStore
        let replica = Replica()
        let tracker: HistoryTracker
        let front = ClipListSourceTests.Front(height: 400)
        let index: SearchIndex
        let feed: LineProcess
        let start: HistoryToken

        init(_ clips: ClipsProgram, options: StoreOptions) async throws {
            store = try await ClipStore(path: clips.storePath, author: "app", options: options)
            let reader = try await ClipStore.openToRead(path: clips.storePath, author: "app")
            var parameters = TrackingParameters(name: "replica")
            (parameters.cleaning, parameters.logger) = (.none, nil)
            tracker = HistoryTracker(
                container: reader.container, parameters: parameters, consumer: replica)
            start = try await store.container.currentToken()
            try await tracker.start()
            try await front.open(clips.storePath, author: "window")
            index = SearchIndex(reader.container, ClipModel.searched)
            feed = try LineProcess(
                "env",
                clips.environment.map { "\($0.key)=\($0.value)" } + [
                    ClipsProgram.path, "history", "--follow", "--json", "--after", "\(start)",
                ])
        }

        /// Lets every follower move its cursor to the newest commit.
        func catchUp() async throws {
            let newest = try await store.container.currentToken()
            #expect(await soon { await tracker.deliveredToken == newest })
            await front.settle()
            #expect(try await index.bringUpToDate() == .ready)
        }

        func expectTables() async throws {
            let end = try await store.add([FollowerOracleTests.draft("end")])
            #expect(!end.isEmpty)
            try await catchUp()
            let (titles, order, changes) = try await store.container.read { snapshot in
                let request = FetchRequest("Clip", sort: [ClipQuery().sort])
                return (
                    try FollowerOracleTests.titles(request, snapshot),
                    try snapshot.fetch(request).map(\.id.key),
                    try snapshot.changes(HistoryFetchRequest(.after(start)))
                )
            }
            #expect(replica.titles == titles)
            #expect(replica.changes == changes.map(\.number))
            let isRight = await soon {
                await front.settle()
                let list = front.list
                let expected = order.dropFirst(list.lowerIndex).prefix(list.rows.count)
                return list.isCounted && list.count == order.count && list.rows.map(\.id) == Array(expected)
                    && list.rows.allSatisfy { $0.title == titles[$0.id] }
            }
            #expect(isRight)
            try await expectIndex(titles)
            let lines = try feedLines(until: changes.last?.number ?? 0)
            #expect(lines.map(\.change) == changes.map(\.number))
            var known = Set<Int64>()
            for line in lines {
                if line.kind == "delete" { known.remove(line.object) } else { known.insert(line.object) }
            }
            #expect(known == Set(titles.keys))
        }

        private func expectIndex(_ titles: [Int64: String]) async throws {
            let (index, bounds) = (index, SearchBounds(limit: 10))
            let found = try await index.container.read { snapshot in
                try titles.mapValues { title in
                    try index.search(SearchQuery(title), bounds: bounds, in: snapshot).hits.map(\.id)
                }
            }
            for (id, hits) in found { #expect(hits == [id]) }
        }

        private struct Line: Decodable {
            struct Change: Decodable {
                let change: Int64
                let kind: String
                let object: Int64
            }

            let changes: [Change]
        }

        private func feedLines(until last: Int64) throws -> [Line.Change] {
            var changes: [Line.Change] = []
            while changes.last.map({ $0.change < last }) ?? true {
                let line = try feed.answer()
                changes += try JSONDecoder().decode(Line.self, from: Data(line.utf8)).changes
            }
            return changes
        }

        func stop() async {
            await tracker.stop()
            await front.close()
            await index.container.close()
            await store.container.close()
        }
    }

    static func titles(_ request: FetchRequest, _ snapshot: borrowing StoreSnapshot) throws -> [Int64: String]
    {
        let clips = try snapshot.fetch(request)
        return Dictionary(uniqueKeysWithValues: clips.map { ($0.id.key, $0["title"].textValue ?? "") })
    }

    static func draft(_ title: String) -> ClipDraft {
        var draft = ClipDraft()
        draft.title = title
        return draft
    }

    /// A statement of an external writer; each title is a word of its own.
    private static func statement(_ step: Int, _ ids: [Int64], using random: inout SeededRandom) -> String {
        let id = ids.randomElement(using: &random) ?? 1
        let other = ids.randomElement(using: &random) ?? 1
        return switch Int.random(in: 0..<8, using: &random) {
        case 0...2: "INSERT INTO Clip (title) VALUES ('word\(step)x')"
        case 3: "INSERT INTO Clip (title) VALUES ('word\(step)x'), ('word\(step)y'), ('word\(step)z')"
        case 4: "UPDATE Clip SET title = 'word\(step)x' WHERE id = \(id)"
        case 5: "DELETE FROM Clip WHERE id = \(id)"
        case 6: "INSERT OR REPLACE INTO Clip (id, title) VALUES (\(id), 'word\(step)x')"
        default: "REPLACE INTO Clip (id, title) VALUES (\(id), 'word\(step)x'), (\(other), 'word\(step)y')"
        }
    }

    /// ```
    /// ours:      saves with a clock that is an hour ahead: the newest timestamp is later than now
    /// python A:                insert            insert            ...
    /// python B:                         insert            insert   ...
    /// followers:                     all read between any two of them
    /// ```
    @Test func `with a newest timestamp an hour ahead, no commit of two connections is lost`() async throws {
        let clock = SettableClock()
        clock.set(Int64(Date().timeIntervalSince1970 * 1000) + 3_600_000)
        let followers = try await Followers(clips, options: clock.options())
        let python = try Python(clips.storePath)
        _ = try await followers.store.add([Self.draft("ahead")])
        try await followers.catchUp()
        // One more change of no history on each connection than on the one before: what each then counts of
        // its changes is what a statement of the one before would count next.
        try python.run("B", "CREATE TEMP TABLE own (x);;INSERT INTO own VALUES (1)")
        try python.run(
            "C", "CREATE TEMP TABLE own (x);;INSERT INTO own VALUES (1);;INSERT INTO own VALUES (2)")
        for round in 0..<10 {
            for connection in ["A", "B", "C"] {
                try python.run(connection, "INSERT INTO Clip (title) VALUES ('round\(round)\(connection)')")
                try await followers.catchUp()
            }
        }
        try await followers.expectTables()
        await followers.stop()
    }

    @Test(arguments: 0..<3)
    func `followers that read after each statement of any writer equal the tables`(seed: UInt64)
        async throws
    {
        var random = SeededRandom(seed: seed &* 31 &+ 7)
        let followers = try await Followers(clips, options: StoreOptions())
        let python = try Python(clips.storePath)
        for step in 0..<60 {
            let ids = try await followers.store.container.read {
                try $0.fetch(FetchRequest("Clip")).map(\.id.key)
            }
            let sql = Self.statement(step, ids, using: &random)
            switch ["A", "B", "C", nil].randomElement(using: &random) ?? nil {
            case let connection?: try python.run(connection, sql)
            case nil: _ = try await followers.store.add([Self.draft("word\(step)x")])
            }
            if Bool.random(using: &random) { try await followers.catchUp() }
        }
        try await followers.expectTables()
        await followers.stop()
    }

    @Test func `followers of writers that commit at full speed equal the tables`() async throws {
        let followers = try await Followers(clips, options: StoreOptions())
        _ = try await followers.store.add((1...40).map { Self.draft("first\($0)x") })
        await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(writer) + 1)
                    let python = try Python(clips.storePath)
                    for step in 0..<40 {
                        let sql = (0..<5).map { part in
                            Self.statement(writer * 10_000 + step * 10 + part, Array(1...60), using: &random)
                        }
                        try python.run(["A", "B", "C"][step % 3], sql.joined(separator: ";;"))
                    }
                }
            }
            group.addTask {
                for step in 0..<60 {
                    _ = try await followers.store.add([Self.draft("own\(step)x")])
                    if step % 5 == 0 { _ = try await followers.index.bringUpToDate() }
                }
            }
        }
        try await followers.expectTables()
        await followers.stop()
    }
}
