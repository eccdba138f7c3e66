import ClipsCore
import PersistentStore
import SearchIndex
import TestSupport
import Testing

/// A read of all clips has each of them once, even if another process changes the values that order them.
struct MovingClipTests {
    let folder: TemporaryFolder
    let store: ClipStore
    private static let count = 1000

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        try Shell.run(
            "sqlite3",
            [
                store.path,
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count))
                INSERT INTO Clip (title, url, created, unread)
                SELECT 'word', printf('https://example.com/%05d', i), i, 1 FROM n
                """,
            ])
        try await store.updateIndex()
    }

    /// Moves the second half to the beginning, and the first half to the end.
    private func move() throws {
        let half = Self.count / 2
        try Shell.run(
            "sqlite3",
            [
                store.path,
                """
                UPDATE Clip SET created = created + CASE WHEN created > \(half) THEN -9000 ELSE 9000 END,
                url = 'https://example.com/' || CASE WHEN created > \(half) THEN '0' ELSE 'x' END || id
                """,
            ])
    }

    @Test(arguments: ["", "word", "is:unread"], [("created", false), ("created", true), ("url", true)])
    func `a list has each clip once while clips move`(filter: String, sort: (String, Bool)) async throws {
        let order = SortKey(sort.0, isAscending: sort.1)
        let query = ClipQuery(filter: filter, sort: order, includesArchived: true)
        var ids: [Int64] = []
        try await store.forEachClip(query) { clip in
            if ids.count == 10 { try move() }
            ids.append(clip.id)
        }
        #expect(ids.sorted() == Array(1...Int64(Self.count)))
        #expect(ids == (sort.1 ? ids.sorted() : ids.sorted(by: >)))
    }

    @Test(arguments: [SearchSort.newest, .relevance])
    func `a search has each clip once while clips move`(sort: SearchSort) async throws {
        var search = ClipSearch(SearchQuery("word"), sort: sort, limit: .max, in: store)
        var ids: [Int64] = []
        while let clips = try await search.next() {
            if ids.isEmpty { try move() }
            ids += clips.map(\.id)
        }
        #expect(ids.sorted() == Array(1...Int64(Self.count)))
        #expect(search.isAtEnd)
    }

    @Test func `all unread clips are marked as read, and none for a limit of zero`() async throws {
        #expect(try await store.ids(matching: ClipQuery(filter: "word"), limit: 0).isEmpty)
        #expect(try await store.ids(matching: ClipQuery(), limit: 0).isEmpty)
        #expect(try await store.ids(matching: ClipQuery(), limit: 3) == [1000, 999, 998])
        #expect(try await store.markAsRead(ClipQuery(filter: "word")).value.count == Self.count)
    }
}
