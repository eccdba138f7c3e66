import PersistentStore
import TestSupport
import Testing

/// The bits of dropped attributes, of which there are 62.
@Suite struct AttributeBitTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ version: Int) async throws -> PersistentContainer {
        let extra = AttributeDescription(
            "extra\(version)", .integer, isOptional: true,
            history: [.recordsOldValue, .preservesValueOnDeletion])
        return try await Notes.open(folder, model: Notes.model(version: version, more: [extra]))
    }

    @Test func `the bits of attributes that no retained change names are reused`() async throws {
        var container = try await open(1)
        let id = try await container.makeContext(author: "a").save(inserting: ["extra1": 1])
        await container.close()
        for version in 2...150 { await (try await open(version)).close() }
        container = try await open(151)
        let context = container.makeContext(author: "a")
        try await context.update(id, ["extra151": 5, "rank": 1])
        try await context.save()
        let update = try #require(try await container.transactions().last?.changes.first)
        #expect(Set(update.updatedAttributes) == ["extra151", "rank"])
    }

    @Test func `a bit is reused only after the history that names it is purged`() async throws {
        var container = try await open(1)
        let id = try await container.makeContext(author: "a").save(inserting: ["extra1": 1])
        await container.close()
        // The insert names no attribute, so the bit of extra1 is reused for extra59.
        for version in 2...59 {
            container = try await open(version)
            let context = container.makeContext(author: "a")
            try await context.update(id, ["extra\(version)": 7])
            try await context.save()
            await container.close()
        }
        let error = await #expect(throws: StoreError.self) { try await open(60) }
        #expect(error?.description.contains("purge the history") == true)
        container = try await open(59)
        let changes = try await container.transactions().flatMap(\.changes)
        #expect(changes.flatMap(\.updatedAttributes) == (2...59).map { "extra\($0)" })
        try await container.deleteHistory(HistoryDeleteRequest(.before(container.currentToken())))
        await container.close()
        for version in 60...70 { await (try await open(version)).close() }
        container = try await open(70)
        #expect(
            try await container.transactions().flatMap(\.changes).map(\.updatedAttributes) == [["extra59"]])
        #expect(try await container.check() == [])
    }
}
