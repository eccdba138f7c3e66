import Foundation
import PersistentStore
import TestSupport
import Testing

/// Tokens as values, and the errors for tokens that a store cannot accept.
@Suite struct HistoryTokenTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fetch(_ container: PersistentContainer, after token: HistoryToken) async throws
        -> [HistoryTransaction]
    {
        try await container.transactions(HistoryFetchRequest(.after(token)))
    }

    @Test func `the text form and the coded form restore the same token`() async throws {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: [:])
        let token = try await container.currentToken()
        #expect(HistoryToken(token.description) == token)
        #expect(try JSONDecoder().decode(HistoryToken.self, from: JSONEncoder().encode(token)) == token)
    }

    @Test(arguments: [
        "", "x", "..", "00000000-0000-0000-0000-000000000000.1", "00000000-0000-0000-0000-000000000000.0.1",
        "00000000-0000-0000-0000-000000000000.1.-1", "00000000-0000-0000-0000-000000000000.1.1.1",
        "00000000-0000-0000-0000-000000000000.1.99999999999999999999",
    ])
    func `text that is not a token is rejected`(text: String) {
        #expect(HistoryToken(text) == nil)
    }

    @Test func `tokens compare by generation, then by number, and only within a store`() {
        let store = UUID()
        let token = HistoryToken(storeID: store, generation: 1, number: 5)
        #expect(token.precedes(HistoryToken(storeID: store, generation: 1, number: 6)) == true)
        #expect(token.precedes(HistoryToken(storeID: store, generation: 2, number: 0)) == true)
        #expect(token.precedes(token) == false)
        #expect(token.precedes(HistoryToken(storeID: UUID(), generation: 1, number: 6)) == nil)
    }

    @Test func `a token of another store is refused`() async throws {
        let container = try await Notes.open(folder)
        let other = try await PersistentContainer(path: folder.path(of: "other.db"), model: Notes.model())
        let token = try await other.currentToken()
        await #expect(throws: StoreError.tokenOfAnotherStore) { try await fetch(container, after: token) }
    }

    @Test func `a token is from the future after an older copy was restored`() async throws {
        let context = try await Notes.open(folder).makeContext(author: "a")
        _ = try await context.save(inserting: ["title": "a"])
        let container = try await Notes.open(folder)
        #expect(
            try Shell.run("sqlite3", [container.path, ".backup \(folder.path(of: "old.db"))"]).status == 0)
        let old = try await PersistentContainer(path: folder.path(of: "old.db"), model: Notes.model())
        let newest = try await old.currentToken()
        #expect(try await container.currentToken() == newest)
        _ = try await context.save(inserting: ["title": "b"])
        let token = try await container.currentToken()
        await #expect(throws: StoreError.tokenFromFuture(newest: newest)) {
            try await fetch(old, after: token)
        }
    }

    @Test func `numbers continue after everything was purged, old tokens expire, and the newest is valid`()
        async throws
    {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "a")
        _ = try await context.save(inserting: ["title": "a"])
        let first = try await container.currentToken()
        _ = try await context.save(inserting: ["title": "b"])
        let last = try await container.currentToken()
        let result = try await container.purgeHistory(maximumAge: .seconds(-60))
        #expect(result.transactions == 2 && result.changes == 2)
        #expect(try await container.transactions().isEmpty)
        let error = await #expect(throws: StoreError.self) { try await fetch(container, after: first) }
        #expect(error == .tokenExpired(oldest: last))
        #expect(try await fetch(container, after: last).isEmpty)
        _ = try await context.save(inserting: ["title": "c"])
        let next = try await fetch(container, after: last)
        #expect(next.count == 1 && next[0].number > last.number)
        #expect(try await container.currentToken().number == next[0].number)
    }

    @Test func `turning tracking off and on again expires every older token`() async throws {
        let tracked = try Notes.model()
        var container = try await Notes.open(folder, model: tracked)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        let token = try await container.currentToken()
        await container.close()
        container = try await Notes.open(folder, model: Notes.model(tracksHistory: false))
        let result = try await container.makeContext(author: "a").save(inserting: ["title": "unseen"])
        #expect(result.isPermanent)
        #expect(try await fetch(container, after: token).isEmpty)
        await container.close()
        container = try await Notes.open(folder, model: tracked)
        await #expect(throws: StoreError.self) { try await fetch(container, after: token) }
        let now = try await container.currentToken()
        #expect(now.generation == token.generation + 1)
        #expect(try await fetch(container, after: now).isEmpty)
    }

    @Test func `an untracked entity is stored and leaves no history`() async throws {
        let container = try await Notes.open(folder, model: Notes.model(tracksHistory: false))
        let result = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        #expect(result.key == 1)
        #expect(try await container.objects().map { $0["title"] } == ["a"])
        #expect(try await container.transactions().isEmpty)
    }

    @Test func `a cursor rejects a token of another store`() async throws {
        let container = try await Notes.open(folder)
        let other = try await PersistentContainer(path: folder.path(of: "other.db"), model: Notes.model())
        let token = try await other.currentToken()
        let name = try await container.registerConsumer("view").name
        await #expect(throws: StoreError.tokenOfAnotherStore) {
            try await container.moveCursor(of: name, to: token)
        }
        await #expect(throws: StoreError.tokenOfAnotherStore) {
            try await container.resetCursor(of: name, to: token)
        }
        await #expect(throws: StoreError.tokenOfAnotherStore) {
            try await container.registerConsumer("more", startingAt: token)
        }
    }

    @Test func `a cursor never moves beyond the newest transaction`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "a")
        _ = try await context.save(inserting: ["title": "first"])
        let (name, now) = try await container.registerConsumer("view")
        let error = StoreError.tokenFromFuture(newest: now)
        for (generation, number) in [(1, now.number + 1), (1, .max), (2, 0)] {
            let token = try #require(HistoryToken("\(container.storeID).\(generation).\(number)"))
            await #expect(throws: error) { try await container.moveCursor(of: name, to: token) }
            await #expect(throws: error) { try await container.resetCursor(of: name, to: token) }
            await #expect(throws: error) {
                try await container.registerConsumer("more", startingAt: token)
            }
            await #expect(throws: error) {
                try await container.write(author: "a") { transaction throws(StoreError) in
                    try transaction.insert("Note", ["title": "pending"])
                    try transaction.moveCursor(of: name, to: token)
                }
            }
        }
        #expect(try await container.read { try $0.consumers().map(\.token) } == [now])
        #expect(try await container.currentToken() == now)
    }

    @Test func `a purged transaction is expired, and not mistaken for the next one`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "a")
        _ = try await context.save(inserting: ["title": "first"])
        let first = try await container.currentToken()
        _ = try await context.save(inserting: ["title": "second"])
        _ = try await container.registerConsumer("view", startingAt: first)
        #expect(try await container.purgeHistory(maximumAge: .seconds(3600)).transactions == 1)
        #expect(try await fetch(container, after: first).count == 1)
        await #expect(throws: StoreError.tokenExpired(oldest: first)) {
            try await container.transactions(HistoryFetchRequest(.ending(at: first)))
        }
    }

    @Test func `the presence of more changes than requested is known without reading them`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "a")
        let start = try await container.currentToken()
        for _ in 0..<3 { _ = try await context.save(inserting: [:]) }
        let answers = try await container.read { snapshot in
            try [.min, -1, 0, 2, 3, 4, .max].map { try snapshot.hasMoreChanges(after: start, than: $0) }
        }
        #expect(answers == [true, true, true, true, false, false, false])
    }
}
