import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite struct RecordErrorTests {
    enum Kind: String, Codable, AttributeConvertible { case note, link }

    struct Item: Record {
        var kind = Kind.note
        var count = 0
        var site: URL?
        var isOdd: Bool { count % 2 == 1 }

        static let entity = RecordEntity<Item>("Item") {
            RecordAttribute(\.kind)
            RecordAttribute(\.count)
            RecordAttribute(\.site)
        }
    }

    /// The same entity, with a property that it lacks and another type of `count`.
    struct Newer: Record {
        var kind = Kind.note
        var rank: Int?

        static let entity = RecordEntity<Newer>("Item") {
            RecordAttribute(\.kind)
        }
    }

    private let folder: TemporaryFolder
    private let container: PersistentContainer
    private let context: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await PersistentContainer(
            path: folder.path(of: "items.db"), model: StoreModel(version: 1, records: Item.self))
        context = container.makeContext(author: "app")
        try await context.insert(Item())
        try await context.save()
    }

    private func write(_ sql: String) throws {
        let shell = try Shell.run("sqlite3", [container.path, sql])
        try #require(shell.status == 0, "\(shell.errors)")
    }

    @Test func `a stored value that does not fit is reported with its attribute and entity, not its text`()
        async throws
    {
        try write("UPDATE Item SET kind = 'secret'")
        for read in [
            { try await container.fetch(RecordRequest<Item>()) },
            { try await context.fetch(RecordRequest<Item>()) },
        ] as [() async throws -> [StoredRecord<Item>]] {
            let error = await #expect(throws: StoreError.self) { try await read() }
            #expect(
                error == .invalidValue(attribute: "kind", entity: "Item", reason: "it is not a valid Kind"))
            #expect(error?.description.contains("'kind' of Item") == true)
            #expect(error?.description.contains("secret") == false)
        }
        // Only the records that are read matter.
        #expect(try await container.fetch(RecordRequest<Item>(where: \.count > 0)).isEmpty)
    }

    @Test func `null in an attribute that is not optional is reported`() async throws {
        let layout = StoredObject.Layout(names: ["kind", "count", "site"])
        let object = StoredObject(
            id: ObjectID(entity: "Item", key: 1), version: 1, layout: layout,
            values: [.text("link"), .null, .text("a")])
        #expect(throws: StoreError.invalidValue(attribute: "count", entity: "Item", reason: "it is null")) {
            try StoredRecord<Item>(object)
        }
    }

    @Test func `an object without all attributes is not a record`() async throws {
        var request = FetchRequest("Item")
        request.attributes = ["kind"]
        let object = try #require(try await container.fetch(request).first)
        #expect(
            throws: StoreError.invalidValue(attribute: "count", entity: "Item", reason: "it was not fetched")
        ) {
            try StoredRecord<Item>(object)
        }
    }

    @Test func `a property without an attribute is an error, not a lost value`() async throws {
        let expected = StoreError.unknownAttribute("rank", entity: "Item")
        await #expect(throws: expected) { try await container.fetch(RecordRequest<Newer>()) }
        await #expect(throws: expected) { try await context.insert(Newer(rank: 1)) }
        await #expect(throws: expected) {
            try await container.execute(.insert([Newer(rank: 1)]), author: nil)
        }
        #expect(try await container.count(RecordRequest<Item>()) == 1)
    }

    @Test func `a request with a property that is not stored fails`() async throws {
        for request in [
            RecordRequest<Item>(where: \.isOdd == true), RecordRequest(sort: [.ascending(\.isOdd)]),
            RecordRequest(where: \.kind.rawValue.count > 3),
        ] {
            let error = await #expect(throws: StoreError.self) { try await container.fetch(request) }
            guard case .unknownAttribute(_, entity: "Item") = error else { throw try #require(error) }
        }
    }

    struct Computed: Record {
        var count = 0
        var double: Int { count * 2 }
        static let entity = RecordEntity<Computed>("Computed") {
            RecordAttribute(\.double)
        }
    }

    struct Renamed: Record {
        var title = ""
        var text: String?
        enum CodingKeys: String, CodingKey {
            case title = "heading"
            case text
        }
        static let entity = RecordEntity<Renamed>("Renamed") {
            RecordAttribute(\.title, name: "heading")
            RecordAttribute(\.text)
        }
    }

    @Test func `only stored properties and given names become attributes`() async throws {
        #expect(throws: StoreError.self) { try StoreModel(version: 1, records: Computed.self) }
        let container = try await PersistentContainer(
            path: folder.path(of: "renamed.db"), model: StoreModel(version: 1, records: Renamed.self))
        #expect(container.model.entity("Renamed")?.attributes.map(\.name) == ["heading", "text"])
        let context = container.makeContext(author: nil)
        try await context.insert(Renamed(title: "a"))
        try await context.save()
        #expect(
            try await container.fetch(RecordRequest<Renamed>(where: \.title == "a")).map(\.title) == ["a"])
    }

    /// Encodes itself as one value.
    struct Single: Record {
        var text = ""
        static let entity = RecordEntity<Single>("Item") { RecordAttribute(\.text, name: "kind") }
        init() {}
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    @Test func `a record that is not coded as attributes is rejected`() async throws {
        let expected = StoreError.invalidValue(
            attribute: nil, entity: "Item", reason: "a record has only attributes")
        await #expect(throws: expected) { try await context.insert(Single()) }
        await #expect(throws: expected) { try await container.fetch(RecordRequest<Single>()) }
    }
}
