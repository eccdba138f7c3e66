import Foundation
import PersistentStore
import TestSupport
import Testing

/// Aggregates and conditions on changes by key path.
@Suite struct RecordAggregateTests {
    struct Player: Record {
        var name: String
        var score = 0
        var rating: Double?
        var joined = Date(timeIntervalSince1970: 0)

        static let entity = RecordEntity<Player>("Player") {
            RecordAttribute(\.name)
            RecordAttribute(\.score)
            RecordAttribute(\.rating)
            RecordAttribute(\.joined)
        }
    }

    @Test func `aggregates have the types of their properties, and ignore nil`() async throws {
        let container = try await PersistentContainer(
            inMemory: StoreModel(version: 1, records: Player.self))
        let context = container.makeContext(author: "a")
        let first = Date(timeIntervalSince1970: 5)
        try await context.insert([
            Player(name: "a", score: 1, rating: 0.5, joined: first),
            Player(name: "b", score: 2), Player(name: "b", score: 6, rating: 1.5),
        ])
        try await context.save()
        #expect(try await container.read { try $0.maximum(of: \Player.joined) } == first)
        #expect(try await container.read { try $0.minimum(of: \Player.rating) } == 0.5)
        #expect(try await container.read { try $0.minimum(of: \Player.name) } == "a")
        #expect(try await container.read { try $0.sum(of: \Player.score) } == 9)
        let unrated = RecordRequest<Player>(where: \.score == 2)
        #expect(try await container.read { try $0.sum(of: \Player.rating, over: unrated) } == nil)
        #expect(try await container.read { try $0.average(of: \Player.score) } == 3)
        #expect(try await container.read { try $0.distinctCount(of: \Player.name) } == 2)
        await #expect(throws: StoreError.notNumeric("name", entity: "Player")) {
            try await container.read { try $0.average(of: \Player.name) }
        }
        let second = RecordRequest<Player>(sort: [.ascending(\.score)], limit: 1, offset: 1)
        let player = try #require(try await container.fetch(second).first)
        #expect(player.score == 2)
    }
}
