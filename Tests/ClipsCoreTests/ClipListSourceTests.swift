import ClipsCore
import Foundation
import HistoryTracking
import LiveQuery
import PersistentStore
import SearchIndex
import Synchronization
import TestSupport
import Testing

/// A live list on a real store, compared with queries of the store.
@Suite struct ClipListSourceTests {
    /// The list of a front end: applies messages in order, and sends requests.
    final class Front: Sendable {
        private let inbox = Mutex<[ClipListMessage]>([])
        private struct State {
            var list: LiveList<ClipRow>
            var generation = 0
            var transactions: [TransactionSummary] = []
            var correction: String?
        }

        private let state: Mutex<State>
        private let session = Mutex<ClipsSession?>(nil)

        init(height: Int) {
            state = Mutex(State(list: LiveList(height: height, minimumMargin: 4)))
        }

        func open(_ path: String, author: String = "app") async throws {
            let opened = try await ClipsSession(path: path, author: author, rowsAround: 12) { messages in
                self.inbox.withLock { $0 += messages }
            }
            session.withLock { $0 = opened }
            try await opened.start()
        }

        var store: ClipStore? { session.withLock { $0?.store } }
        var list: LiveList<ClipRow> { state.withLock { $0.list } }
        var transactions: [TransactionSummary] { state.withLock { $0.transactions } }
        var correction: String? { state.withLock { $0.correction } }
        /// Returns the IDs of all clips of a query, as marking a range of all rows does.
        func allIDs(_ query: ClipQuery) async throws -> [Int64] {
            guard let session = session.withLock({ $0 }) else { return [] }
            change { $0.moveTo(index: 0) }
            await settle()
            let first = list.selectedRow?.position
            change { $0.moveTo(index: $0.count - 1) }
            await settle()
            guard let first, let last = list.selectedRow?.position else { return [] }
            return try await session.source.list.keys(query, from: first, through: last, limit: .max)
        }
        /// Returns the IDs of all clips of a query, as marking all does.
        func ids(_ query: ClipQuery) async throws -> [Int64] {
            try await session.withLock { $0 }?.source.list.keys(query, limit: .max) ?? []
        }
        func change(_ body: (inout LiveList<ClipRow>) -> Void) { state.withLock { body(&$0.list) } }

        func show(_ query: ClipQuery) async {
            let (generation, anchor) = state.withLock { state in
                state.generation += 1
                return (state.generation, state.list.selectedRow?.position)
            }
            await session.withLock { $0 }?.show(query, generation: generation, anchor: anchor)
        }

        /// Applies all messages and answers all requests until none is left.
        func settle() async {
            while true {
                let messages = inbox.withLock { inbox in
                    defer { inbox.removeAll() }
                    return inbox
                }
                let (request, generation) = state.withLock { state in
                    for message in messages { Self.apply(message, to: &state) }
                    return (state.list.nextRequest(), state.generation)
                }
                if let request {
                    await session.withLock { $0 }?.source.list.answer(
                        request, generation: generation, anchor: list.selectedRow?.position)
                } else if messages.isEmpty && inbox.withLock({ $0.isEmpty }) {
                    return
                }
            }
        }

        func close() async {
            let opened = session.withLock { $0 }
            session.withLock { $0 = nil }
            await opened?.stop()
        }

        private static func apply(_ message: ClipListMessage, to state: inout State) {
            switch message {
            case .list(.window(let window, let generation)):
                if generation == state.generation { state.list.replace(window: window) }
            case .list(.more(let rows, let direction, let edge, let number, let generation)):
                if generation == state.generation {
                    state.list.extend(with: rows, direction, reachedEdge: edge, requestNumber: number)
                }
            case .list(.count(let count, let generation)):
                if generation == state.generation { state.list.setCount(count) }
            case .list(.changes(let changes, let generation)):
                if generation == state.generation { state.list.apply(changes: changes) }
            case .list(.transactions(let summaries)): state.transactions += summaries
            case .facets: break
            case .deviates(let deviation, let generation):
                if generation == state.generation { state.correction = deviation.correction }
            case .list, .indexing, .mirror: break
            }
        }
    }

    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "clips.db")
    }

    private func matches(_ front: Front, _ query: ClipQuery, _ store: ClipStore) async throws -> Bool {
        await front.settle()
        let list = front.list
        guard list.isCounted else { return false }
        let ids = try await store.container.read { snapshot in
            let request = FetchRequest("Clip", sort: [query.sort])
            let clips = try snapshot.fetch(request).map { SearchDocument($0, ClipModel.searched) }
            return clips.filter { query.admitsAll ? !$0.isArchived : query.search.matches($0) }.map(\.id)
        }
        guard list.count == ids.count else { return false }
        let loaded = list.rows.map(\.id)
        let expected = ids[min(list.lowerIndex, ids.count)..<min(list.lowerIndex + loaded.count, ids.count)]
        return loaded == Array(expected)
    }

    private func becomesRight(_ front: Front, _ query: ClipQuery, _ store: ClipStore) async throws -> Bool {
        try await soon(within: 30) { try await matches(front, query, store) }
    }

    @Test func `a window reads one snapshot for each commit of another`() async throws {
        _ = StatementSteps.snapshots(path)
        let writer = try await ClipStore(path: path, author: "extension")
        let front = Front(height: 5)
        try await front.open(path)
        func arrives(_ count: Int) async -> Bool {
            await soon {
                await front.settle()
                return front.list.count == count
            }
        }
        #expect(await arrives(0))
        let (before, count) = (StatementSteps.snapshots(path), 40)
        for number in 1...count {
            var draft = ClipDraft()
            draft.title = "clip \(number)"
            _ = try await writer.add(draft)
            #expect(await arrives(number))
        }
        // Few commits become visible only after they are signaled.
        #expect(StatementSteps.snapshots(path) - before < count * 3 / 2)
        await front.close()
    }

    @Test(arguments: 0..<UInt64(LongProof.count(4, of: 12, "seeds of writes to a list")))
    func `the list equals a query of the store after any writes`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed &* 7919 &+ 3)
        let writer = try await ClipStore(path: path, author: "extension")
        let words = ["swift", "sqlite", "中文", "café", "tmux", "history"]
        func draft() -> ClipDraft {
            var draft = ClipDraft()
            draft.title = (0..<3).map { _ in words.randomElement(using: &random) ?? "" }.joined(
                separator: " ")
            draft.tags = [words.randomElement(using: &random) ?? ""]
            return draft
        }
        for _ in 0..<30 { _ = try await writer.add(draft()) }
        let front = Front(height: 5)
        try await front.open(path)
        var query = ClipQuery()
        #expect(try await becomesRight(front, query, writer))
        for step in 0..<60 {
            let ids = try await writer.container.read { try $0.fetch(ClipQuery().request).map(\.id.key) }
            let some = ids.randomElement(using: &random) ?? 1
            switch Int.random(in: 0..<20, using: &random) {
            case 0...2: _ = try await writer.add(draft())
            case 3: _ = try await writer.add((0..<Int.random(in: 2...9, using: &random)).map { _ in draft() })
            case 4: try await writer.delete([some])
            case 5: _ = try await writer.update(some, [.title: .text(draft().title)])
            case 6: _ = try await front.store?.update(some, [.starred: .boolean(true)])
            case 7:  // The position in the order changes.
                _ = try await writer.update(
                    some, [.created: .integer(Int64.random(in: 0...2_000_000_000_000, using: &random))])
            case 8:
                try Shell.run(
                    "sqlite3", [path],
                    input:
                        "BEGIN; UPDATE Clip SET title = title || ' swift' WHERE id % 7 = 1; DELETE FROM Clip WHERE id = \(some); INSERT INTO Clip (title) VALUES ('sqlite'); COMMIT;"
                )
            case 9:
                query.filter =
                    [
                        "", "swift", "中", "CAFÉ", "%", "sqlite his", "tag:sw", "-swift", "is:starred OR 文",
                        "is:archived",
                    ]
                    .randomElement(using: &random) ?? ""
                await front.show(query)
            case 12, 13:
                // All but two of these have no index in the store.
                query.sort =
                    ["title", "tags", "updated", "author", "unread", "starred", "url", "created"]
                    .randomElement(using: &random).flatMap(ClipQuery.sort(named:)) ?? query.sort
                if Bool.random(using: &random) { query.filter = "" }
                await front.show(query)
            case 14: front.change { $0.moveTo(index: Int.random(in: 0..<60, using: &random)) }
            case 15: _ = try await writer.toggle(.archived, of: [some, some + 1])
            case 16:
                try Shell.run(
                    "sqlite3", [path], input: "UPDATE Clip SET archived = NOT archived WHERE id % 5 = 1")
            case 10: front.change { $0.moveToEnd() }
            case 11: front.change { $0.moveToStart() }
            default: front.change { $0.move(by: Int.random(in: -9...9, using: &random)) }
            }
            if Bool.random(using: &random) {
                #expect(try await becomesRight(front, query, writer), "seed \(seed), step \(step)")
            }
        }
        #expect(try await becomesRight(front, query, writer), "seed \(seed), at the end")
        await front.close()
    }

    /// ```
    /// list:   sorted A to Z, in memory   reversed, updated to the snapshot, refreshed
    /// writer:                         "a" and "z"
    /// ```
    /// Both are inserted into the order in memory, at positions of that order.
    @Test(arguments: [
        (ClipQuery(sort: .init("title")), ClipQuery(sort: .init("title", isAscending: false))),
        (ClipQuery(sort: .init("tags", isAscending: false)), ClipQuery(sort: .init("title"))),
    ])
    func `commits just before a change of the order are inserted into the right one`(
        first: ClipQuery, second: ClipQuery
    ) async throws {
        let store = try await ClipStore(path: path, author: "app")
        _ = try await store.add((0..<20).map { titled("m\($0)") })
        let received = Mutex<[ClipListMessage]>([])
        let source = ClipListSource(store: store) { messages in received.withLock { $0 += messages } }
        // Around a position, the whole order is in memory. Without a tracker, only requests find commits.
        let place = try await store.container.read { snapshot in
            snapshot.position(of: ClipModel.objectID(1), [first.sort.attribute: "m"], in: [first.sort])
        }
        await source.list.show(first, generation: 1, anchor: place)
        _ = try await store.add([titled("a"), titled("z"), titled("b")])
        await source.list.show(second, generation: 2, anchor: nil)
        let rows = received.withLock { messages in
            messages.reversed().lazy.compactMap { message -> [ClipRow]? in
                if case .list(.window(let window, generation: 2)) = message { window.rows } else { nil }
            }.first
        }
        let sorted = try await store.container.read { snapshot in
            try snapshot.fetch(second.request).map(\.id.key)
        }
        #expect(rows?.map(\.id) == sorted)
    }

    @Test func `a source that receives a part of the new transactions misses nothing`() async throws {
        let store = try await ClipStore(path: path, author: "app")
        _ = try await store.add([titled("first")])
        let received = Mutex<[ClipListMessage]>([])
        let source = ClipListSource(store: store) { messages in received.withLock { $0 += messages } }
        await source.list.show(ClipQuery(), generation: 1, anchor: nil)
        let start = try await store.container.currentToken()
        for title in ["a", "b", "c"] { _ = try await store.add([titled(title)]) }
        // One at a time, as from a tracker that isolates the transaction at which a step throws.
        try await store.container.read { snapshot in
            for transaction in try snapshot.transactions(HistoryFetchRequest(.after(start))) {
                try source.consume([transaction], in: snapshot)
            }
        }
        let summaries = received.withLock { $0 }.flatMap { message in
            if case .list(.transactions(let summaries)) = message {
                summaries
            } else {
                [TransactionSummary]()
            }
        }
        #expect(summaries.map(\.inserted) == [1, 1, 1])
        #expect(Set(summaries.map(\.id)).count == 3)
    }

    @Test func `the cursor remains on its clip and its row during other writes`() async throws {
        let writer = try await ClipStore(path: path, author: "app")
        for number in 0..<40 { _ = try await writer.add(titled("\(number)")) }
        let front = Front(height: 10)
        try await front.open(path)
        #expect(try await becomesRight(front, ClipQuery(), writer))
        front.change { $0.move(by: 15) }
        await front.settle()
        let before = front.list
        let id = try #require(before.selectedID)
        // The same author in another session: two apps of the same author see each other's commits.
        for number in 0..<25 { _ = try await writer.add(titled("new \(number)")) }
        try await writer.delete([try #require(before.rows.first?.id)])
        #expect(try await becomesRight(front, ClipQuery(), writer))
        let after = front.list
        #expect(after.selectedID == id)
        #expect(after.selectedIndex - after.top == before.selectedIndex - before.top)
        #expect(front.transactions.allSatisfy { !$0.isOwn })
        await front.close()
    }

    @Test func `a batch too large for changes causes a full refresh`() async throws {
        let writer = try await ClipStore(path: path, author: "extension")
        _ = try await writer.add(titled("first"))
        let front = Front(height: 10)
        try await front.open(path)
        #expect(try await becomesRight(front, ClipQuery(), writer))
        _ = try await writer.add((0..<3000).map { titled("\($0)") })
        #expect(try await becomesRight(front, ClipQuery(), writer))
        #expect(front.list.count == 3001)
        await front.close()
    }

    @Test func `thousands of commits of other writers in one batch yield an exact list`() async throws {
        let writer = try await ClipStore(path: path, author: "extension")
        _ = try await writer.add(titled("first"))
        let front = Front(height: 10)
        try await front.open(path)
        #expect(try await becomesRight(front, ClipQuery(), writer))
        let id = try #require(front.list.selectedID)
        let count = LongProof.count(2500, of: 10_000, "commits of other writers in one batch")
        // The front end waits: the messages up to then are drawn once.
        let insert = "INSERT INTO Clip (title) VALUES ('x');"
        let sql = ".timeout 5000\nPRAGMA synchronous = OFF;" + String(repeating: insert, count: count)
        #expect(try Shell.run("sqlite3", [path], input: sql).errors == "")
        #expect(try await becomesRight(front, ClipQuery(), writer))
        #expect(front.list.count == count + 1 && front.list.selectedID == id)
        await front.close()
    }

    @Test func `a filter without matches shows those of close words, and reports them`() async throws {
        let writer = try await ClipStore(path: path, author: "extension")
        _ = try await writer.add(["Swift one", "Rust", "A swift"].map(titled))
        try await writer.updateIndex()
        let front = Front(height: 10)
        try await front.open(path)
        for (filter, correction) in [("swft", "swift"), ("swift", nil), ("swft", "swift"), ("", nil)] {
            await front.show(ClipQuery(filter: filter))
            let shown = ClipQuery(filter: correction ?? filter)
            #expect(try await becomesRight(front, shown, writer), "\(filter)")
            #expect(front.correction == correction, "\(filter)")
        }
        await front.show(ClipQuery(filter: "swft"))
        _ = try await writer.add(["swift again", "swft"].map(titled))
        let deadline = Date().addingTimeInterval(30)
        while front.list.count != 4, Date() < deadline { await front.settle() }
        #expect(front.list.count == 4)
        await front.close()
    }

    @Test(arguments: [ClipQuery.newestFirst, SortKey("title")])
    func `filtering, sorting, and ranges include thousands of matches`(sort: SortKey) async throws {
        let writer = try await ClipStore(path: path, author: "extension")
        let count = LongProof.count(9000, of: 24_000, "clips, of which one half match")
        let insert = """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO Clip (title, created) SELECT iif(i % 2, 'odd ', 'even ') || (i * 7919 % 24001), i FROM n;
            """
        #expect(try Shell.run("sqlite3", [path], input: insert).errors == "")
        try await writer.updateIndex()
        let front = Front(height: 10)
        try await front.open(path)
        let query = ClipQuery(filter: "even", sort: sort)
        await front.show(query)
        #expect(try await becomesRight(front, query, writer))
        #expect(front.list.count == count / 2)
        #expect(Set(try await front.allIDs(query)).count == count / 2)
        // The same while the matches are being found.
        for ranksWords in [false, true] {
            var other = ClipQuery(filter: "odd", sort: sort)
            other.ranksWords = ranksWords
            await front.show(other)
            #expect(Set(try await front.ids(other)).count == count / 2)
        }
        await front.close()
    }

    private func titled(_ title: String) -> ClipDraft {
        var draft = ClipDraft()
        draft.title = title
        return draft
    }
}
