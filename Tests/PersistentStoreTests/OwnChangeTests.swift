import Foundation
import PersistentStore
import TestSupport
import Testing

/// Later changes of a record that the same context has changed or saved.
@Suite struct OwnChangeTests {
    struct Item: Record, Equatable {
        var title: String
        var rank: Int?
        var weight = 0.0

        static let entity = RecordEntity<Item>("Item") {
            RecordAttribute(\.title)
            RecordAttribute(\.rank)
            RecordAttribute(\.weight)
        }
    }

    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        container = try await PersistentContainer(
            inMemory: StoreModel(version: 1, records: Item.self))
        context = container.makeContext(author: "a")
        try await context.insert(Item(title: "t", rank: 4))
        try await context.insert(Item(title: "u"))
        try await context.save()
    }

    private var stored: [StoredRecord<Item>] {
        get async throws { try await container.fetch(RecordRequest<Item>()) }
    }

    @Test func `the last update of a property is saved, even if it restores the value as read`() async throws
    {
        let read = try await context.fetch(RecordRequest<Item>())
        for (task, rank) in zip(read, [77, 78]) {
            try await context.update(task) { $0.rank = rank }
            try await context.update(task) { $0.title = "new" }
            try await context.update(task) { $0.rank = task.rank }
        }
        try await context.save()
        #expect(try await stored.map(\.rank) == [4, nil])
        #expect(try await stored.map(\.title) == ["new", "new"])

        for task in try await context.fetch(RecordRequest<Item>()) {
            try await context.update(task) { $0 = Item(title: "other", rank: 9) }
            try await context.update(task) { $0 = task.record }
        }
        try await context.save()
        #expect(try await stored.map(\.record) == [Item(title: "new", rank: 4), Item(title: "new")])
    }

    @Test func `an update sees the earlier ones of its context`() async throws {
        let task = try #require(try await context.fetch(RecordRequest<Item>()).first)
        for _ in 0..<3 { try await context.update(task) { $0.rank? += 1 } }
        try await context.save()
        for _ in 0..<3 { try await context.update(task) { $0.rank? += 1 } }
        try await context.save()
        #expect(try await stored[0].rank == 10)
    }

    @Test(arguments: [false, true])
    func `a record is changed again after its own context has saved it`(isElsewhere: Bool) async throws {
        let task = try await isElsewhere ? stored[0] : context.fetch(RecordRequest<Item>())[0]
        for rank in 5...7 {
            try await context.update(task) { $0.rank = rank }
            #expect(try await context.save().versions.count == 1)
            try await context.update(task) { $0 = Item(title: "title \(rank)", rank: rank) }
            try await context.save()
        }
        #expect(try await stored[0].record == Item(title: "title 7", rank: 7))
        try await context.delete(task)
        #expect(try await context.save().deletedIDs == [task.id])
    }

    @Test func `a record is changed again after its values were discarded`() async throws {
        let task = try #require(try await context.fetch(RecordRequest<Item>()).first)
        try await context.update(task) { $0.rank = 5 }
        try await context.save()
        try await context.insert((0..<3000).map { Item(title: "\($0)") })
        try await context.save()
        #expect(try await context.registeredObject(for: task.id) == nil)
        try await context.update(task) { $0.title = "changed" }
        try await context.save()
        #expect(try await stored[0].record == Item(title: "changed", rank: 5))
    }

    @Test func `a change by another writer between own saves is a conflict`() async throws {
        let task = try #require(try await context.fetch(RecordRequest<Item>()).first)
        try await context.update(task) { $0.rank = 5 }
        try await context.save()
        let other = container.makeContext(author: "b")
        try await other.update(stored[0]) { $0.title = "theirs" }
        try await other.save()
        _ = try await context.fetch(RecordRequest<Item>())
        try await context.update(task) { $0.rank = 6 }
        await #expect(throws: StoreError.self) { try await context.save() }
        await context.rollback()
        let current = try #require(try await context.fetch(RecordRequest<Item>()).first)
        try await context.update(current) { $0.rank = 7 }
        try await context.save()
        try await context.update(current) { $0.rank = 8 }
        try await context.save()
        #expect(try await stored[0].record == Item(title: "theirs", rank: 8))
        try await context.update(task) { $0.rank = 9 }
        await #expect(throws: StoreError.self) { try await context.save() }
    }

    @Test func `a record with discarded changes is no state of the store`() async throws {
        let id = try #require(try await stored.first).id
        _ = try await context.fetch(RecordRequest<Item>())
        try await context.update(id, ["rank": 77])
        let unsaved = try #require(try await context.fetch(RecordRequest<Item>()).first)
        #expect(unsaved.rank == 77)
        await context.rollback()
        try await context.update(unsaved) { $0.title = "x" }
        try await context.save()
        #expect(try await context.registeredObject(for: id)?["rank"] == 4)
        let other = container.makeContext(author: "b")
        try await other.update(unsaved) { $0.title = "y" }
        await #expect(throws: StoreError.self) { try await other.save() }
    }

    @Test func `a saved object has the values of the store, converted or not`() async throws {
        let first = try await context.insert("Item", ["title": 3, "rank": 2.0, "weight": 3])
        let id = try await context.save().permanentID(first)
        func isAsStored() async throws -> Bool {
            let object = try #require(try await container.read { try $0.fetch(FetchRequest("Item")) }.last)
            return try await context.registeredObject(for: id)?.values == object.values
        }
        #expect(try await isAsStored())
        try await context.update(id, ["title": 33, "weight": 4])
        try await context.save()
        #expect(try await isAsStored())
        let other = container.makeContext(author: "b")
        try await other.update(id, ["weight": 5, "rank": 6.0])
        try await other.save()
        #expect(try await other.registeredObject(for: id)?["weight"] == 5.0)
        #expect(try await other.registeredObject(for: id)?["rank"] == 6)
    }
}
