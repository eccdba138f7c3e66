import PersistentStore
import TestSupport
import Testing

/// References in models, and in stores of earlier models.
@Suite struct ReferenceMigrationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a model rejects references that cannot be`() throws {
        let list = EntityDescription("List", attributes: [AttributeDescription("name", .text)])
        let none = AttributeDescription("list", referencing: "Lost", onDeletion: .deny)
        let required = AttributeDescription("list", referencing: "List", onDeletion: .nullify)
        for (attribute, part) in [(none, "unknown entity 'Lost'"), (required, "cannot be null")] {
            let error = #expect(throws: StoreError.self) {
                try StoreModel(
                    version: 1, entities: [list, EntityDescription("Todo", attributes: [attribute])])
            }
            #expect("\(try #require(error))".contains(part))
        }
    }

    @Test func `references are added, renamed, given another rule, and removed`() async throws {
        let path = folder.path(of: "migrated.db")
        let list = EntityDescription("List", attributes: [AttributeDescription("name", .text)])
        func open(_ version: Int, _ attributes: [AttributeDescription], _ lists: EntityDescription? = nil)
            async throws -> PersistentContainer
        {
            let title = AttributeDescription("title", .text)
            let todo = EntityDescription("Todo", attributes: [title] + attributes)
            return try await PersistentContainer(
                path: path, model: StoreModel(version: version, entities: [lists ?? list, todo]))
        }
        // From keys in an integer attribute, of which one dangles.
        var store = try await open(1, [AttributeDescription("list", .integer, isOptional: true)])
        try await store.write(author: "a") {
            let id = try $0.insert("List", ["name": "l"]).id
            for key in [id.key, 99] { try $0.insert("Todo", ["title": "t", "list": .integer(key)]) }
        }
        await store.close()
        let required = AttributeDescription("list", referencing: "List", onDeletion: .deny)
        await #expect(throws: StoreError.self) { try await open(2, [required]) }
        store = try await open(
            2, [AttributeDescription("list", referencing: "List", onDeletion: .nullify, isOptional: true)])
        #expect(try await store.fetch(FetchRequest("Todo")).map { $0["list"] } == [1, .null])
        #expect(try await store.check().isEmpty)
        await store.close()
        // Other names of the entity and of the attribute, and another rule.
        let group = EntityDescription(
            "Group", attributes: list.attributes, renamedFrom: ["List"])
        let renamed = AttributeDescription(
            "group", referencing: "Group", onDeletion: .cascade, isOptional: true, renamedFrom: ["list"])
        store = try await open(3, [renamed], group)
        try await store.write(author: "a") { try $0.delete(ObjectID(entity: "Group", key: 1)) }
        #expect(try await store.fetch(FetchRequest("Todo")).map(\.id.key) == [2])
        await store.close()
        store = try await open(4, [], group)
        #expect(try await store.fetch(FetchRequest("Todo")).count == 1)
        await store.close()
        // Added to existing objects.
        store = try await open(
            5, [AttributeDescription("list", referencing: "Group", onDeletion: .deny, isOptional: true)],
            group)
        #expect(try await store.fetch(FetchRequest("Todo")).map { $0["list"] } == [.null])
        #expect(try await store.check().isEmpty)
        await store.close()
    }
}
