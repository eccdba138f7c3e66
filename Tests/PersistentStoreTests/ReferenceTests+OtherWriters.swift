import Foundation
import PersistentStore
import TestSupport
import Testing

/// References and rules with other writers, damage, and triggers of other programs.
extension ReferenceTests {
    @Test(arguments: [true, false])
    func `a parent and a child meet in each order of two writers`(isParentDeletedFirst: Bool) async throws {
        let home = try await insertFolder("home")
        let label = try await insertFolder("label")
        let other = try await Self.open(folder)
        let theirs = other.makeContext(author: "b")
        _ = try await theirs.find(home, of: Folder.self)
        try await theirs.insert(
            Item(title: "x", folder: RecordReference(home), label: RecordReference(label)))
        try await context.delete(home)
        if isParentDeletedFirst {
            try await context.save()
            await #expect(throws: StoreError.missingReference(attribute: "folder", entity: "Item")) {
                try await theirs.save()
            }
            #expect(await theirs.hasChanges)
            await theirs.rollback()
        } else {
            let item = try #require(try await theirs.save().insertedIDs.values.first)
            #expect(try await Set(context.save().deletedIDs) == [home, item])
            let merged = try await theirs.merge(
                container.transactions(HistoryFetchRequest(.newest, limit: 1)))
            #expect(merged.deleted == [home, item])
        }
        #expect(try await container.count(RecordRequest<Item>()) == 0)
        #expect(try await container.check().isEmpty)
        await other.close()
    }

    @Test func `a shell that checks references applies the rules, and one that does not is reported`()
        async throws
    {
        let home = try await insertFolder("home")
        let label = try await insertFolder("label")
        let item = try await insertItem("x", in: home, label: label)
        try shell("DELETE FROM Folder WHERE id = \(label.key);", checks: true)
        let found = try #require(try await container.find(item, of: Item.self))
        #expect(found.label == nil && found.version == 2)
        try shell("UPDATE Folder SET id = 50 WHERE id = \(home.key);", checks: true)
        #expect(try await container.find(item, of: Item.self)?.folder.id.key == 50)
        try shell("REPLACE INTO Folder (id, name) VALUES (50, 'again');", checks: true)
        #expect(try await container.find(item, of: Item.self) == nil)
        #expect(try await container.check().isEmpty)
        let orphan = try await insertItem("o", in: ObjectID(entity: "Folder", key: 50))
        try shell("DELETE FROM Folder WHERE id = 50;")
        #expect(try await container.check() == [.danglingReferences(table: "Item", count: 1)])
        // Other attributes of the object can be changed, and it can be deleted.
        try await container.write(author: "a") { try $0.update(orphan, ["title": "p"]) }
        try await container.write(author: "a") { try $0.delete(orphan) }
        #expect(try await container.check().isEmpty)
    }

    @Test func `a salvage leaves out objects whose required parent is lost`() async throws {
        let outer = try await insertFolder("outer")
        let (home, label) = (try await insertFolder("home", in: outer), try await insertFolder("label"))
        _ = try await insertItem("lost", in: home)
        let item = try await insertItem("x", in: outer, label: label)
        await container.close()
        try shell("DELETE FROM Folder WHERE id IN (\(home.key), \(label.key));")
        let path = folder.path(of: "salvaged.db")
        let report = try PersistentContainer.salvage(
            folder.path(of: "items.db"), to: path, author: "salvage", model: container.model)
        let items = try #require(report.objects.first { $0.entity == "Item" })
        #expect(items.saved == 1 && items.missing == [1...1])
        let salvaged = try await PersistentContainer(path: path, model: container.model)
        let left = try await salvaged.fetch(RecordRequest<Item>())
        #expect(left.map(\.id.key) == [item.key] && left.first?.label == nil)
        #expect(try await salvaged.check().isEmpty)
        await salvaged.close()
    }

    @Test func `rules are proven in a store with triggers of another program`() async throws {
        let home = try await insertFolder("home")
        try shell("CREATE TRIGGER theirs AFTER INSERT ON Item BEGIN SELECT 1; END;")
        let change: @Sendable (inout StoreTransaction) throws -> Void = { transaction in
            try transaction.insert(Item(title: "x", folder: RecordReference(home)))
            try transaction.delete(home)
        }
        try await container.write(author: "app", change)
        #expect(try await container.count(RecordRequest<Item>()) == 0)
        let second = try await insertFolder("second")
        try await context.insert(Item(title: "y", folder: RecordReference(second)))
        try await context.delete(second)
        #expect(try await context.save().deletedIDs.count == 2)
        let third = try await insertFolder("third")
        try shell("CREATE TRIGGER evil AFTER INSERT ON Item BEGIN DELETE FROM Item WHERE id = new.id; END;")
        await #expect(throws: StoreError.self) { try await insertItem("z", in: third) }
    }
}
