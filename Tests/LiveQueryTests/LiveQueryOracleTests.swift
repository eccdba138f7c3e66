import HistoryTracking
import LiveQuery
import PersistentStore
import TestSupport
import Testing

/// Live queries compared with the tables, while two connections and another program write in every order.
@Suite struct LiveQueryOracleTests {
    static let requests: [FetchRequest] = {
        let recorded = SortKey("label", isAscending: false)
        let some = ObjectPredicate.contains("title", "a")
        return [
            FetchRequest("Note", limit: 7),
            FetchRequest("Note"),
            FetchRequest("Note", sort: [recorded], limit: 7),
            FetchRequest("Note", sort: [SortKey("title")], limit: 7),
            FetchRequest("Note", sort: [SortKey("rank")], limit: 7),
            FetchRequest("Note", sort: [SortKey("rank", isAscending: false), SortKey("body")]),
            FetchRequest("Note", sort: [SortKey("body", isAscending: false), .id], limit: 5),
            FetchRequest("Note", where: some, sort: [recorded, SortKey("title")], limit: 5),
            FetchRequest("Note", where: .not(some), sort: [SortKey("rank")]),
            FetchRequest("Note", where: .compare("rank", .greater, 3), limit: 7),
        ]
    }()

    let folder: TemporaryFolder
    let container: PersistentContainer
    let other: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        let label = AttributeDescription(
            "label", .text, defaultValue: .value(""), isIndexed: true, ignoresCase: true,
            history: [.preservesValueOnDeletion, .recordsOldValue])
        let model = try Notes.model(more: [label])
        container = try await Notes.open(folder, model: model)
        other = try await Notes.open(folder, model: model)
    }

    private static func values(_ random: inout SeededRandom) -> [String: AttributeValue] {
        let letters = ["a", "B", "c", "A", "d"]
        func text() -> AttributeValue {
            .text((0..<2).map { _ in letters.randomElement(using: &random) ?? "" }.joined())
        }
        return [
            "title": text(), "label": text(), "rank": .integer(Int64(random.below(8))),
            "body": random.chance(0.5) ? .null : text(),
        ]
    }

    /// Whether the newest snapshot equals the table.
    private func isCurrent(_ follower: LiveQueryFollower, _ request: FetchRequest) async throws -> Bool {
        guard let newest = follower.seen.newest else { return false }
        var all = request
        all.limit = nil
        let objects = try await container.objects(all)
        let end = min(objects.count, newest.firstIndex + (request.limit ?? objects.count))
        return newest.count == objects.count && newest.firstIndex <= end
            && newest.rows == Array(objects[newest.firstIndex..<end])
    }

    @Test(arguments: requests.indices, 0..<UInt64(LongProof.count(1, of: 2, "seeds of writes to a query")))
    func `a live query equals the table after any writes`(request index: Int, seed: UInt64) async throws {
        let request = Self.requests[index]
        var random = SeededRandom(seed: seed &* 101 &+ UInt64(index))
        let contexts = [container, other].map { $0.makeContext(author: "writer") }
        for context in contexts { await context.setMergePolicy(.byPropertyObjectTrumps) }
        for _ in 0..<20 { try await contexts[0].insert("Note", Self.values(&random)) }
        try await contexts[0].save()
        let live = try await LiveFetch(request, in: container)
        let follower = LiveQueryFollower(live)
        for step in 0..<LongProof.count(25, of: 50, "writes to a query") {
            let context = contexts[random.below(2)]
            let ids = try await other.objects().map(\.id)
            let some = ids.randomElement(using: &random)
            switch random.below(11) {
            case 0...2: try await context.insert("Note", Self.values(&random))
            case 3: for _ in 0..<random.below(20) { try await context.insert("Note", Self.values(&random)) }
            case 4, 5:
                // Deletes, then restores in one of two ways, or does not.
                guard let some else { continue }
                try await context.delete(some)
            case 6...8:
                guard let some, let object = try await context.object(some) else { continue }
                try await context.update(object.id, Self.values(&random))
            case 9:
                let sql = """
                    BEGIN; UPDATE Note SET label = label || 'x', rank = rank + 1 WHERE id % 5 = \(step % 5); \
                    DELETE FROM Note WHERE id = \(some?.key ?? 0); INSERT INTO Note (title) VALUES ('ab'); \
                    UPDATE Note SET title = 'b' WHERE id = (SELECT max(id) FROM Note); COMMIT;
                    """
                #expect(try Shell.run("sqlite3", [container.path, ".timeout 5000", sql]).errors == "")
            default:
                let windows: [WindowPosition] = [.start, .end, .index(random.below(60))]
                if request.limit != nil { live.moveWindow(to: windows[random.below(3)]) }
            }
            _ = try await context.save()
            if random.chance(0.4) {
                #expect(
                    try await soon { try await isCurrent(follower, request) },
                    "request \(index), seed \(seed), step \(step): \(String(describing: follower.seen.newest))"
                )
            }
        }
        #expect(try await soon { try await isCurrent(follower, request) })
        #expect(follower.seen.errors.isEmpty)
        await live.stop()
        #expect(await soon { follower.seen.hasEnded })
    }

    @Test func `a live query equals the table while the history is purged`() async throws {
        let request = FetchRequest("Note", sort: [SortKey("label")], limit: 10)
        let live = try await LiveFetch(request, in: container)
        let follower = LiveQueryFollower(live)
        let writer = other.makeContext(author: "writer")
        var random = SeededRandom(seed: 1)
        for _ in 0..<5 {
            // The query's reader waits, so that the history is purged before it is read.
            let gate = Gate()
            let reading = Task { try await container.read { _ in gate.pass() } }
            #expect(gate.waitForArrival())
            for _ in 0..<4 {
                try await writer.insert("Note", Self.values(&random))
                try await writer.save()
            }
            _ = try await other.purgeHistory(HistoryBounds(maximumAge: .zero))
            gate.open()
            _ = try await reading.value
            #expect(try await soon { try await isCurrent(follower, request) })
        }
        #expect(follower.seen.refreshes > 0)
        #expect(follower.seen.errors.isEmpty)
    }

    @Test func `a live query reports that its store was restored`() async throws {
        let live = try await LiveFetch(FetchRequest("Note"), in: container)
        let follower = LiveQueryFollower(live)
        let copy = folder.path(of: "copy.db")
        try await container.backUp(to: copy, replaces: false) { _, _ in }
        let (path, model) = (container.path, container.model)
        _ = try PersistentContainer.restore(copy, to: path, model: model)
        #expect(await soon { follower.seen.newest?.state == .storeReplaced })
    }

    @Test func `a window among a million rows follows the changes before it`() async throws {
        let insert = """
            PRAGMA synchronous = OFF; BEGIN; WITH RECURSIVE number (n) AS (VALUES (1) UNION ALL \
            SELECT n + 1 FROM number WHERE n < 1000000) INSERT INTO Note (label, title) \
            SELECT printf('%07d', n), 'x' FROM number; COMMIT;
            """
        #expect(try Shell.run("sqlite3", [container.path, insert]).errors == "")
        let request = FetchRequest("Note", sort: [SortKey("label")], limit: 40)
        let live = try await LiveFetch(request, in: container)
        var snapshots = live.snapshots.makeAsyncIterator()
        let first = try #require(try await snapshots.next())
        #expect(first.count == 1_000_000 && first.firstIndex == 0 && first.rows.count == 40)
        live.moveWindow(to: .index(500_000))
        let middle = try #require(try await snapshots.next())
        #expect(middle.firstIndex == 500_000 && middle.rows[0]["label"] == "0500001")
        let writer = other.makeContext(author: "writer")
        let id = try await writer.save(inserting: ["label": "0400000x"])
        let later = try #require(try await snapshots.next())
        #expect(later.firstIndex == 500_001 && later.ids == middle.ids && later.difference.isEmpty)
        live.moveWindow(to: .index(400_000))
        let moved = try #require(try await snapshots.next())
        #expect(moved.firstIndex == 400_000 && moved.ids[0] == id)
        live.moveWindow(to: .end)
        let last = try #require(try await snapshots.next())
        #expect(last.firstIndex == 1_000_001 - 40 && last.rows.count == 40)
    }
}
