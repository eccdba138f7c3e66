import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Random deletions by every kind of writer, in any order: a consumer gets every transaction or an error.
@Suite struct CleaningPropertyTests {
    @Test(arguments: 1...UInt64(LongProof.count(3, of: 6, "seeds of deletions in the history")))
    func `each consumer gets every transaction or an error, counts are exact, and data is unchanged`(
        seed: UInt64
    )
        async throws
    {
        let play = try await Play(seed: seed)
        for step in 0..<100 {
            try await play.step()
            try await play.check("seed \(seed), step \(step)")
        }
        try play.checkTables("seed \(seed)")
    }
}

private final class Play {
    private let folder: TemporaryFolder
    private let clock = SettableClock()
    private let container: PersistentContainer
    private let external: Connection
    private var random: SeededRandom
    private var committed: [HistoryTransaction] = []
    private var cursors: [String: HistoryToken] = [:]
    private var expired: Set<String> = []
    private var objects = 0
    private var mirrorMayExpire = false

    private static let authors = ["app", "batch", "extension", nil]

    init(seed: UInt64) async throws {
        random = SeededRandom(seed: seed)
        folder = try TemporaryFolder()
        let bounds = seed % 2 == 0 ? HistoryBounds(maximumAge: .seconds(7200), maximumChanges: 40) : nil
        container = try await Notes.open(folder, options: clock.options(bounds: bounds))
        external = try Connection(path: container.path, access: .readWrite)
        for name in ["one", "two", "batch", "mirror"] {
            cursors[name] = try await container.registerConsumer(
                name, author: name == "batch" ? "batch" : "app",
                retention: name == "mirror" ? .always : .withinBounds
            ).token
        }
    }

    private func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    func step() async throws {
        switch below(12) {
        case 0...4: try await commit()
        case 5: try await commitExternally()
        case 6, 7: try await read()
        case 8: clock.advance(seconds: Int64(below(20) == 0 ? 30 * 24 * 3600 : below(2000)))
        case 9: clock.set(max(SettableClock.start, clock.now() - Int64(below(4_000_000))))
        case 10: try await delete()
        default: try await purge()
        }
    }

    private func commit() async throws {
        let context = container.makeContext(author: Self.authors[below(4)])
        // Some are long enough to trigger trimming.
        let count = below(10) == 0 ? 300 : 1 + below(5)
        for _ in 0..<count { try await context.insert("Note", ["title": "a"]) }
        objects += count
        try await remember { try await context.save() }
    }

    private func commitExternally() async throws {
        let count = 1 + below(3)
        objects += count
        let values = Array(repeating: "('x')", count: count).joined(separator: ", ")
        try await remember { try external.execute("INSERT INTO Note (title) VALUES \(values)") }
    }

    /// A commit's changes may be trimmed immediately, but only after the commit was the newest.
    private func remember(_ commit: () async throws -> Void) async throws {
        let before = try await container.currentToken()
        try await commit()
        if let new = try await transactions(after: before) {
            committed += new
        } else {
            committed.removeAll { $0.number > before.number }
        }
    }

    private func read() async throws {
        guard let name = cursors.keys.sorted().randomElement(using: &random), let token = cursors[name] else {
            return
        }
        if let new = try await transactions(after: token, limit: 1 + below(10)) {
            let next = new.last?.token ?? token
            try await container.moveCursor(of: name, to: next)
            cursors[name] = next
        } else {
            let now = try await container.currentToken()
            try await container.resetCursor(of: name, to: now)
            cursors[name] = now
            expired.remove(name)
            if name == "mirror" { mirrorMayExpire = false }
        }
    }

    private func delete() async throws {
        let retained = try await container.transactions()
        guard let bound = retained.randomElement(using: &random) else { return }
        let ends: [HistoryEnd] = [
            .before(bound.token), .beforeTransaction(bound.number), .beforeDate(bound.timestamp),
            .beforeDate(.distantFuture),
        ]
        let end = ends[below(4)]
        let authors: Set<String?>? = [nil, ["app"], ["batch", nil]][below(3)]
        var request = HistoryDeleteRequest(
            end, where: authors.map { .authors($0) })
        request.respectsConsumers = below(4) > 0
        let preview = try await container.previewDeletion(request)
        #expect(try await container.transactions() == retained)
        let result = try await container.deleteHistory(request)
        #expect(result == preview)
        try await compare(retained, result)
        let wanted = retained.filter { transaction in
            let isBefore =
                switch end {
                case .before, .beforeTransaction: transaction.number < bound.number
                case .beforeDate(let date): transaction.timestamp < date
                }
            return isBefore && authors?.contains(transaction.author) ?? true
        }
        #expect(result.transactions + result.retained == wanted.count)
        #expect((result.retained == 0) == result.blockedBy.isEmpty)
        if request.respectsConsumers {
            for (name, token) in cursors where !expired.contains(name) { try await expectUsable(token, name) }
        } else {
            #expect(result.retained == 0)
            mirrorMayExpire = true
        }
    }

    private func purge() async throws {
        let retained = try await container.transactions()
        let share: [Double?] = [nil, nil, 0.9, 0.1]
        let bounds = HistoryBounds(
            maximumAge: .seconds([60, 3600, 100_000][below(3)]), minimumAge: .seconds([0, 0, 600][below(3)]),
            maximumChanges: [nil, 5, 50, 100][below(4)], maximumStoreShare: share[below(4)])
        let ignored: Set<String> = below(2) == 0 ? ["batch"] : []
        let preview = try await container.previewPurge(bounds, ignoring: ignored)
        #expect(try await container.transactions() == retained)
        let result = try await container.purgeHistory(bounds, ignoring: ignored)
        if bounds.maximumStoreShare == nil { #expect(result == preview) }
        try await compare(retained, result)
        if let most = bounds.maximumChanges, result.retained == 0 {
            let left = try await container.transactions().reduce(0) { $0 + $1.changes.count }
            #expect(left <= most)
        }
    }

    private func compare(_ before: [HistoryTransaction], _ result: PurgeResult) async throws {
        let after = try await container.transactions()
        let gone = Set(before).subtracting(after)
        #expect(Set(after).isSubset(of: before))
        #expect(result.transactions == gone.count)
        #expect(result.changes == gone.reduce(0) { $0 + $1.changes.count })
    }

    private func expectUsable(_ token: HistoryToken, _ name: String) async throws {
        await #expect(throws: Never.self, "\(name)") {
            try await container.transactions(HistoryFetchRequest(.after(token)))
        }
    }

    func check(_ comment: String) async throws {
        for (name, token) in cursors {
            if let read = try await transactions(after: token) {
                #expect(!expired.contains(name), "\(comment): \(name) reappeared")
                #expect(read == committed.filter { $0.number > token.number }, "\(comment): \(name)")
            } else {
                expired.insert(name)
                #expect(name != "mirror" || mirrorMayExpire, "\(comment)")
            }
        }
        #expect(try await container.objects().count == objects, "\(comment)")
        let retained = try await container.transactions()
        #expect(Set(retained).isSubset(of: committed), "\(comment)")
        let records = try await container.read { try $0.consumers() }
        for record in records { #expect(record.token == cursors[record.name], "\(comment): \(record.name)") }
    }

    /// Nil if the token has expired.
    private func transactions(
        after token: HistoryToken, limit: Int? = nil
    ) async throws(StoreError) -> [HistoryTransaction]? {
        do {
            return try await container.transactions(HistoryFetchRequest(.after(token), limit: limit))
        } catch .tokenExpired {
            return nil
        }
    }

    func checkTables(_ comment: String) throws {
        func number(_ sql: String) throws -> Int64 { try external.integer(sql) ?? 0 }
        let floor = "coalesce((SELECT value FROM store_metadata WHERE key = 'history_floor'), 0)"
        #expect(try number("SELECT count(*) FROM history WHERE number <= \(floor)") <= 1024, "\(comment)")
        let counted = try number("SELECT value FROM store_metadata WHERE key = 'counted_changes'")
        let upTo = "coalesce((SELECT value FROM store_metadata WHERE key = 'counted_up_to'), 0)"
        #expect(
            try counted
                == number(
                    "SELECT count(*) FROM history WHERE kind < 3 AND number > \(floor) AND number <= \(upTo)"),
            "\(comment)")
        #expect(
            try number(
                "SELECT count(*) FROM history_values_Note WHERE number NOT IN (SELECT number FROM history)")
                == 0,
            "\(comment)")
        #expect(
            try number(
                "SELECT count(*) FROM history WHERE origin NOT IN (SELECT id FROM history_origin)") == 0,
            "\(comment)")
    }
}
