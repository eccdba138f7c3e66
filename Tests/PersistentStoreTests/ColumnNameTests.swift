import PersistentStore
import TestSupport
import Testing

/// Attributes with the names of columns, tables, and aliases of the history.
@Suite struct ColumnNameTests {
    static let names = [
        "number", "Number", "after", "kind", "entity", "object", "columns", "at", "began", "origin",
        "process",
        "session", "log", "row", "gone", "tip", "rowid", "old", "new", "key", "value", "history", "Item",
    ]

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func model(_ name: String, version: Int = 1, renamedFrom: [String] = []) throws -> StoreModel {
        let all: Set<AttributeDescription.History> = [.preservesValueOnDeletion, .recordsOldValue]
        return try StoreModel(
            version: version,
            entities: [
                EntityDescription(
                    "Item",
                    attributes: [
                        AttributeDescription(name, .integer, history: all, renamedFrom: renamedFrom),
                        AttributeDescription("code", .text, isUnique: true, history: all),
                    ])
            ])
    }

    private func changes(_ container: PersistentContainer) async throws -> [HistoryChange] {
        try await container.changes(HistoryFetchRequest())
    }

    @Test(arguments: names)
    func `the history retains the values of an attribute of any name`(name: String) async throws {
        let container = try await Notes.open(folder, model: model(name))
        let context = container.makeContext(author: "app")
        for number in 1...3 {
            try await context.insert("Item", [name: .integer(Int64(number)), "code": .text("\(number)")])
        }
        try await context.save()
        try await context.update(ObjectID(entity: "Item", key: 1), [name: 11])
        try await context.save()
        try await container.execute(
            .update("Item", where: .compare(name, .equal, 2), set: [name: 12]), author: "app")
        let replace = "REPLACE INTO Item (\"\(name)\", code) VALUES (21, '1')"
        #expect(try Shell.run("sqlite3", [container.path, ".timeout 5000", replace]).errors == "")
        // This one has not read the object that the batch changed.
        let other = container.makeContext(author: "app")
        try await other.delete(ObjectID(entity: "Item", key: 2))
        try await other.save()
        try await container.execute(
            .delete("Item", where: .compare(name, .equal, 3)), author: "app")
        let changes = try await changes(container).filter { $0.kind != .insert }
        #expect(changes.map { $0.oldValues[name] } == [1, 2, nil, nil, nil])
        #expect(changes.map { $0.tombstone?[name] } == [nil, nil, 11, 12, 3])
        #expect(changes.map { $0.tombstone?["code"] } == [nil, nil, "1", "2", "3"])
        #expect(changes.map(\.updatedAttributes) == [[name], [name], [], [], []])
        #expect(try await container.check().isEmpty)
    }

    @Test(arguments: [("number", "amount"), ("amount", "number"), ("after", "Number")])
    func `an attribute is renamed from and to such a name with its history`(old: String, new: String)
        async throws
    {
        var container = try await Notes.open(folder, model: model(old))
        let context = container.makeContext(author: "app")
        try await context.insert("Item", [old: 1, "code": "a"])
        try await context.save()
        try await context.delete(ObjectID(entity: "Item", key: 1))
        try await context.save()
        await container.close()
        var options = StoreOptions()
        options.migrationSteps = [MigrationStep(to: 2, of: "Item") { $0[new] = 7 }]
        container = try await Notes.open(
            folder, model: model(new, version: 2, renamedFrom: [old]), options: options)
        #expect(try await changes(container).last?.tombstone == [new: 1, "code": "a"])
        let later = container.makeContext(author: "app")
        try await later.insert("Item", [new: 2, "code": "b"])
        try await later.save()
        let item = try #require(try await later.fetch(FetchRequest("Item")).first)
        try await later.delete(item.id)
        try await later.save()
        #expect(try await changes(container).last?.tombstone == [new: 2, "code": "b"])
    }

    @Test func `an attribute of such a name gets retained values later`() async throws {
        func model(_ version: Int, _ history: Set<AttributeDescription.History>) throws -> StoreModel {
            let number = AttributeDescription(
                "number", .integer, defaultValue: .value(0), history: history)
            return try StoreModel(
                version: version, entities: [EntityDescription("Item", attributes: [number])])
        }
        await (try await Notes.open(folder, model: model(1, []))).close()
        let container = try await Notes.open(folder, model: model(2, [.preservesValueOnDeletion]))
        let context = container.makeContext(author: "app")
        try await context.insert("Item", ["number": 5])
        try await context.save()
        try await context.delete(ObjectID(entity: "Item", key: 1))
        try await context.save()
        #expect(try await changes(container).last?.tombstone == ["number": 5])
    }

    @Test(arguments: [[AttributeDescription.History.preservesValueOnDeletion], []])
    func `a dropped attribute of such a name gives its bit to another`(
        history: Set<AttributeDescription.History>
    )
        async throws
    {
        func model(_ version: Int, _ names: [String]) throws -> StoreModel {
            let attributes = names.map {
                AttributeDescription($0, .integer, isOptional: true, history: history)
            }
            return try StoreModel(
                version: version, entities: [EntityDescription("Item", attributes: attributes)])
        }
        await (try await Notes.open(folder, model: model(1, ["number"]))).close()
        let container = try await Notes.open(folder, model: model(2, (1...62).map { "a\($0)" }))
        let context = container.makeContext(author: "app")
        try await context.insert("Item", ["a62": 5])
        try await context.save()
        try await context.delete(ObjectID(entity: "Item", key: 1))
        try await context.save()
        let tombstone = try await changes(container).last?.tombstone
        #expect(tombstone?["a62"] == (history.isEmpty ? nil : 5) && tombstone?["number"] == nil)
    }

    @Test(arguments: ["new", "Old", "gone", "excluded"])
    func `an entity cannot have the name of a row in a trigger`(name: String) throws {
        #expect(throws: StoreError.invalidModel("the name '\(name)' is reserved for the store")) {
            try StoreModel(version: 1, entities: [EntityDescription(name, attributes: [])])
        }
    }
}
