import Foundation
import PersistentStore
import TestSupport
import Testing

/// Key paths of records as conditions, and values of types that no attribute stores as they are.
@Suite struct TypedInterfaceTests {
    struct Place: Codable, Hashable { var latitude: Double, name: String }

    struct Task: Record, Hashable {
        var title: String
        var isDone = false
        var isShared = false
        var created = 0
        var edited = 0
        var owner: String?
        var editor: String?
        var tags: [String] = []
        var place: Place?
        var size: UInt64 = 0

        static let entity = RecordEntity<Task>("Task") {
            RecordAttribute(\.title)
            RecordAttribute(\.isDone, indexWhenFalse: \.created)
            RecordAttribute(\.isShared)
            RecordAttribute(\.created)
            RecordAttribute(\.edited)
            RecordAttribute(\.owner)
            RecordAttribute(\.editor)
            RecordAttribute(json: \.tags, defaultValue: .value("[]"))
            RecordAttribute(json: \.place)
            RecordAttribute(\.size)
        }
    }

    private static let tasks = [
        Task(
            title: "a", isDone: true, created: 1, edited: 2, owner: "x", editor: "x", tags: ["q", "\"é\u{0}"]),
        Task(
            title: "b", isShared: true, created: 2, edited: 2, owner: "x",
            place: Place(latitude: 1.5, name: "/")),
        Task(title: "c", isDone: true, isShared: true, created: 3, edited: 2, size: 9),
        Task(title: "d"),
    ]

    private let container: PersistentContainer
    private let ids: [ObjectID]

    init() async throws {
        container = try await PersistentContainer(inMemory: StoreModel(version: 1, records: Task.self))
        ids = try await container.write(author: "app") { transaction in
            try Self.tasks.map { try transaction.insert($0).id }
        }
    }

    private func titles(_ predicate: RecordPredicate<Task>) async throws -> String {
        try await container.fetch(RecordRequest(where: predicate)).map(\.title).joined()
    }

    @Test func `a record is found by its ID`() async throws {
        #expect(try await container.find(ids[1], of: Task.self)?.record == Self.tasks[1])
        let found: StoredRecord<Task>? = try await container.makeContext(author: "a").find(ids[2])
        #expect(found?.title == "c")
        let first: StoredRecord<Task>? = try await container.read { [ids] snapshot in
            try snapshot.find(ids[0])
        }
        #expect(first?.title == "a")
        #expect(try await container.find(ObjectID(entity: "Task", key: 99), of: Task.self) == nil)
        #expect(try await container.find(ObjectID(entity: "Other", key: 1), of: Task.self) == nil)
        let foreign = ObjectID(entity: "Task", key: 1, storeID: UUID())
        await #expect(throws: StoreError.objectOfAnotherStore(foreign)) {
            try await container.find(foreign, of: Task.self)
        }
    }

    @Test func `the ID is a condition and a sort key`() async throws {
        #expect(try await titles(\.id == ids[2]) == "c")
        #expect(try await titles(\.id != ids[2]) == "abd")
        #expect(try await titles(\.id == ids[0] || \.title == "d") == "ad")
        let request = RecordRequest<Task>(where: \.isDone, sort: [.descending(\.id)])
        #expect(try await container.fetch(request).map(\.title) == ["c", "a"])
        #expect(try await container.fetch(RecordRequest<Task>(sort: [.ascending(\.id)])).map(\.id) == ids)
    }

    @Test func `a Boolean property is a condition`() async throws {
        #expect(try await container.count(RecordRequest<Task>(where: \.isDone)) == 2)
        #expect(try await titles(!\.isDone) == "bd")
        #expect(try await titles(\.isDone && \.created > 1) == "c")
        #expect(try await titles(\.created > 1 && !\.isDone) == "b")
        #expect(try await titles(\.title == "d" || \.isShared) == "bcd")
        #expect(try await titles(!(\.title == "d" || \.isShared)) == "a")
    }

    @Test func `two properties are compared`() async throws {
        let expected = ["bd", "ac", "a", "abd", "c", "bcd"]
        for (comparison, notes) in zip(ObjectPredicate.Comparison.allCases, expected) {
            #expect(try await titles(.compare(\.created, comparison, \.edited)) == notes)
        }
        // Null equals null.
        #expect(try await titles(.compare(\.owner, .equal, \.editor)) == "acd")
        #expect(try await titles(.compare(\.owner, .notEqual, \.editor)) == "b")
    }

    @Test func `JSON values return as they were, and null stays null`() async throws {
        #expect(try await container.fetch(RecordRequest<Task>()).map(\.record) == Self.tasks)
        let stored = try await container.fetch(FetchRequest("Task")).map { $0["tags"] }
        #expect(stored[3] == "[]")
        let updated = try await container.write(author: "app") { [ids] transaction in
            try transaction.update(ids[3], of: Task.self) { $0.place = Place(latitude: 2, name: "x") }
        }
        #expect(updated?.version == 2 && updated?.place?.name == "x")
        let same = try await container.write(author: "app") { [ids] transaction in
            try transaction.update(ids[3], of: Task.self) { $0.place = Place(latitude: 2, name: "x") }
        }
        #expect(same?.version == 2)
        let error = await #expect(throws: StoreError.self) {
            try await container.write(author: "app") {
                try $0.insert(Task(title: "e", place: Place(latitude: .nan, name: "")))
            }
        }
        guard case .invalidValue("place", "Task", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `values are counted by property`() async throws {
        let (done, owners) = try await container.read { snapshot in
            (try snapshot.valueCounts(of: \Task.isDone), try snapshot.valueCounts(of: \Task.owner))
        }
        #expect(done.map(\.value) == [false, true] && done.map(\.count) == [2, 2])
        #expect(Dictionary(uniqueKeysWithValues: owners.map { ($0.value, $0.count) }) == [nil: 2, "x": 2])
    }

    @Test func `a batch sets several properties, and deletes all records of a type`() async throws {
        let request = BatchRequest.update(where: \Task.isDone == true, set: \.size, to: 7)
            .setting(\Task.title, to: "done").setting(\Task.owner, to: nil)
        #expect(try await container.execute(request, author: "app").rows == 2)
        #expect(try await titles(\.size == 7 && \.owner == nil) == "donedone")
        let deletion = BatchRequest.delete(all: Task.self)
        await #expect(throws: StoreError.self) {
            try await container.execute(deletion.setting(\Task.size, to: 7), author: "app")
        }
        #expect(try await container.execute(deletion, author: "app").rows == 4)
    }

    /// A property without an attribute.
    struct Unlisted: Record {
        var title = ""
        var note: String?
        var count: Int?
        var data: Data?
        static let entity = RecordEntity<Unlisted>("Task") { RecordAttribute(\.title) }
    }

    @Test func `a nil property that is not listed is an error of the first insertion`() async throws {
        let context = container.makeContext(author: "app")
        await #expect(throws: StoreError.unknownAttribute("note", entity: "Task")) {
            try await context.insert(Unlisted())
        }
        await #expect(throws: StoreError.unknownAttribute("note", entity: "Task")) {
            try await container.count(RecordRequest<Unlisted>(where: \.note == nil))
        }
    }

    @Test func `a printed result of a save has no values of objects`() async throws {
        let context = container.makeContext(author: "app")
        try await context.insert(Task(title: "secret"))
        let result = try await context.save()
        #expect("\(result)" == "1 saved, of which 1 inserted and 0 deleted; 0 conflicts resolved")
    }

    @Test func `an invalid model names the name that occurs twice`() throws {
        let attribute = AttributeDescription("Size", .integer)
        let one = EntityDescription("Box", attributes: [attribute, AttributeDescription("size", .text)])
        let error = #expect(throws: StoreError.self) { try StoreModel(version: 1, entities: [one]) }
        #expect(error?.description.contains("'size'") == true)
        let two = [
            EntityDescription("Box", attributes: [attribute]),
            EntityDescription("box", attributes: [attribute]),
        ]
        let clash = #expect(throws: StoreError.self) { try StoreModel(version: 1, entities: two) }
        #expect(clash?.description.contains("'box'") == true)
    }
}
