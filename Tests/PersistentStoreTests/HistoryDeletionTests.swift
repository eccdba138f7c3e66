import Foundation
import PersistentStore
import TestSupport
import Testing

/// Deletion of history by request: deleted and retained transactions, and expired consumers.
@Suite struct HistoryDeletionTests {
    let folder: TemporaryFolder
    let clock = SettableClock()
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder, options: clock.options())
    }

    /// One transaction of each author, a second apart, with two changes each.
    private func save(_ authors: String?...) async throws -> [HistoryTransaction] {
        let before = try await container.currentToken()
        for author in authors {
            let context = container.makeContext(author: author)
            try await context.insert("Note", ["title": "a"])
            try await context.insert("Note", ["title": "b"])
            try await context.save()
            clock.advance(seconds: 1)
        }
        return try await container.transactions(HistoryFetchRequest(.after(before)))
    }

    private func numbers() async throws -> [Int64] { try await container.transactions().map(\.number) }

    @Test func `deletion before a token, a transaction, or a date retains that one and counts the deleted`()
        async throws
    {
        let saved = try await save("a", "b", "c", "d", "e")
        let ends: [HistoryEnd] = [
            .before(saved[1].token), .beforeTransaction(saved[2].number),
            .beforeTransaction(saved[3].number - 1),
            .beforeDate(saved[4].timestamp),
        ]
        for (index, end) in ends.enumerated() {
            let result = try await container.deleteHistory(HistoryDeleteRequest(end))
            #expect(result.transactions == 1 && result.changes == 2, "\(end)")
            #expect(result.retained == 0 && result.blockedBy == [])
            #expect(try await numbers() == saved[(index + 1)...].map(\.number))
        }
        #expect(try await container.objects().count == 10)
    }

    @Test func `a date is strict to the millisecond, even if several transactions share one`() async throws {
        clock.set(SettableClock.start + 1)
        _ = try await save("a")
        clock.set(SettableClock.start + 2)
        let context = container.makeContext(author: "b")
        for _ in 0..<3 { _ = try await context.save(inserting: [:]) }
        clock.set(SettableClock.start + 3)
        _ = try await save("c")
        for (offset, left) in [(-1.0, 5), (1, 5), (1.5, 4), (2, 4), (3, 1), (3.5, 0)] {
            let date = Date(timeIntervalSince1970: (Double(SettableClock.start) + offset) / 1000)
            try await container.deleteHistory(HistoryDeleteRequest(.beforeDate(date)))
            #expect(try await numbers().count == left, "\(offset)")
        }
        for date in [Date.distantPast, .distantFuture] {
            #expect(try await container.deleteHistory(HistoryDeleteRequest(.beforeDate(date))).changes == 0)
        }
    }

    @Test func `changes that a consumer has not read are retained, and the result names it`() async throws {
        let saved = try await save("a", "b", "c", "d")
        _ = try await container.registerConsumer("slow", startingAt: saved[0].token)
        _ = try await container.registerConsumer("middle", startingAt: saved[1].token)
        _ = try await container.registerConsumer("fast", startingAt: saved[3].token)
        var request = HistoryDeleteRequest(.beforeDate(.distantFuture))
        var result = try await container.deleteHistory(request)
        #expect(result.transactions == 1 && result.retained == 3 && result.blockedBy == ["middle", "slow"])
        request.end = .before(saved[2].token)
        result = try await container.deleteHistory(request)
        #expect(result.transactions == 0 && result.retained == 1 && result.blockedBy == ["slow"])
        request.respectsConsumers = false
        result = try await container.deleteHistory(request)
        #expect(result.transactions == 1 && result.retained == 0 && result.blockedBy == [])
        await #expect(throws: StoreError.tokenExpired(oldest: saved[1].token)) {
            try await container.transactions(HistoryFetchRequest(.after(saved[0].token)))
        }
        let middle = HistoryFetchRequest(.after(saved[1].token))
        #expect(try await container.transactions(middle).map(\.number) == saved[2...].map(\.number))
    }

    @Test func `a consumer whose cursor has expired no longer blocks a purge`() async throws {
        let saved = try await save("a", "b", "c")
        _ = try await container.registerConsumer("lost", startingAt: saved[0].token)
        _ = try await container.registerConsumer("fast", startingAt: saved[2].token)
        try await container.deleteHistory(
            HistoryDeleteRequest(.before(saved[2].token), respectsConsumers: false))
        let result = try await container.deleteHistory(HistoryDeleteRequest(.beforeDate(.distantFuture)))
        #expect(result.transactions == 1 && result.blockedBy == [])
    }

    @Test
    func `deleting some authors' history retains the others', and expires tokens before the newest deleted`()
        async throws
    {
        let saved = try await save("a", "b", nil, "a", "b")
        let request = HistoryDeleteRequest(.beforeDate(.distantFuture), where: .authors(["a", nil]))
        let result = try await container.deleteHistory(request)
        #expect(result.transactions == 3 && result.changes == 6)
        #expect(try await container.transactions() == [saved[1], saved[4]])
        for transaction in saved[..<3] {
            await #expect(throws: StoreError.tokenExpired(oldest: saved[3].token)) {
                try await container.transactions(HistoryFetchRequest(.after(transaction.token)))
            }
            await #expect(throws: StoreError.tokenExpired(oldest: saved[3].token)) {
                try await container.read { try $0.check(transaction.token) }
            }
        }
        #expect(try await container.transactions(HistoryFetchRequest(.after(saved[3].token))) == [saved[4]])
        #expect(try await container.deleteHistory(request).transactions == 0)
    }

    @Test func `the newest transaction can be deleted, and numbers continue`() async throws {
        let saved = try await save("b", "a")
        let request = HistoryDeleteRequest(.beforeDate(.distantFuture), where: .author("a"))
        #expect(try await container.deleteHistory(request).transactions == 1)
        #expect(try await container.transactions() == [saved[0]])
        let next = try await save("c")
        #expect(next[0].number > saved[1].number)
        #expect(try await container.transactions() == [saved[0], next[0]])
    }

    @Test func `changes of the shell can be deleted, including the newest`() async throws {
        let ours = try await save("a")
        let sql = "INSERT INTO Note (title) VALUES ('x'), ('y'), ('z'); DELETE FROM Note WHERE title > 'w';"
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        let shells = try await container.transactions()[1...]
        let request = HistoryDeleteRequest(.beforeDate(.distantFuture), where: .author(nil))
        let result = try await container.deleteHistory(request)
        #expect(result.transactions == 6 && result.changes == 6)
        #expect(try await container.transactions() == ours)
        #expect(try await container.currentToken() == shells.last?.token)
        #expect(
            try Shell.run("sqlite3", [container.path, "SELECT count(*) FROM history_values_Note"]).output
                == "0\n")
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        #expect(try await container.transactions().map(\.changes.count) == [2, 1, 1, 1, 1, 1, 1])
    }

    @Test func `deleting some authors' history retains changes that a consumer has not read`() async throws {
        let saved = try await save("a", "b", "a", "a")
        _ = try await container.registerConsumer("slow", startingAt: saved[1].token)
        let request = HistoryDeleteRequest(.beforeDate(.distantFuture), where: .author("a"))
        let result = try await container.deleteHistory(request)
        #expect(result.transactions == 1 && result.retained == 2 && result.blockedBy == ["slow"])
        let rest = HistoryFetchRequest(.after(saved[1].token))
        #expect(try await container.transactions(rest) == Array(saved[2...]))
    }

    @Test func `many small transactions of one author are deleted in several commits, and none remains`()
        async throws
    {
        for index in 0..<2500 {
            _ = try await container.makeContext(author: index % 2 == 0 ? "a" : "b").save(inserting: [:])
        }
        let all = try await container.transactions()
        let request = HistoryDeleteRequest(.beforeTransaction(all[2400].number), where: .author("a"))
        let result = try await container.deleteHistory(request)
        #expect(result.transactions == 1200 && result.changes == 1200)
        #expect(try await container.transactions() == all[..<2400].filter { $0.author == "b" } + all[2400...])
    }

    @Test func `a token of another store deletes nothing`() async throws {
        let saved = try await save("a", "b")
        let other = try await PersistentContainer(path: folder.path(of: "other.db"), model: Notes.model())
        let token = try await other.currentToken()
        await #expect(throws: StoreError.tokenOfAnotherStore) {
            try await container.deleteHistory(HistoryDeleteRequest(.before(token)))
        }
        #expect(try await container.transactions() == saved)
    }

    @Test func `unused author and context names are deleted, and used ones are retained`() async throws {
        _ = try await save("gone", "gone too", "retained")
        let request = HistoryDeleteRequest(.beforeTransaction(try await numbers()[2]))
        try await container.deleteHistory(request)
        let sql = "SELECT author FROM history_origin"
        #expect(try Shell.run("sqlite3", [container.path, sql]).output == "retained\n")
        #expect(try await save("gone")[0].author == "gone")
    }
}
