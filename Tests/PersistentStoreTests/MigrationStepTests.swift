import PersistentStore
import TestSupport
import Testing

/// Migrations with steps in code.
@Suite struct MigrationStepTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Refusal: Error, CustomStringConvertible {
        let description = "not this one"
    }

    private func migrate(_ steps: [MigrationStep], model: StoreModel? = nil) async throws
        -> PersistentContainer
    {
        var options = StoreOptions()
        options.migrationSteps = steps
        return try await Notes.open(folder, model: try model ?? Notes.migratedModel(), options: options)
    }

    private func fill(_ titles: [String]) async throws -> HistoryToken {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        for (index, title) in titles.enumerated() {
            try await context.insert("Note", ["title": .text(title), "rank": .integer(Int64(index))])
        }
        try await context.save()
        let token = try await container.currentToken()
        await container.close()
        return token
    }

    @Test func `a step computes the values of each object, and the history records it as one transaction`()
        async throws
    {
        let token = try await fill(["a", "b"])
        let container = try await migrate(Notes.migrationSteps)
        let objects = try await container.objects()
        #expect(
            objects.map(\.values) == [
                ["headline": "a", "body": .null, "rank": "rank 0", "slug": "1-a"],
                ["headline": "b", "body": .null, "rank": "rank 1", "slug": "2-b"],
            ])
        #expect(objects.map(\.version) == [2, 2])
        let new = try await container.transactions(HistoryFetchRequest(.after(token)))
        #expect(new.map(\.author) == [MigrationStep.author] && new.map(\.contextName) == ["1 to 2"])
        let changes = new.flatMap(\.changes)
        #expect(changes.map(\.kind) == [.update, .update] && changes.map(\.objectID) == objects.map(\.id))
        #expect(changes.allSatisfy { Set($0.updatedAttributes) == ["rank", "slug"] })
        #expect(changes.map(\.oldValues) == [["rank": 0], ["rank": 1]])
        #expect(try await container.check() == [])
        // A later opening runs no step.
        await container.close()
        let again = try await migrate(Notes.migrationSteps)
        #expect(try await again.objects().map(\.version) == [2, 2])
    }

    @Test func `objects that a step deletes, or does not change, are recorded as such`() async throws {
        let token = try await fill(["same", "twin", "twin"])
        let model = try Notes.model(
            version: 2, more: [AttributeDescription("extra", .text, defaultValue: .value("default"))])
        let container = try await migrate(
            [
                MigrationStep(to: 2, of: "Note") { note in
                    if note.id.key == 3 { note.delete() }
                    if note.id.key == 2 { note["extra"] = "set" }
                }
            ], model: model)
        #expect(try await container.objects().map { $0["extra"] } == ["default", "set"])
        #expect(try await container.objects().map(\.version) == [1, 2])
        let changes = try await container.transactions(HistoryFetchRequest(.after(token))).flatMap(\.changes)
        #expect(changes.map(\.kind) == [.update, .delete])
        #expect(changes.map(\.objectID.key) == [2, 3])
        #expect(changes.last?.tombstone == ["title": "twin", "body": .null])
        let next = try await container.makeContext(author: "a").save(inserting: [:])
        #expect(next.key == 4)
    }

    @Test func `steps of several versions run in order, and those of the store's version do not`()
        async throws
    {
        _ = try await fill(["a"])
        func step(_ version: Int) -> MigrationStep {
            MigrationStep(to: version, of: "Note") { note in
                note["body"] = .text((note["body"].textValue ?? "") + "\(version)")
            }
        }
        await (try await migrate([step(2)], model: Notes.model(version: 2))).close()
        let container = try await migrate(
            [step(4), step(2), step(3), step(5)], model: Notes.model(version: 4))
        #expect(try await container.objects().map { $0["body"] } == ["234"])
    }

    @Test func `a step that fails, or sets an attribute that the model lacks, changes nothing`() async throws
    {
        let token = try await fill(["a", "b"])
        let failing = MigrationStep(to: 2, of: "Note") { note in
            note["slug"] = "x"
            if note.id.key == 2 { throw Refusal() }
        }
        let wrong = MigrationStep(to: 2, of: "Note") { $0["slugg"] = "x" }
        let error = await #expect(throws: StoreError.self) { try await migrate([failing]) }
        #expect(
            error?.description == """
                Cannot migrate store \(folder.path(of: "notes.db")): the step of Note to version 2 failed: not this \
                one. Nothing was changed; use the version that wrote it.
                """)
        await #expect(throws: StoreError.unknownAttribute("slugg", entity: "Note")) {
            try await migrate([wrong])
        }
        // Two notes share the slug.
        let twins = MigrationStep(to: 2, of: "Note") { $0["slug"] = "x" }
        let clash = await #expect(throws: StoreError.self) { try await migrate([twins]) }
        #expect(clash?.description.contains("Note.rank is of kind text") == false)
        #expect(clash?.description.contains("Note.slug must differ") == true)
        let container = try await Notes.open(folder)
        #expect(try await container.currentToken() == token)
        #expect(try await container.objects().map { $0["title"] } == ["a", "b"])
    }

    @Test func `a step of an entity that the model lacks is an error, and changes nothing`() async throws {
        let token = try await fill(["a"])
        let unknown = MigrationStep(to: 2, of: "Nota") { $0["slug"] = "x" }
        for model in [try Notes.migratedModel(), try Notes.model(version: 2)] {
            let error = await #expect(throws: StoreError.self) {
                try await migrate([unknown] + Notes.migrationSteps, model: model)
            }
            let reason = "the step to version 2 names the unknown entity 'Nota'"
            #expect(error == .cannotMigrate(path: folder.path(of: "notes.db"), reason: reason))
        }
        #expect(try await Notes.open(folder).currentToken() == token)
    }

    @Test func `an entity without history is migrated without history`() async throws {
        let old = try Notes.model(tracksHistory: false)
        var container = try await Notes.open(folder, model: old)
        let context = container.makeContext(author: "a")
        try await context.insert("Note", ["title": "a"])
        try await context.save()
        await container.close()
        container = try await migrate(
            [MigrationStep(to: 2, of: "Note") { $0["body"] = "b" }],
            model: Notes.model(version: 2, tracksHistory: false))
        #expect(try await container.objects().map { $0["body"] } == ["b"])
        #expect(try await container.transactions() == [])
    }
}
