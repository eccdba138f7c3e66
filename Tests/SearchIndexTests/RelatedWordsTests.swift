import ClipsCore
import PersistentStore
import TestSupport
import Testing

@testable import SearchIndex

/// Other forms and spellings of words, below those with the words themselves.
@Suite struct RelatedWordsTests {
    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        let titles = [
            "Server racks", "A library of cities", "Real-time maps", "Realtime charts", "Open-source editors",
            "Opensource radio", "Self-hosted photos", "Selfhosted mail", "Новость дня", "Two boxes", "Box",
            "The menu", "Compute", "Computational thinking", "A computer", "Playing cards", "Play",
            "A long article of Paul about old programs such as Vim and others", "Emacs",
        ]
        store = try await IndexFileTests.store(in: folder, titles, tags: ["Box": "server", "Emacs": "vim"])
    }

    private func ranked(_ text: String) async throws -> [String] {
        var search = ClipSearch(SearchQuery(text), sort: .relevance, limit: 20, in: store)
        var titles: [String] = []
        while let clips = try await search.next() { titles += clips.map(\.title) }
        return titles
    }

    @Test(arguments: [
        ("servers", ["Server racks", "Box"]), ("server", ["Server racks", "Box"]),
        ("vim", ["A long article of Paul about old programs such as Vim and others", "Emacs"]),
        ("server OR menu", ["The menu", "Server racks", "Box"]), ("libraries", ["A library of cities"]),
        ("city", ["A library of cities"]),
        ("новости", ["Новость дня"]), ("menus", ["The menu"]), ("boxes", ["Two boxes", "Box"]),
        ("title:servers", ["Server racks"]),
        ("realtime", ["Realtime charts", "Real-time maps"]),
        ("real-time", ["Real-time maps", "Realtime charts"]),
        ("opensource", ["Opensource radio", "Open-source editors"]),
        ("open-source", ["Open-source editors", "Opensource radio"]),
        ("selfhosted", ["Selfhosted mail", "Self-hosted photos"]),
        ("self-hosted photo", ["Self-hosted photos"]), ("editor open-sources", []),
        ("libraries city", ["A library of cities"]), ("libraries -cities", []),
        ("racks servers OR maps", ["Server racks"]),
        ("computers", ["A computer", "Compute", "Computational thinking"]),
        ("playings", ["Playing cards", "Play"]),
    ])
    func `other forms and spellings follow the words of the query`(query: String, titles: [String])
        async throws
    {
        let found = try await ranked(query)
        #expect(found == titles, "\(query): \(found)")
    }

    @Test(arguments: [
        "\"servers\"", "servers*", "tag:servers", "url:servers", "-server -servers is:starred", "qqqqqq",
        "c++s", "is:read",
    ])
    func `a phrase, a beginning, and a name have no other forms`(query: String) async throws {
        let (container, index) = (store.container, store.index)
        #expect(try await container.read { try index.related(to: SearchQuery(query), in: $0) }.isEmpty)
    }

    @Test func `the query itself does not admit other forms`() async throws {
        let page = try await store.container.read { [index = store.index] in
            try index.search(SearchQuery("libraries"), bounds: SearchBounds(limit: 20), in: $0)
        }
        #expect(page.hits.isEmpty)
    }
}
