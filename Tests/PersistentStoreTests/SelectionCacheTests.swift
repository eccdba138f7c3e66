import PersistentStore
import TestSupport
import Testing

/// Requests for different attributes on one snapshot, whose SQL text is retained.
@Suite struct SelectionCacheTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let id: ObjectID

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        id = try await container.makeContext(author: "app").save(
            inserting: ["title": "a", "body": "b", "rank": .integer(3)])
    }

    private func fetch(_ attributes: [String]?) async throws -> [String: AttributeValue] {
        var request = FetchRequest("Note", where: .keys([id.key]))
        request.attributes = attributes
        return try #require(try await container.objects(request).first).values
    }

    @Test func `each combination of attributes returns its own values, whenever it is requested`()
        async throws
    {
        for _ in 0..<2 {
            #expect(try await fetch(["title", "rank"]) == ["title": "a", "rank": 3])
            #expect(try await fetch(["rank", "title"]) == ["title": "a", "rank": 3])
            #expect(try await fetch(["rank"]) == ["rank": 3])
            #expect(try await fetch([]).isEmpty)
            #expect(try await fetch(nil).count == 4)
        }
    }

    @Test func `an unknown attribute is an error, even after the same request without it`() async throws {
        _ = try await fetch(["title"])
        for _ in 0..<2 {
            await #expect(throws: StoreError.unknownAttribute("nothing", entity: "Note")) {
                try await fetch(["title", "nothing"])
            }
        }
    }

    @Test func `one key and several keys find the same objects`() async throws {
        let one = try await container.objects(FetchRequest("Note", where: .keys([id.key])))
        #expect(one.count == 1)
        #expect(try await container.objects(FetchRequest("Note", where: .keys([id.key, 99]))) == one)
        #expect(try await container.objects(FetchRequest("Note", where: .keys([99]))).isEmpty)
        #expect(try await container.objects(FetchRequest("Note", where: .not(.keys([id.key])))).isEmpty)
    }
}
