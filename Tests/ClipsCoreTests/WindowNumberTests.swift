import PersistentStore
import TestSupport
import Testing

@testable import ClipsCore

@Suite struct WindowNumberTests {
    @Test func `open windows of an author have numbers, which are free once the windows have ended`()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "clips.db")
        func open(_ author: String = "app") async throws -> ClipsSession {
            try await ClipsSession(path: path, author: author) { _ in }
        }
        let seed = try await ClipStore(path: path, author: "seed")
        var draft = ClipDraft()
        draft.title = "One"
        let ids = [try await seed.add(draft).id]
        let (first, laptop) = (try await open(), try await open("laptop"))
        for _ in 0..<2 {
            let second = try await open()
            _ = try await second.store.set(.starred, true, of: ids)
            let saved = try #require(try await second.recentTransactions(limit: 1).last)
            _ = try await second.store.undo(saved.token)
            await second.stop()
        }
        _ = try await laptop.store.set(.unread, false, of: ids)
        _ = try await first.store.set(.unread, true, of: ids)
        let all = try await first.recentTransactions(limit: 6)
        #expect(
            all.map { AuthorName.shown($0.author, window: $0.window) } == [
                "app 2", "app 2", "app 2", "app 2", "laptop", "app",
            ])
        #expect(all.map(\.role.isUndo) == [false, true, false, true, false, false])
        // The transactions after a known one are never cut off by the limit.
        let later = try await first.transactions(after: all[1].id, limit: 2)
        #expect(later.map(\.id) == all.suffix(4).map(\.id))
        let found = try await first.recentTransactions(
            limit: 9, where: ClipAuthor.transactions(shownAs: "app 2"))
        #expect(found.count == 4 && found.allSatisfy { $0.isBy("app 2") && $0.isBy("app") })
        await first.stop()
        await laptop.stop()
    }

    @Test(arguments: ["window", "window-2", "undo"])
    func `a client of an agent has no name of a window`(_ name: String) {
        #expect(ClipAuthor.clientName(name) == "client-" + name)
    }
}
