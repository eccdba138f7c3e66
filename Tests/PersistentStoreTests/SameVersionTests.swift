import PersistentStore
import TestSupport
import Testing

/// Programs with different models of one version.
@Suite struct SameVersionTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "notes.db")
    }

    private static let title = AttributeDescription("title", .text, defaultValue: .value(""))
    private static let rank = AttributeDescription("rank", .integer, isOptional: true)
    private static let code = AttributeDescription("code", .text, defaultValue: .uuid)

    private static func model(
        _ attributes: [AttributeDescription], version: Int = 1, entity: String = "Note",
        renamedFrom: [String] = [], more: [EntityDescription] = []
    ) throws -> StoreModel {
        let entity = EntityDescription(entity, attributes: attributes, renamedFrom: renamedFrom)
        return try StoreModel(version: version, entities: [entity] + more)
    }

    private func dump() throws -> String { try Shell.run("sqlite3", [path, ".dump"]).output }

    @Test func `a model that would drop, rename, or convert a part of the same version changes nothing`()
        async throws
    {
        let tag = EntityDescription("Tag", attributes: [Self.title])
        let store = try await Notes.open(
            folder, model: Self.model([Self.title, Self.rank, Self.code], more: [tag]))
        _ = try await store.makeContext(author: "a").save(inserting: ["title": "a", "rank": 7])
        let before = try dump()
        let text = AttributeDescription("rank", .text, isOptional: true)
        let required = AttributeDescription("rank", .integer, defaultValue: .value(0))
        let renamed = AttributeDescription("grade", .integer, isOptional: true, renamedFrom: ["rank"])
        let unique = AttributeDescription("code", .text, defaultValue: .uuid, isUnique: true)
        let cases: [(StoreModel, String)] = [
            (try Self.model([Self.title, Self.code], more: [tag]), "this model has no Note.rank"),
            (
                try Self.model([Self.title, renamed, Self.code], more: [tag]),
                "this model has no Note.rank"
            ),
            (
                try Self.model([Self.title, text, Self.code], more: [tag]),
                "its Note.rank is of another kind"
            ),
            (try Self.model([Self.title, required, Self.code], more: [tag]), "its Note.rank is optional"),
            (
                try Self.model([Self.title, Self.rank, unique], more: [tag]), "its Note.code is not unique"
            ),
            (try Self.model([Self.title, Self.rank, Self.code]), "this model has no Tag"),
            (
                try Self.model(
                    [Self.title, Self.rank, Self.code], entity: "Page", renamedFrom: ["Note"], more: [tag]),
                "this model has no Note"
            ),
        ]
        for (model, reason) in cases {
            let rejection = StoreError.differentModel(path: path, version: 1, reason: reason)
            await #expect(throws: rejection) { try await Notes.open(folder, model: model) }
            #expect(try dump() == before)
        }
        #expect(try await store.objects().map { $0["rank"] } == [7])
        let raised = try Self.model([Self.title, Self.code], version: 2)
        #expect(try await Notes.open(folder, model: raised).objects().map { $0["rank"] } == [.null])
    }

    @Test func `a model that adds parts opens, and a program with the earlier model learns the difference`()
        async throws
    {
        let old = try await Notes.open(folder, model: Self.model([Self.title]))
        let context = old.makeContext(author: "a")
        let id = try await context.save(inserting: ["title": "a"])
        let tag = EntityDescription("Tag", attributes: [Self.title])
        let new = try await Notes.open(folder, model: Self.model([Self.title, Self.rank], more: [tag]))
        #expect(try await new.objects().map { $0["title"] } == ["a"])
        let rejection = StoreError.differentModel(
            path: path, version: 1, reason: "this model has no Note.rank")
        await #expect(throws: rejection) { try await old.objects() }
        try await context.update(id, ["title": "b"])
        await #expect(throws: rejection) { try await context.save() }
        await #expect(throws: rejection) { try await Notes.open(folder, model: Self.model([Self.title])) }
    }

    @Test func `an entity that an earlier version dropped does not prevent additions`() async throws {
        let tag = EntityDescription("Tag", attributes: [Self.title])
        await (try await Notes.open(folder, model: Self.model([Self.title], more: [tag]))).close()
        await (try await Notes.open(folder, model: Self.model([Self.title], version: 2))).close()
        let added = try Self.model([Self.title, Self.rank], version: 2)
        #expect(try await Notes.open(folder, model: added).objects().isEmpty)
    }
}
