import ClipsCore
import PersistentStore
import SearchIndex
import TestSupport
import Testing

/// Fuzzy matching of words that no clip has.
@Suite struct CorrectionTests {
    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        let titles = [
            "Learning Swift", "Swift concurrency", "The Swiss Alps", "Typed throws", "Новости дня",
            "Self-hosted photos",
            "Go",
        ]
        store = try await IndexFileTests.store(in: folder, titles, tags: ["Learning Swift": "Python"])
    }

    private func corrected(_ text: String) async throws -> String? {
        let index = store.index
        return try await store.container.read {
            try index.correction(of: SearchQuery(text), in: $0)?.description
        }
    }

    @Test(arguments: [
        ("swft", "swift"), ("siwft", "swift"), ("swifts", "swift"), ("swixt", "swift"),
        ("learnnig swft", "learning swift"),
        ("concurency -rust", "concurrency -rust"), ("\"typd throws\"", "\"typed throws\""),
        ("новоти", "новости"),
        ("tag:pyhton", "tag:python"), ("concrren", "concurrency"), ("self-hostd", "\"self hosted\""),
        ("swiff", "swift"), ("title:swft is:unread", "title:swift is:unread"),
    ])
    func `words that no clip has become close words`(typed: String, expected: String) async throws {
        #expect(try await corrected(typed) == expected)
    }

    @Test(arguments: [
        "swift", "swift throws", "qqqqqq", "gx", "-swft", "is:starred", "title:swft is:starred", "tag:swft",
        "site:swft.org", "c++x",
        "",
    ])
    func `a query is unchanged if each word has clips, or no word is close`(typed: String) async throws {
        #expect(try await corrected(typed) == nil)
    }

    @Test func `a word of deleted clips is no correction`() async throws {
        let ids = try await store.container.read {
            try $0.keys(FetchRequest("Clip", where: .contains("title", "Typed")))
        }
        try await store.delete(ids)
        try await store.updateIndex()
        #expect(try await corrected("throwz") == nil)
    }

    @Test func `one close word is suggested, and only if the whole query then has clips`() async throws {
        // Swift and Swiss are equally close; two clips have the first one.
        #expect(try await corrected("swifs") == "swift")
        #expect(try await corrected("swft throws") == nil)
        #expect(try await corrected("swft concurency") == "swift concurrency")
    }

}
