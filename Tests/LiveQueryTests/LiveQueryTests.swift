import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

@testable import LiveQuery

/// The public surface of a live query.
@Suite struct LiveQueryTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let writer: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        writer = container.makeContext(author: "writer")
    }

    private func insert(_ titles: [String]) async throws {
        for title in titles { try await writer.insert("Note", ["title": .text(title)]) }
        try await writer.save()
    }

    private static let byTitle = FetchRequest("Note", sort: [SortKey("title")])

    @Test func `rows of another type are made once for each version of an object`() async throws {
        try await insert(["b", "a"])
        let made = Counter()
        let live = try await LiveFetch(Self.byTitle, in: container) { object in
            made.add()
            return object["title"].textValue ?? ""
        }
        var snapshots = live.snapshots.makeAsyncIterator()
        #expect(try await snapshots.next()?.rows == ["a", "b"])
        try await insert(["ab"])
        let second = try #require(try await snapshots.next())
        #expect(second.rows == ["a", "ab", "b"] && second.difference.inserted == [1])
        let id = second.ids[2]
        try await writer.update(id, ["title": "0"])
        try await writer.save()
        let third = try #require(try await snapshots.next())
        #expect(third.rows == ["0", "a", "ab"] && third.difference.moves == [.init(from: 2, to: 0)])
        #expect(third.difference.updated == [0])
        #expect(made.count == 4)
    }

    /// The note of the other tests, as a record.
    struct NoteRecord: Record {
        var title = ""
        var body: String?
        var rank = 0

        static let entity = RecordEntity<NoteRecord>("Note") {
            RecordAttribute(\.title)
            RecordAttribute(\.body)
            RecordAttribute(\.rank)
        }
    }

    @Test func `the rows of a request for records are records`() async throws {
        try await insert(["b", "a"])
        let request = RecordRequest<NoteRecord>(where: \.rank < 1, sort: [.ascending(\.title)])
        let live = try await LiveFetch(request, in: container)
        var snapshots = live.snapshots.makeAsyncIterator()
        let first = try #require(try await snapshots.next())
        #expect(first.rows.map(\.title) == ["a", "b"])
        try await writer.update(first.rows[0]) { $0.title = "c" }
        try await writer.save()
        #expect(try await snapshots.next()?.rows.map(\.title) == ["b", "c"])
    }

    @Test func `an error of the row's closure ends the iteration`() async throws {
        struct Unreadable: Error {}
        try await insert(["a"])
        let live = try await LiveFetch(Self.byTitle, in: container) { _ -> Int in throw Unreadable() }
        await #expect(throws: Unreadable.self) { for try await _ in live.snapshots {} }
    }

    @Test func `an iteration that is slow sees the newest state, and one difference to it`() async throws {
        try await insert(["m"])
        let live = try await LiveFetch(Self.byTitle, in: container)
        var slow = live.snapshots.makeAsyncIterator()
        let first = try #require(try await slow.next())
        let quick = LiveQueryFollower(live)
        for number in 0..<200 { try await insert(["n\(number)"]) }
        try await writer.delete(first.ids[0])
        try await writer.save()
        // There are 200 rows before the last insert, too.
        #expect(
            await soon {
                quick.seen.newest.map { $0.count == 200 && !$0.ids.contains(first.ids[0]) } ?? false
            })
        let second = try #require(try await slow.next())
        #expect(second.count == 200 && second.difference.inserted.count == 200)
        #expect(second.difference.removed == [0])
        #expect(first.rows.applying(second.difference, from: second.rows) == second.rows)
        #expect(quick.seen.errors.isEmpty)
    }

    @Test func `the window at the start shows new rows; elsewhere it remains on its rows`() async throws {
        try await insert((10..<40).map(String.init))
        var request = Self.byTitle
        request.limit = 5
        request.offset = 20
        let live = try await LiveFetch(request, in: container)
        var snapshots = live.snapshots.makeAsyncIterator()
        let first = try #require(try await snapshots.next())
        #expect(first.firstIndex == 20 && first.rows.map { $0["title"] } == ["30", "31", "32", "33", "34"])
        try await insert(["00", "01"])
        let second = try #require(try await snapshots.next())
        #expect(second.firstIndex == 22 && second.ids == first.ids && second.count == 32)
        // The first row moves away; the window remains.
        try await writer.update(first.ids[0], ["title": "05"])
        try await writer.save()
        let third = try #require(try await snapshots.next())
        #expect(third.firstIndex == 23 && third.rows[0]["title"] == "31" && third.rows.count == 5)
        live.moveWindow(to: .start)
        #expect(try await snapshots.next()?.rows[0]["title"] == "00")
        try await insert(["000"])
        #expect(try await snapshots.next()?.rows.map { $0["title"] } == ["00", "000", "01", "05", "10"])
        live.moveWindow(to: .start, count: 2)
        #expect(try await snapshots.next()?.rows.count == 2)
    }

    @Test func `a window at the end has as many rows as there are`() async throws {
        try await insert((10..<40).map(String.init))
        var request = Self.byTitle
        request.limit = 5
        let live = try await LiveFetch(request, in: container)
        live.moveWindow(to: .index(1_000_000))
        let follower = LiveQueryFollower(live)
        #expect(await soon { follower.seen.newest?.firstIndex == 25 })
        for id in try await container.objects(Self.byTitle).suffix(28).map(\.id) {
            try await writer.delete(id)
        }
        try await writer.save()
        #expect(await soon { follower.seen.newest?.rows.map { $0["title"] } == ["10", "11"] })
        #expect(follower.seen.newest?.firstIndex == 0 && follower.seen.errors.isEmpty)
    }

    @Test func `an unknown attribute is an error at the start`() async throws {
        await #expect(throws: StoreError.unknownAttribute("none", entity: "Note")) {
            try await LiveFetch(FetchRequest("Note", sort: [SortKey("none")]), in: container)
        }
    }

    @Test(arguments: [
        "UPDATE store_metadata SET value = value + 1 WHERE key = 'model_version';"
            + "UPDATE store_metadata SET value = 'other' WHERE key = 'model'; CREATE TABLE other (id)",
        "DROP TABLE Note", "DROP TABLE history", "ALTER TABLE Note RENAME COLUMN rank TO grade",
    ])
    func `a query of a store that becomes unreadable reports the error in its state`(sql: String) async throws
    {
        try await insert(["a"])
        let live = try await LiveFetch(Self.byTitle, in: container)
        let follower = LiveQueryFollower(live)
        #expect(await soon { follower.seen.newest?.state == .live })
        #expect(try Shell.run("sqlite3", [container.path, sql]).errors == "")
        #expect(
            await soon {
                switch follower.seen.newest?.state {
                case .failing(.store(.newerStore)), .failing(.store(.schemaChanged)): true
                default: false
                }
            })
    }

    @Test func `a window of zero rows or less has the count only`() async throws {
        try await insert(["b", "a"])
        for limit in [0, -1] {
            var request = Self.byTitle
            request.limit = limit
            let live = try await LiveFetch(request, in: container)
            var snapshots = live.snapshots.makeAsyncIterator()
            let first = try #require(try await snapshots.next())
            #expect(first.rows.isEmpty && first.count == 2)
            live.moveWindow(to: .start, count: 1)
            #expect(try await snapshots.next()?.rows.map { $0["title"] } == ["a"])
            live.moveWindow(to: .start, count: limit)
            #expect(try await snapshots.next()?.rows.isEmpty == true)
        }
    }

    @Test func `an iteration ends with the state of a stopped query`() async throws {
        let live = try await LiveFetch(Self.byTitle, in: container)
        let follower = LiveQueryFollower(live)
        #expect(await soon { follower.seen.newest?.state == .live })
        await live.stop()
        #expect(await soon { follower.seen.hasEnded })
        #expect(follower.seen.newest?.state == .stopped)
        var late = live.snapshots.makeAsyncIterator()
        #expect(try await late.next()?.state == .stopped)
        #expect(try await late.next() == nil)
    }

    @Test func `an iteration ends when the container is closed, and so does a later one`() async throws {
        let live = try await LiveFetch(Self.byTitle, in: container)
        let (follower, other) = (LiveQueryFollower(live), LiveQueryFollower(live))
        #expect(await soon { follower.seen.newest?.state == .live && other.seen.newest != nil })
        await container.close()
        #expect(await soon { follower.seen.hasEnded && other.seen.hasEnded })
        #expect(follower.seen.newest?.state == .stopped)
        var late = live.snapshots.makeAsyncIterator()
        #expect(try await late.next()?.state == .stopped)
        #expect(try await late.next() == nil)
        await live.stop()
    }

    @Test func `a query of an entity without history is rejected with the remedy`() async throws {
        let other = try TemporaryFolder()
        let untracked = try await Notes.open(other, model: Notes.model(tracksHistory: false))
        let error = await #expect(throws: StoreError.untracked(entity: "Note")) {
            try await LiveFetch(Self.byTitle, in: untracked)
        }
        #expect(error.map { "\($0)".contains("Set 'tracksHistory' of the entity to true") } == true)
    }

    @Test func `a canceled iteration ends, and another one continues`() async throws {
        let live = try await LiveFetch(Self.byTitle, in: container)
        let (canceled, other) = (LiveQueryFollower(live), LiveQueryFollower(live))
        #expect(await soon { canceled.seen.newest != nil })
        canceled.cancel()
        #expect(await soon { canceled.seen.hasEnded })
        try await insert(["a"])
        #expect(await soon { other.seen.newest?.count == 1 })
    }

    @Test func `a query that is no longer used is deallocated`() async throws {
        weak var feed: LiveFeed?
        weak var query: LiveFetch<StoredObject>?
        do {
            let live = try await LiveFetch(Self.byTitle, in: container)
            (feed, query) = (live.feed, live)
            let follower = LiveQueryFollower(live)
            try await insert(["a"])
            #expect(await soon { follower.seen.newest?.count == 1 })
        }
        #expect(await soon { query == nil && feed == nil })
        // Commits still reach the container's other readers.
        try await insert(["b"])
    }

    @Test func `a query of a store that is open read-only follows another process`() async throws {
        try await insert(["a"])
        var options = StoreOptions()
        options.access = .readOnly
        let reader = try await Notes.open(folder, options: options)
        let follower = LiveQueryFollower(try await LiveFetch(Self.byTitle, in: reader))
        try await insert(["b"])
        #expect(await soon { follower.seen.newest?.rows.map { $0["title"] } == ["a", "b"] })
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)
    func add() { value.withLock { $0 += 1 } }
    var count: Int { value.withLock { $0 } }
}
