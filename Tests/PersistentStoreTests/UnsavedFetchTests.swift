import PersistentStore
import TestSupport
import Testing

/// The fetches of a context, compared with those after its save.
@Suite struct UnsavedFetchTests {
    struct Item: Record, Hashable {
        var name: String
        var rank: Int
        var note: String?

        static let entity = RecordEntity<Item>("Item") {
            RecordAttribute(\.name, ignoresCase: true)
            RecordAttribute(\.rank, isIndexed: true)
            RecordAttribute(\.note)
        }

        static func random(_ random: inout SeededRandom) -> Item {
            Item(
                name: ["", "a", "B", "b", "c\u{0}"].randomElement(using: &random) ?? "",
                rank: .random(in: 0..<4, using: &random),
                note: Bool.random(using: &random) ? nil : "x\(Int.random(in: 0..<3, using: &random))")
        }
    }

    private let container: PersistentContainer
    private let context: StoreContext

    init() async throws {
        container = try await PersistentContainer(inMemory: StoreModel(version: 1, records: Item.self))
        context = container.makeContext(author: "app")
    }

    private static let requests: [RecordRequest<Item>] = {
        let predicates: [RecordPredicate<Item>?] = [
            nil, \.rank > 1, \.name == "B", \.note == nil, .contains(\.name, "b") || \.rank == 0,
            !(\.rank > 1 && \.note != "x1"), .matches(\.name, "[bc]*"),
        ]
        let sorts: [[RecordSortKey<Item>]] = [
            [], [.ascending(\.rank)], [.descending(\.name), .ascending(\.rank)], [.descending(\.note)],
            [.descending(\.id)],
        ]
        let pages: [(limit: Int?, offset: Int)] = [(nil, 0), (3, 0), (2, 4), (nil, 3), (0, 0), (.max, 1)]
        var requests: [RecordRequest<Item>] = []
        for predicate in predicates {
            for sort in sorts {
                for page in pages {
                    var request = RecordRequest(
                        where: predicate, sort: sort, limit: page.limit, offset: page.offset)
                    requests.append(request)
                    request.isReversed = true
                    requests.append(request)
                }
            }
        }
        return requests
    }()

    @Test(arguments: 0..<LongProof.count(2, of: 4, "seeds of unsaved objects"))
    func `a fetch returns the state after a save`(_ seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<12 { try await context.insert(Item.random(&random)) }
        try await context.save()
        for stored in try await context.fetch(RecordRequest<Item>()) {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: try await context.delete(stored)
            case 1:
                let item = Item.random(&random)
                try await context.update(stored) { $0 = item }
            default: break
            }
        }
        var new: [ObjectID] = []
        for _ in 0..<5 { new.append(try await context.insert(Item.random(&random))) }
        let changed = Item.random(&random)
        let found = try #require(try await context.find(new[0], of: Item.self))
        try await context.update(found) { $0 = changed }
        try await context.delete(new[1])
        var unsaved: [[Item]] = []
        var counts: [Int] = []
        for request in Self.requests {
            unsaved.append(try await context.fetch(request).map(\.record))
            counts.append(try await context.count(request))
        }
        try await context.save()
        for (index, request) in Self.requests.enumerated() {
            #expect(try await container.fetch(request).map(\.record) == unsaved[index], "\(request)")
            #expect(try await container.count(request) == counts[index], "\(request)")
        }
    }

    @Test func `a position bounds unsaved objects, too, and a fetch of some attributes has no others`()
        async throws
    {
        try await context.insert([2, 4, 6].map { Item(name: "stored", rank: $0) })
        try await context.save()
        try await context.insert([1, 3, 5].map { Item(name: "new", rank: $0) })
        var request = FetchRequest("Item", sort: [SortKey("rank")])
        let all = try await context.fetch(request)
        #expect(all.map { $0["rank"] } == [1, 2, 3, 4, 5, 6])
        #expect(all.map(\.id.isPermanent) == [false, true, false, true, false, true])
        #expect(all[0].version == 0)
        let sort = request.sort
        request.after = try await container.read { $0.position(of: all[1], in: sort) }
        request.attributes = ["name"]
        let page = try await context.fetch(request)
        #expect(page.map { $0["name"] } == ["new", "stored", "new", "stored"])
        #expect(page.allSatisfy { $0.values.keys.elementsEqual(["name"]) })
        #expect(try await context.count(request) == 4)
    }

    @Test func `an unsaved object is found, changed, and deleted by its temporary ID`() async throws {
        let id = try await context.insert(Item(name: "draft", rank: 1))
        let draft = try #require(try await context.find(id, of: Item.self))
        try await context.update(draft) { $0.rank = 2 }
        #expect(try await context.fetch(RecordRequest<Item>(where: \.rank == 2)).map(\.id) == [id])
        #expect(try await container.makeContext(author: "b").find(id, of: Item.self) == nil)
        try await context.delete(draft)
        #expect(try await context.find(id, of: Item.self) == nil)
        #expect(try await context.fetch(RecordRequest<Item>()).isEmpty)
    }

    @Test func `fetches during a save see each new object once`() async throws {
        for round in 0..<40 {
            try await context.insert(Item(name: "a", rank: round))
            async let saved = context.save()
            let (one, two) = (
                try await context.fetch(RecordRequest<Item>()).count,
                try await context.count(RecordRequest<Item>())
            )
            _ = try await saved
            #expect(one == round + 1 && two == round + 1)
        }
    }

    @Test func `a fetch includes a restored object`() async throws {
        let id = try await container.write(author: "app") { try $0.insert(Item(name: "old", rank: 1)) }.id
        try await context.delete(id)
        try await context.save()
        try await context.restore(id, ["name": "old", "rank": 1])
        #expect(try await context.fetch(RecordRequest<Item>(where: \.name == "OLD")).map(\.id) == [id])
    }
}
