import Foundation
import PersistentStore
import TestSupport
import Testing

struct Folder: Record, Hashable {
    var name: String
    var parent: RecordReference<Folder>?

    static let entity = RecordEntity<Folder>("Folder") {
        RecordAttribute(\.name, isUnique: true, history: [.preservesValueOnDeletion])
        RecordAttribute(\.parent, onDeletion: .cascade, history: [.preservesValueOnDeletion])
    }
}

struct Owner: Record, Hashable {
    var name: String
    var best: RecordReference<Item>?

    static let entity = RecordEntity<Owner>("Owner") {
        RecordAttribute(\.name)
        RecordAttribute(\.best)
    }
}

struct Item: Record, Hashable {
    var title: String
    var folder: RecordReference<Folder>
    var owner: RecordReference<Owner>?
    var label: RecordReference<Folder>?

    static let entity = RecordEntity<Item>("Item") {
        RecordAttribute(\.title, history: [.preservesValueOnDeletion])
        RecordAttribute(\.folder, onDeletion: .cascade, history: [.preservesValueOnDeletion])
        RecordAttribute(\.owner, onDeletion: .deny)
        RecordAttribute(\.label, history: [.recordsOldValue, .preservesValueOnDeletion])
    }
}

/// References between objects, and the rules of deletion.
@Suite struct ReferenceTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Self.open(folder)
        context = container.makeContext(author: "app")
    }

    static func open(_ folder: TemporaryFolder) async throws -> PersistentContainer {
        try await PersistentContainer(
            path: folder.path(of: "items.db"),
            model: StoreModel(version: 1, records: Folder.self, Owner.self, Item.self))
    }

    func shell(_ sql: String, checks: Bool = false) throws {
        let result = try Shell.run(
            "sqlite3", ["-cmd", ".timeout 5000", folder.path(of: "items.db")],
            input: "PRAGMA foreign_keys = \(checks ? "ON" : "OFF");\n" + sql)
        #expect(result.status == 0, "\(result)")
    }

    func insertFolder(_ name: String, in parent: ObjectID? = nil) async throws -> ObjectID {
        try await container.write(author: "app") {
            try $0.insert(Folder(name: name, parent: parent.map(RecordReference.init))).id
        }
    }

    func insertItem(
        _ title: String, in parent: ObjectID, owner: ObjectID? = nil, label: ObjectID? = nil
    ) async throws -> ObjectID {
        try await container.write(author: "app") {
            try $0.insert(
                Item(
                    title: title, folder: RecordReference(parent), owner: owner.map(RecordReference.init),
                    label: label.map(RecordReference.init))
            ).id
        }
    }

    func lastChanges() async throws -> [String] {
        let newest = try #require(
            try await container.transactions(HistoryFetchRequest(.newest, limit: 1)).last)
        return newest.changes.map { "\($0.kind) \($0.objectID) \($0.updatedAttributes.sorted())" }
    }

    // MARK: Saving

    @Test func `a save inserts parents before children, in any order of insertion`() async throws {
        let item = try await context.insert(
            "Item", ["title": "x", "folder": .null])
        let inner = try await context.insert(Folder(name: "inner"))
        let outer = try await context.insert(Folder(name: "outer"))
        try await context.update(inner, ["parent": .reference(outer)])
        try await context.update(item, ["folder": .reference(inner)])
        let unsaved = try await context.fetch(RecordRequest<Item>(where: \.folder == inner))
        #expect(unsaved.map(\.title) == ["x"] && unsaved.first?.folder.id == inner)
        let result = try await context.save()
        let (o, i) = (result.permanentID(outer), result.permanentID(inner))
        let stored = try #require(try await container.find(result.permanentID(item), of: Item.self))
        #expect(stored.folder.id == i && stored.version == 1)
        #expect(try await container.find(i, of: Folder.self)?.parent?.id == o)
        // The temporary ID is valid in the context indefinitely.
        #expect(try await context.fetch(RecordRequest<Item>(where: \.folder == inner)).map(\.title) == ["x"])
        let second = try await context.insert(Item(title: "y", folder: RecordReference(inner)))
        #expect(
            try await context.fetch(RecordRequest<Item>(where: \.folder == i)).map(\.title) == ["x", "y"])
        #expect(try await context.find(second, of: Item.self)?.folder.id == i)
        try await context.save()
        #expect(try await container.count(RecordRequest<Item>(where: \.folder == i)) == 2)
    }

    @Test func `new objects refer to each other through an optional reference`() async throws {
        let home = try await context.insert(Folder(name: "home"))
        let owner = try await context.insert(Owner(name: "o"))
        let item = try await context.insert(
            Item(title: "x", folder: RecordReference(home), owner: RecordReference(owner)))
        try await context.update(owner, ["best": .reference(item)])
        try await context.update(home, ["parent": .reference(home)])
        let result = try await context.save()
        let stored = try #require(try await container.find(result.permanentID(owner), of: Owner.self))
        #expect(stored.best?.id == result.permanentID(item))
        #expect(
            try await container.find(result.permanentID(home), of: Folder.self)?.parent?.id
                == result.permanentID(home))
        // The context knows the final state, so its next change is no conflict.
        #expect(result.versions[result.permanentID(owner)] == stored.version)
        try await context.update(owner, ["name": "p"])
        try await context.save()
    }

    @Test func `a long chain of new objects is saved from its end`() async throws {
        var ids = try await context.insert((0..<2000).map { Folder(name: "\($0)") })
        for (child, parent) in zip(ids, ids.dropFirst()) {
            try await context.update(child, ["parent": .reference(parent)])
        }
        let result = try await context.save()
        ids = ids.map(result.permanentID)
        let stored = try await container.fetch(RecordRequest<Folder>()).map { ($0.id, $0) }
        let folders = Dictionary(uniqueKeysWithValues: stored)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { folders[$0]?.parent?.id == $1 })
        // A rule follows the chain, up to SQLite's limit.
        try await context.delete(ids[899])
        #expect(try await context.save().deletedIDs.count == 900)
        try await context.delete(ids[1999])
        let error = await #expect(throws: StoreError.self) { try await context.save() }
        #expect("\(try #require(error))".contains("more than 900 levels"))
    }

    @Test func `a reference to an object that is not saved is an error`() async throws {
        let discarded = try await container.makeContext(author: "b").insert(Folder(name: "theirs"))
        for id in [discarded, try await context.insert(Folder(name: "deleted"))] {
            try await context.insert(Item(title: "x", folder: RecordReference(id)))
            if id != discarded { try await context.delete(id) }
            let error = await #expect(throws: StoreError.self) { try await context.save() }
            #expect("\(try #require(error))".contains("unsaved object that is not inserted"))
            await context.rollback()
        }
        await #expect(throws: StoreError.missingReference(attribute: "folder", entity: "Item")) {
            try await insertItem("x", in: ObjectID(entity: "Folder", key: 77))
        }
        let owner = try await container.write(author: "a") { try $0.insert(Owner(name: "o")).id }
        let error = await #expect(throws: StoreError.self) { try await insertItem("x", in: owner) }
        #expect(error?.group == .value)
        let foreign = ObjectID(entity: "Folder", key: 1, storeID: UUID())
        await #expect(throws: StoreError.objectOfAnotherStore(foreign)) {
            try await insertItem("x", in: foreign)
        }
        #expect(try await container.count(RecordRequest<Item>()) == 0)
    }

    // MARK: Rules

    @Test func `rules of deletion are recorded as they happen`() async throws {
        let outer = try await insertFolder("outer")
        let inner = try await insertFolder("inner", in: outer)
        let label = try await insertFolder("label")
        let item = try await insertItem("x", in: inner, label: label)
        let before = try #require(try await container.find(item, of: Item.self))
        try await context.delete(label)
        var result = try await context.save()
        let changes = try await lastChanges()
        #expect(Set(changes) == ["delete \(label) []", "update \(item) [\"label\"]"])
        #expect(result.versions[item] == before.version + 1)
        let change = try await container.changes(HistoryFetchRequest(.newest, limit: 1)).first {
            $0.kind == .update
        }
        #expect(change?.oldValues(of: Item.self)?[\.label]?.id == label)
        try await context.delete(outer)
        result = try await context.save()
        #expect(Set(result.deletedIDs) == [outer, inner, item])
        let deletions = try await container.changes(HistoryFetchRequest(.newest, limit: 1))
        #expect(
            Set(deletions.map(\.objectID)) == [outer, inner, item]
                && deletions.allSatisfy { $0.kind == .delete })
        let tombstone = try #require(deletions.first { $0.objectID == item })
        #expect(tombstone.tombstone(of: Item.self)?[\.folder]?.id == inner)
        // The parent of a restored object is missing.
        await #expect(throws: StoreError.missingReference(attribute: "folder", entity: "Item")) {
            try await container.write(author: "app") { try $0.restore(tombstone) }
        }
        // In any order within a transaction.
        try await container.write(author: "app") { for change in deletions { try $0.restore(change) } }
        #expect(try await container.find(item, of: Item.self)?.folder.id == inner)
        #expect(try await container.check().isEmpty)
    }

    @Test func `a denied deletion names the entities and the attribute`() async throws {
        let home = try await insertFolder("home")
        let owner = try await container.write(author: "a") { try $0.insert(Owner(name: "o")).id }
        let item = try await insertItem("x", in: home, owner: owner)
        let denied = StoreError.deletionDenied(entity: "Owner", attribute: "owner", of: "Item")
        try await context.delete(owner)
        await #expect(throws: denied) { try await context.save() }
        await context.rollback()
        await #expect(throws: denied) { try await container.write(author: "a") { try $0.delete(owner) } }
        await #expect(throws: denied) {
            try await container.execute(.delete(all: Owner.self), author: "a")
        }
        #expect("\(denied)".contains("'owner' of Item"))
        // Not if the transaction deletes the item, too, in any order.
        try await context.delete(owner)
        try await context.delete(item)
        #expect(try await Set(context.save().deletedIDs) == [owner, item])
    }

    @Test func `the rules apply to a new object that is deleted before its save`() async throws {
        let home = try await insertFolder("home")
        let stored = try await insertItem("stored", in: home)
        let (outer, label) = (
            try await context.insert(Folder(name: "outer")), try await context.insert(Folder(name: "label"))
        )
        let inner = try await context.insert(Folder(name: "inner", parent: RecordReference(outer)))
        try await context.insert(Item(title: "x", folder: RecordReference(inner)))
        let labeled = try await context.insert(
            Item(title: "y", folder: RecordReference(home), label: RecordReference(label)))
        try await context.update(stored, ["label": .reference(label)])
        for id in [outer, label] { try await context.delete(id) }
        let id = try await context.save().permanentID(labeled)
        #expect(try await container.fetch(RecordRequest<Item>()).map(\.id) == [stored, id])
        #expect(try await container.fetch(RecordRequest<Item>()).allSatisfy { $0.label == nil })
        #expect(try await container.count(RecordRequest<Folder>()) == 1)
        let owner = try await context.insert(Owner(name: "o"))
        try await context.insert(
            Item(title: "z", folder: RecordReference(home), owner: RecordReference(owner)))
        try await context.delete(owner)
        await #expect(throws: StoreError.deletionDenied(entity: "Owner", attribute: "owner", of: "Item")) {
            try await context.save()
        }
        await context.rollback()
        #expect(await !context.hasChanges)
    }

    @Test func `changes of a context and its deletions of parents are no conflict`() async throws {
        let home = try await insertFolder("home")
        let label = try await insertFolder("label")
        let item = try await insertItem("x", in: home, label: label)
        let read = try #require(try await context.find(item, of: Item.self))
        try await context.delete(label)
        try await context.update(read) { $0.title = "y" }
        try await context.save()
        let stored = try #require(try await container.find(item, of: Item.self))
        #expect(stored.title == "y" && stored.label == nil)
        // The context knows the new version.
        try await context.update(item, ["title": "z"])
        try await context.save()
        // A rule deletes an object with an update, before and after it.
        try await context.update(item, ["title": "w"])
        try await context.delete(home)
        try await context.delete(item)
        try await context.save()
        #expect(try await context.object(item) == nil)
        let other = try await insertFolder("other")
        let doomed = try await insertItem("d", in: other)
        _ = try await context.find(doomed, of: Item.self)
        try await context.delete(other)
        try await context.update(doomed, ["title": "e"])
        #expect(try await Set(context.save().deletedIDs) == [other, doomed])
    }

    @Test func `another writer's change of a nullified object is a conflict`() async throws {
        let (home, label) = (try await insertFolder("home"), try await insertFolder("label"))
        let item = try await insertItem("x", in: home, label: label)
        _ = try await context.find(item, of: Item.self)
        try await container.write(author: "b") { try $0.update(item, ["title": "theirs"]) }
        try await context.delete(label)
        try await context.save()
        try await context.update(item, ["title": "mine"])
        let error = await #expect(throws: StoreError.self) { try await context.save() }
        guard case .conflict(let conflicts)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.objectID) == [item])
    }

    @Test func `a batch applies the rules, and records them`() async throws {
        let outer = try await insertFolder("outer")
        for index in 0..<30 { _ = try await insertFolder("\(index)", in: outer) }
        let items = BatchRequest.insert(total: 2000) {
            (0..<2000).lazy.map { Item(title: "\($0)", folder: RecordReference(outer)) }
        }
        try await container.execute(items, author: "app")
        let result = try await container.execute(
            .delete(where: \Folder.name == "outer"), author: "app")
        #expect(result.rows == 1)
        #expect(try await container.count(RecordRequest<Item>()) == 0)
        #expect(try await container.changes(HistoryFetchRequest(.newest, limit: 1)).count == 2031)
        let orphans = BatchRequest.insert { [Item(title: "o", folder: RecordReference(outer))] }
        await #expect(throws: StoreError.missingReference(attribute: "folder", entity: "Item")) {
            try await container.execute(orphans, author: "app")
        }
        #expect(try await container.check().isEmpty)
    }

    // MARK: Fetching

    @Test func `children of several parents are fetched with one request`() async throws {
        let (a, b, c) = (
            try await insertFolder("a"), try await insertFolder("b"), try await insertFolder("c")
        )
        for (title, parent) in [("1", a), ("2", b), ("3", a)] { _ = try await insertItem(title, in: parent) }
        let folders = try await container.fetch(RecordRequest<Folder>(where: \.name < "c"))
        let request = RecordRequest<Item>(
            where: .isOneOf(\.folder, folders.map(RecordReference.init)), sort: [.descending(\.folder)])
        let items = Dictionary(grouping: try await container.fetch(request), by: \.folder)
        #expect(folders.map { items[RecordReference($0)]?.map(\.title) } == [["3", "1"], ["2"]])
        #expect(try await container.count(RecordRequest<Item>(where: \.folder == c)) == 0)
        #expect(try await container.count(RecordRequest<Item>(where: !(\.folder == a))) == 1)
        #expect(try await container.count(RecordRequest<Item>(where: \.label == nil)) == 3)
        let counts = try await container.read { try $0.valueCounts(of: \Item.folder) }
        #expect(counts.map(\.count) == [2, 1] && counts.map(\.value.id) == [a, b])
        let wrong = ObjectID(entity: "Owner", key: a.key)
        #expect(try await container.count(RecordRequest<Item>(where: \.folder == wrong)) == 0)
        #expect(try await container.count(RecordRequest<Item>(where: !(\.folder == wrong))) == 3)
        let object = try #require(try await container.fetch(FetchRequest("Item")).first)
        #expect(object["folder"] == .reference(a) && object["label"] == .null)
        try await container.execute(
            .update(where: \Item.folder == a, set: \.folder, to: RecordReference(c)), author: "a")
        #expect(try await container.count(RecordRequest<Item>(where: \.folder == c)) == 2)
    }
}
