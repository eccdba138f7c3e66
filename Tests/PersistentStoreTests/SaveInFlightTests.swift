import Dispatch
import PersistentStore
import TestSupport
import Testing

/// Requests to a context during its own save and after it.
@Suite struct SaveInFlightTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let context: StoreContext
    let other: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        // A loaded machine does not end the wait for the holder of the lock.
        var options = StoreOptions()
        options.busyTimeout = .seconds(60)
        container = try await Notes.open(folder, options: options)
        context = container.makeContext(author: "app")
        other = container.makeContext(author: "other")
    }

    private func titles() async throws -> [AttributeValue] {
        try await container.objects().map { $0["title"] }
    }

    /// Runs `body` while the context's save waits for another writer, then releases the lock.
    private func duringSave(_ body: () async throws -> Void) async throws -> Result<SaveResult, any Error> {
        let process = try StoreWriterProcess(container.path, author: "holder")
        #expect(try process.ask("hold") == "holding")
        let context = context
        let saving = Task { try await context.save() }
        while await !context.isSaving { await Task.yield() }
        try await body()
        #expect(try process.ask("release") == "released")
        return await saving.result
    }

    @Test func `a change during the context's own save is no conflict`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        try await context.update(id, ["title": "b"])
        _ = try await duringSave { try await context.update(id, ["title": "c"]) }.get()
        #expect(try await titles() == ["b"])
        try await context.save()
        #expect(try await titles() == ["c"])
    }

    @Test func `a change by another writer after the save is a conflict`() async throws {
        let id = try await context.save(inserting: ["title": "a"])
        try await context.update(id, ["title": "b"])
        _ = try await duringSave { try await context.update(id, ["title": "c"]) }.get()
        try await other.update(id, ["title": "theirs"])
        try await other.save()
        await #expect(throws: StoreError.self) { try await context.save() }
    }

    @Test func `a new object is changed and deleted under its temporary ID, during its save and after`()
        async throws
    {
        let first = try await context.insert("Note", ["title": "1"])
        let second = try await context.insert("Note", ["title": "2"])
        let result = try await duringSave {
            try await context.update(first, ["title": "one"])
            try await context.delete(second)
        }.get()
        #expect(try await titles() == ["1", "2"])
        try await context.save()
        #expect(try await titles() == ["one"])
        try await context.update(first, ["title": "later"])
        #expect(try await context.object(first)?["title"] == "later")
        #expect(try await context.object(first)?.id == result.permanentID(first))
        try await context.save()
        #expect(try await titles() == ["later"])
        try await context.delete(first)
        try await context.save()
        #expect(try await titles().isEmpty)
        #expect(try await context.object(first) == nil)
    }

    @Test
    func `saved values are known without a read: defaults, and values as SQLite converts them`()
        async throws
    {
        let temporary = try await context.insert("Note", ["title": "a", "rank": .text("7")])
        let result = try await context.save()
        let id = result.permanentID(temporary)
        let stored = try #require(try await container.objects().first)
        #expect(result.versions == [id: 1])
        try await context.update(id, ["title": "a", "rank": 7, "created": stored["created"]])
        #expect(await !context.hasChanges)
        try await context.update(id, ["rank": .text("8")])
        #expect(try await context.save().versions == [id: 2])
        try await context.update(id, ["rank": 8])
        #expect(await !context.hasChanges)
    }

    @Test func `a merge during a save loses nothing from either side`() async throws {
        let saved = try await context.save(inserting: ["title": "a"])
        let edited = try await context.save(inserting: ["title": "b"])
        let token = try await container.currentToken()
        for id in [saved, edited] { try await other.update(id, ["title": "theirs"]) }
        try await other.save()
        let news = try await container.transactions(HistoryFetchRequest(.after(token)))
        try await context.update(saved, ["title": "ours"])
        var merged = MergeResult()
        let result = try await duringSave {
            try await context.update(edited, ["title": "ours"])
            merged = try await context.merge(news)
        }
        #expect(merged.contested == [saved, edited])
        guard case .failure(StoreError.conflict(let conflicts)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(conflicts.map(\.objectID) == [saved])
        do {
            try await context.save()
            Issue.record("overwrote another writer's change")
        } catch .conflict(let conflicts) {
            #expect(conflicts.map(\.objectID) == [saved, edited])
        } catch { Issue.record("\(error)") }
        #expect(try await titles() == ["theirs", "theirs"])
    }

    @Test func `an edited object that another writer deletes stays edited, and its save is a conflict`()
        async throws
    {
        let id = try await context.save(inserting: ["title": "a"])
        try await context.update(id, ["title": "ours"])
        let token = try await container.currentToken()
        try await other.delete(id)
        try await other.save()
        let merged = try await context.merge(
            container.transactions(HistoryFetchRequest(.after(token))))
        #expect(merged.deleted == [id] && merged.contested == [id])
        do {
            try await context.save()
            Issue.record("saved a deleted object")
        } catch .conflict(let conflicts) {
            #expect(conflicts.first?.base?["title"] == "a")
            #expect(conflicts.first?.stored == nil)
            #expect(conflicts.first?.changes == ["title": "ours"])
        } catch { Issue.record("\(error)") }
        await context.setMergePolicy(.objectTrumps)
        try await context.save()
        #expect(try await titles() == ["ours"])
    }

    @Test func `another object under the ID of a deleted one is a different object`() async throws {
        let edited = try await context.save(inserting: ["title": "a"])
        let clean = try await context.save(inserting: ["title": "b"])
        try await context.update(edited, ["title": "ours"])
        let token = try await container.currentToken()
        let sql = """
            BEGIN; DELETE FROM Note; INSERT INTO Note (id, title) VALUES (\(edited.key), 'new'), (\(clean.key), 'new');
            COMMIT;
            """
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
        let merged = try await context.merge(
            container.transactions(HistoryFetchRequest(.after(token))))
        #expect(merged.updated == [edited, clean] && merged.contested == [edited])
        await #expect(throws: StoreError.self) { try await context.save() }
        await context.rollback()
        try await context.update(clean, ["rank": 5])
        try await context.save()
        #expect(try await titles() == ["new", "new"])
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `the net effect of a merge equals the stored objects`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        for id in 1...6 {
            try Shell.run(
                "sqlite3", [container.path], input: "INSERT INTO Note (id, title) VALUES (\(id), 'x')")
        }
        for round in 0..<15 {
            let before = Dictionary(
                uniqueKeysWithValues: try await context.fetch(FetchRequest("Note")).map { ($0.id, $0) })
            let token = try await container.currentToken()
            var statements: [String] = []
            for number in 0..<Int.random(in: 1...12, using: &random) {
                let id = Int.random(in: 1...8, using: &random)
                statements.append(
                    [
                        "INSERT OR IGNORE INTO Note (id, title) VALUES (\(id), 'i\(number)')",
                        "UPDATE Note SET title = 'u\(number)' WHERE id = \(id)",
                        "DELETE FROM Note WHERE id = \(id)",
                        "REPLACE INTO Note (id, title) VALUES (\(id), 'r\(number)')",
                    ].randomElement(using: &random) ?? "")
            }
            let isOne = Bool.random(using: &random)
            let script = (isOne ? ["BEGIN"] + statements + ["COMMIT"] : statements).joined(separator: ";\n")
            #expect(try Shell.run("sqlite3", [container.path], input: script + ";").errors == "")
            let result = try await context.merge(
                container.transactions(HistoryFetchRequest(.after(token))))
            let now = Set(try await container.objects().map(\.id))
            #expect(
                result.inserted == now.subtracting(before.keys), "seed \(seed), round \(round):\n\(script)")
            #expect(
                result.deleted == Set(before.keys).subtracting(now),
                "seed \(seed), round \(round):\n\(script)")
            #expect(
                result.updated.isSubset(of: now.intersection(before.keys)), "seed \(seed), round \(round)")
            // An object that the context considers current can be changed without a conflict.
            for id in now { try await context.update(id, ["rank": .integer(Int64(round + 1))]) }
            do { try await context.save() } catch {
                Issue.record("seed \(seed), round \(round): \(error)\n\(script)")
                await context.rollback()
            }
        }
    }
}
