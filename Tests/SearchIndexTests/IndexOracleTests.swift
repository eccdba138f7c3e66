import ClipsCore
import PersistentStore
import TestSupport
import Testing

@testable import SearchIndex

/// The index, compared with a check of every clip.
@Suite struct IndexOracleTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns all hits, read in pages so small that every search is continued.
    static func hits(
        _ text: String, _ index: SearchIndex, page: Int, maxRead: Int = .max
    ) async throws -> (found: [Int64], expected: [Int64]) {
        let query = SearchQuery(text)
        return try await index.container.read { snapshot in
            var found: [Int64] = []
            var cursor: SearchCursor?
            repeat {
                let bounds = SearchBounds(limit: page, maxRead: maxRead)
                let next = try index.search(query, after: cursor, bounds: bounds, in: snapshot)
                found += next.hits.map(\.id)
                cursor = next.next
            } while cursor != nil && found.count < 10_000
            let request = FetchRequest("Clip", sort: [SortKey("created", isAscending: false)])
            let all = try snapshot.fetch(request).map { SearchDocument($0, ClipModel.searched) }
            return (found, all.filter(query.matches).map(\.id))
        }
    }

    /// Expects that a ranking has the same clips, each once, that its stages follow each other, and that only clips
    /// with other forms of the words are below them.
    static func expectRanking(_ text: String, _ index: SearchIndex, _ expected: [Int64]) async throws {
        let query = SearchQuery(text)
        try await index.container.read { snapshot in
            var ranking = SearchRanking(query, limit: 1000)
            while !ranking.isComplete { try ranking.extend(with: index, in: snapshot) }
            let exact = ranking.hits.prefix(expected.count)
            #expect(exact.map(\.id).sorted() == expected.sorted(), "\(text)")
            #expect(ranking.isAtEnd)
            let documents = try snapshot.fetch(FetchRequest("Clip")).map {
                SearchDocument($0, ClipModel.searched)
            }
            let related = try index.related(to: query, in: snapshot)
            for hit in ranking.hits[exact.endIndex...] {
                #expect(
                    documents.contains { $0.id == hit.id && related.last?.matches($0) == true }, "\(text)")
            }
            let ranks = exact.map { hit in
                documents.first { $0.id == hit.id }.flatMap { document in
                    query.stages.firstIndex { $0.matches(document) }
                }
            }
            #expect(ranks.compactMap(\.self) == ranks.compactMap(\.self).sorted(), "\(text)")
        }
    }

    @Test func `the beginning of a token within a long run is no beginning of a word`() async throws {
        let container = try await PersistentContainer(
            path: folder.path(of: "clips.db"), model: try ClipModel.make())
        let context = container.makeContext(author: "test")
        let run = String(repeating: "x", count: 16) + "needle" + String(repeating: "y", count: 30)
        for title in [run, "needlework", "needle" + String(repeating: "z", count: 14), "needle"] {
            try await context.insert("Clip", ["title": .text(title)])
        }
        try await context.save()
        let index = SearchIndex(container, ClipModel.searched)
        try await index.bringUpToDate()
        for (text, count) in [("needle*", 3), ("needle", 4)] {
            let (found, expected) = try await Self.hits(text, index, page: 10)
            #expect(found == expected && found.count == count, "\(text): \(found)")
        }
        await container.close()
    }

    @Test func `a word that emphasis divides is found as a whole and in parts`() async throws {
        let container = try await PersistentContainer(
            path: folder.path(of: "clips.db"), model: try ClipModel.make())
        let context = container.makeContext(author: "test")
        for text in ["这是**重要**的", "so un**frigging**believable", "x**y", "other"] {
            try await context.insert("Clip", ["text": .text(text)])
        }
        try await context.save()
        let index = SearchIndex(container, ClipModel.searched)
        try await index.bringUpToDate()
        for query in ["是重要的", "重要", "unfriggingbelievable", "frigging", "\"so unfriggingbelievable\""] {
            let (found, expected) = try await Self.hits(query, index, page: 10)
            #expect(found == expected && found.count == 1, "\(query): \(found)")
        }
    }

    @Test(arguments: 0..<UInt64(LongProof.count(2, of: 8, "seeds of an index")))
    func `the index finds the same clips as a check of each`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let container = try await PersistentContainer(
            path: folder.path(of: "clips.db"), model: try ClipModel.make())
        let context = container.makeContext(author: "test")
        for _ in 0..<40 { try await context.insert("Clip", SampleWords.values(using: &random)) }
        try await context.save()
        let index = SearchIndex(container, ClipModel.searched)
        for round in 0..<60 {
            try await change(container, context, using: &random)
            if Int.random(in: 0..<6, using: &random) == 0 { try await index.bringUpToDate() }
            if Int.random(in: 0..<20, using: &random) == 0 { await index.close() }
            let query = SampleWords.query(using: &random)
            let page = Int.random(in: 1...30, using: &random)
            let maxRead = Bool.random(using: &random) ? Int.max : 3
            let (found, expected) = try await Self.hits(query, index, page: page, maxRead: maxRead)
            #expect(found == expected, "seed \(seed), round \(round): \(query), pages of \(page)")
            try await Self.expectRanking(query, index, expected)
        }
        await container.close()
    }

    @Test(arguments: 0..<UInt64(LongProof.count(1, of: 4, "seeds of typed text")))
    func `the index finds the same clips as a check of each, for any typed text`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let container = try await PersistentContainer(
            path: folder.path(of: "clips.db"), model: try ClipModel.make())
        let context = container.makeContext(author: "test")
        for _ in 0..<40 { try await context.insert("Clip", SampleWords.values(using: &random)) }
        for _ in 0..<20 {
            let text = SampleWords.nonsense(using: &random)
            try await context.insert("Clip", ["title": .text(text), "text": .text(text + text)])
        }
        try await context.save()
        let index = SearchIndex(container, ClipModel.searched)
        #expect(try await index.bringUpToDate() == .ready)
        for round in 0..<100 {
            let query = SampleWords.nonsense(using: &random)
            let (found, expected) = try await Self.hits(query, index, page: 7)
            #expect(
                found == expected, "seed \(seed), round \(round): \(query.unicodeScalars.map(\.value))")
        }
        await container.close()
    }

    @Test func `a word that an incomplete index does not have is found once`() async throws {
        let container = try await PersistentContainer(
            path: folder.path(of: "clips.db"), model: try ClipModel.make())
        let context = container.makeContext(author: "test")
        for number in 0..<6000 {
            try await context.insert("Clip", ["title": "plain", "created": .integer(Int64(1000 + number))])
        }
        try await context.save()
        let index = SearchIndex(container, ClipModel.searched)
        _ = try await container.read { try index.advance(in: $0, mayBuild: true) }
        // Newer and older than the position that the index has reached.
        for created in [1, 9000] as [Int64] {
            try await context.insert("Clip", ["title": "zebra", "created": .integer(created)])
        }
        try await context.save()
        let (found, expected) = try await Self.hits("zebra", index, page: 100)
        #expect(found == expected && found.count == 2)
        await container.close()
    }

    /// Commits in another context: inserts, edits, changes of date, and deletes.
    private func change(
        _ container: PersistentContainer, _ context: StoreContext, using random: inout SeededRandom
    ) async throws {
        let ids = try await container.read { try $0.fetch(FetchRequest("Clip")).map(\.id) }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let values = SampleWords.values(using: &random)
            let one = ids.randomElement(using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                if let one { try await context.delete(one) }
            case 1:
                if let one { try await context.update(one, ["title": values["title"] ?? ""]) }
            case 2:
                if let one { try await context.update(one, ["created": values["created"] ?? 0]) }
            case 3:
                if let one { try await context.update(one, ["starred": values["starred"] ?? 0]) }
            default: try await context.insert("Clip", values)
            }
        }
        do { try await context.save() } catch { await context.rollback() }
    }
}
