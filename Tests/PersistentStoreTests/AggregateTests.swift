import PersistentStore
import TestSupport
import Testing

/// Values computed over a request.
@Suite struct AggregateTests {
    let container: PersistentContainer

    init() async throws {
        container = try await PersistentContainer(inMemory: Notes.model())
        let context = container.makeContext(author: "a")
        let notes: [(String, AttributeValue, Int64)] = [
            ("a", "x", 5), ("b", .null, 7), ("c", "y", -2), ("d", "x", 4), ("e", "x", 9),
        ]
        for (title, body, rank) in notes {
            try await context.insert("Note", ["title": .text(title), "body": body, "rank": .integer(rank)])
        }
        try await context.save()
    }

    private func value(_ aggregate: Aggregate, _ request: FetchRequest = FetchRequest("Note")) async throws
        -> AttributeValue
    {
        try await container.read { try $0.value(of: aggregate, over: request) }
    }

    @Test func `an aggregate covers the objects of the request, and ignores null`() async throws {
        #expect(try await value(.sum("rank")) == 23)
        #expect(try await value(.average("rank")) == .real(4.6))
        #expect(try await value(.minimum("rank")) == -2)
        #expect(try await value(.maximum("title")) == "e")
        #expect(try await value(.distinctCount("body")) == 2)
        #expect(try await value(.maximum("id")) == 5)
        var some = FetchRequest(
            "Note", where: .compare("rank", .greater, 4), sort: [SortKey("rank")], limit: 1)
        #expect(try await value(.sum("rank"), some) == 21)
        some.after = try await position(7)
        #expect(try await value(.sum("rank"), some) == 9)
        let none = FetchRequest("Note", where: .or([]))
        #expect(try await value(.sum("rank"), none) == .null)
        #expect(try await value(.minimum("title"), none) == .null)
        #expect(try await value(.distinctCount("title"), none) == 0)
    }

    private func position(_ rank: Int64) async throws -> SortPosition {
        let request = FetchRequest("Note", where: .equal("rank", .integer(rank)))
        let note = try #require(try await container.objects(request).first)
        return try await container.read { $0.position(of: note, in: [SortKey("rank")]) }
    }

    @Test func `value counts are grouped, the most frequent first`() async throws {
        func counts(_ request: FetchRequest) async throws -> [AttributeValue: Int] {
            let counts = try await container.read { try $0.valueCounts(of: "body", over: request) }
            #expect(counts.map(\.count) == counts.map(\.count).sorted(by: >))
            return Dictionary(uniqueKeysWithValues: counts.map { ($0.value, $0.count) })
        }
        #expect(try await counts(FetchRequest("Note")) == ["x": 3, "y": 1, .null: 1])
        #expect(try await counts(FetchRequest("Note", limit: 1)) == ["x": 3])
        #expect(
            try await counts(FetchRequest("Note", where: .compare("rank", .less, 5))) == ["x": 1, "y": 1])
    }

    @Test func `a sum of texts, and an unknown attribute, are errors`() async throws {
        await #expect(throws: StoreError.notNumeric("title", entity: "Note")) {
            try await value(.sum("title"))
        }
        await #expect(throws: StoreError.unknownAttribute("x", entity: "Note")) {
            try await value(.minimum("x"))
        }
        await #expect(throws: StoreError.unknownAttribute("x", entity: "Note")) {
            try await container.read { try $0.valueCounts(of: "x", over: FetchRequest("Note")) }
        }
    }
}
