import LiveQuery
import PersistentStore
import TestSupport
import Testing

/// Live lists of another program's rows, compared with its table.
@Suite struct AttachedListTests {
    /// Values of several kinds in one column, a case-insensitive one, and one that another collation compares.
    private static let schema = """
        CREATE TABLE "odd rows" (key INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, any, note TEXT COLLATE RTRIM);
        """

    private static func statement(_ random: inout SeededRandom) -> String {
        let names = ["'a'", "'B'", "'A'", "'b '", "'b'", "NULL"]
        let values = ["1", "1.5", "'1'", "x'31'", "NULL", "-2"]
        let key = 1 + random.below(12)
        func one(_ list: [String]) -> String { list.randomElement(using: &random) ?? "" }
        let row = "\(one(names)), \(one(values)), \(one(names))"
        return switch random.below(5) {
        case 0: "REPLACE INTO \"odd rows\" VALUES (\(key), \(row));"
        case 1: "UPDATE \"odd rows\" SET any = \(one(values)), name = \(one(names)) WHERE key = \(key);"
        case 2: "DELETE FROM \"odd rows\" WHERE key = \(key);"
        case 3: "UPDATE OR REPLACE \"odd rows\" SET key = \(1 + random.below(12)) WHERE key = \(key);"
        default: "INSERT OR IGNORE INTO \"odd rows\" VALUES (\(key), \(row));"
        }
    }

    @Test(arguments: 1...3) func `a list equals the table after each statement of its owner`(_ seed: Int)
        async throws
    {
        var random = SeededRandom(seed: UInt64(seed))
        let folder = try TemporaryFolder()
        let path = folder.path(of: "owned.db")
        _ = try Shell.run("sqlite3", [path, Self.schema])
        let container = try await PersistentContainer(
            attachingTo: path, tables: ["odd rows"], values: seed == 1 ? .names : .rows, allowsWAL: true)
        let requests = [
            FetchRequest("odd rows"),
            FetchRequest("odd rows", sort: [SortKey("any"), SortKey("name")], limit: 4),
            FetchRequest(
                "odd rows", where: .compare("any", .greater, 1), sort: [SortKey("name", isAscending: false)]),
            FetchRequest("odd rows", sort: [SortKey("note")]),
        ]
        var followers: [LiveQueryFollower] = []
        for request in requests {
            followers.append(LiveQueryFollower(try await LiveFetch(request, in: container)))
        }
        let owner = try LineProcess(
            "sqlite3", ["-batch", "-cmd", ".timeout 10000", path])
        for step in 0..<60 {
            let sql = (0...random.below(3)).map { _ in Self.statement(&random) }.joined(separator: " ")
            owner.send("\(sql) SELECT 'done';")
            #expect(try owner.answer() == "done")
            if step % 10 == 9 {
                let context = container.makeContext(author: "me")
                if let row = try await context.fetch(FetchRequest("odd rows")).first {
                    try await context.update(row.id, ["any": .integer(Int64(step))])
                    try await context.save()
                }
            }
            for (request, follower) in zip(requests, followers) {
                let table = try await container.fetch(request)
                let isEqual = await soon { follower.seen.newest?.rows == table }
                #expect(isEqual, "step \(step) of seed \(seed): \(sql)")
                #expect(follower.seen.errors.isEmpty)
            }
        }
    }
}
