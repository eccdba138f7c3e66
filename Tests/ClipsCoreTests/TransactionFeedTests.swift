import ClipsCore
import PersistentStore
import TestSupport
import Testing

@Suite struct TransactionFeedTests {
    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "cli")
        for title in ["a", "b", "c"] { try await save(title) }
    }

    private func save(_ title: String) async throws {
        var draft = ClipDraft()
        draft.title = title
        _ = try await store.add([draft])
    }

    private func clips(_ transactions: [HistoryTransaction]) -> [Int64] {
        transactions.flatMap(\.changes).map(\.objectID.key)
    }

    @Test(arguments: [nil, 2, 9] as [Int?])
    func `a feed has the newest transactions up to its limit, and ends`(limit: Int?) async throws {
        var feed = try await TransactionFeed(of: store, from: .newest, limit: limit)
        var read: [Int64] = []
        while let transactions = try await feed.next() { read += clips(transactions) }
        #expect(read == Array([1, 2, 3].suffix(limit ?? 3)))
    }

    @Test func `a feed that follows skips the rest beyond its limit, and continues with later commits`()
        async throws
    {
        let start = try await store.container.transactions()[0].token
        var feed = try await TransactionFeed(of: store, from: .after(start), limit: 1, follows: true)
        let first = try await feed.next()
        #expect(clips(first ?? []) == [2])
        try await save("d")
        let second = try await feed.next()
        #expect(clips(second ?? []) == [4])
        await store.close()
    }
}
