import PersistentStore
import TestSupport
import Testing

/// Saves in which the order of the operations matters.
@Suite struct SaveOrderTests {
    let container: PersistentContainer
    let context: StoreContext
    let home: ObjectID

    init() async throws {
        container = try await PersistentContainer(
            inMemory: StoreModel(version: 1, records: Folder.self, Owner.self, Item.self))
        context = container.makeContext(author: "app")
        home = try await container.write(author: "app") { try $0.insert(Folder(name: "home")).id }
    }

    @Test func `a rule that changes a new object before its last reference is set loses none`() async throws {
        let label = try await container.write(author: "app") { try $0.insert(Folder(name: "label")).id }
        let owner = try await context.insert(Owner(name: "o"))
        let item = try await context.insert(
            Item(
                title: "x", folder: RecordReference(home), owner: RecordReference(owner),
                label: RecordReference(label)))
        try await context.update(owner, ["best": .reference(item)])
        try await context.delete(label)
        let result = try await context.save()
        let (i, o) = (result.permanentID(item), result.permanentID(owner))
        let stored = try #require(try await container.find(i, of: Item.self))
        #expect(stored.owner?.id == o && stored.label == nil)
        #expect(try await container.find(o, of: Owner.self)?.best?.id == i)
        // The context knows the final state.
        try await context.update(item, ["title": "y"])
        try await context.save()
    }

    @Test(arguments: [false, true])
    func `a rule that deletes a new object before its last reference is set is no failure`(
        isTargetFirst: Bool
    ) async throws {
        let (owner, item): (ObjectID, ObjectID)
        if isTargetFirst {
            item = try await context.insert(Item(title: "x", folder: RecordReference(home)))
            owner = try await context.insert(Owner(name: "o"))
            try await context.update(item, ["owner": .reference(owner)])
        } else {
            owner = try await context.insert(Owner(name: "o"))
            item = try await context.insert(
                Item(title: "x", folder: RecordReference(home), owner: RecordReference(owner)))
        }
        try await context.update(owner, ["best": .reference(item)])
        try await context.delete(home)
        let result = try await context.save()
        #expect(try await container.count(RecordRequest<Item>()) == 0)
        let stored = try #require(try await container.find(result.permanentID(owner), of: Owner.self))
        #expect(stored.best == nil)
    }

    @Test
    func
        `an insertion follows the deletion that frees its unique value, even if a change before refers to it`()
        async throws
    {
        let (old, item) = try await container.write(author: "app") { [home] in
            (
                try $0.insert(Folder(name: "label")).id,
                try $0.insert(Item(title: "x", folder: RecordReference(home))).id
            )
        }
        try await context.update(item, ["title": "y"])
        try await context.delete(old)
        let new = try await context.insert(Folder(name: "label"))
        try await context.update(item, ["label": .reference(new)])
        let result = try await context.save()
        let stored = try #require(try await container.find(item, of: Item.self))
        #expect(stored.label?.id == result.permanentID(new) && stored.version == 2)
    }

    @Test func `a deletion follows the insertion of an object that refers to the deleted one`() async throws {
        let item = try await context.insert(Item(title: "x", folder: RecordReference(home)))
        try await context.delete(home)
        let label = try await context.insert(Folder(name: "label"))
        try await context.update(item, ["label": .reference(label)])
        let result = try await context.save()
        #expect(result.deletedIDs.contains(home))
        #expect(try await container.count(RecordRequest<Item>()) == 0)
        #expect(try await container.find(result.permanentID(label), of: Folder.self) != nil)
    }

    @Test func `an object that moves to a new folder is not deleted with the old one`() async throws {
        let item = try await container.write(author: "app") { [home] in
            try $0.insert(Item(title: "x", folder: RecordReference(home))).id
        }
        try await context.update(item, ["title": "y"])
        try await context.delete(home)
        let new = try await context.insert(Folder(name: "new"))
        try await context.update(item, ["folder": .reference(new)])
        let result = try await context.save()
        let stored = try #require(try await container.find(item, of: Item.self))
        #expect(stored.folder.id == result.permanentID(new) && stored.title == "y")
    }

    @Test func `an insertion follows the deletion of its name, even if that waits for an unrelated move`()
        async throws
    {
        let (old, item) = try await container.write(author: "app") { [home] in
            (
                try $0.insert(Folder(name: "label")).id,
                try $0.insert(Item(title: "x", folder: RecordReference(home))).id
            )
        }
        try await context.update(item, ["title": "y"])
        try await context.delete(old)
        let label = try await context.insert(Folder(name: "label"))
        let new = try await context.insert(Folder(name: "new"))
        try await context.update(item, ["folder": .reference(new)])
        let result = try await context.save()
        let stored = try #require(try await container.find(item, of: Item.self))
        #expect(stored.folder.id == result.permanentID(new))
        #expect(try await container.find(result.permanentID(label), of: Folder.self)?.name == "label")
    }

    @Test func `changes that wait for new objects retain their order`() async throws {
        let (a, b) = try await container.write(author: "app") {
            (try $0.insert(Folder(name: "a")).id, try $0.insert(Folder(name: "b")).id)
        }
        let inner = try await context.insert(Folder(name: "inner"))
        try await context.update(a, ["name": "c"])
        try await context.update(b, ["name": "a"])
        let outer = try await context.insert(Folder(name: "outer"))
        for (id, parent) in [(inner, outer), (a, outer), (b, inner)] {
            try await context.update(id, ["parent": .reference(parent)])
        }
        let result = try await context.save()
        let stored = try #require(try await container.find(b, of: Folder.self))
        #expect(stored.name == "a" && stored.parent?.id == result.permanentID(inner))
    }
}
