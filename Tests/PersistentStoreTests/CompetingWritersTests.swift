import Glibc
import PersistentStore
import TestSupport
import Testing

/// Writers that block each other.
@Suite(.serialized) struct CompetingWritersTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `writers that read before they write wait for each other and never fail`() async throws {
        let saves = 40
        let containers = [try await Notes.open(folder), try await Notes.open(folder)]
        let id = try await containers[0].makeContext(author: "first").save(inserting: ["title": "a"])
        let process = try StoreWriterProcess(containers[0].path, author: "process")
        process.process.send("burst \(saves)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, author) in ["one", "two", "three", "four"].enumerated() {
                let context = containers[index % 2].makeContext(author: author)
                group.addTask {
                    for _ in 0..<saves {
                        // The read locks nothing, and its state is not the one on which the save begins.
                        _ = try await context.object(id)
                        try await context.insert("Note", ["title": "x"])
                        try await context.delete(ObjectID(entity: "Note", key: 1_000_000))
                        try await context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try process.process.answer() == "done")
        let transactions = try await containers[0].transactions()
        #expect(transactions.count == 1 + 5 * saves)
        for author in ["one", "two", "three", "four", "process"] {
            #expect(transactions.count { $0.author == author } == saves)
        }
        #expect(transactions.allSatisfy { $0.changes.count == 1 })
    }

    @Test func `an external writer after a killed writer gets its own transaction, without author`()
        async throws
    {
        let container = try await Notes.open(folder)
        var random = SeededRandom(seed: 15)
        for round in 0..<20 {
            let process = try StoreWriterProcess(container.path, author: "victim")
            let before = try await container.currentToken()
            process.process.send(round % 2 == 0 ? "insert 20000" : "storm")
            _ = poll(nil, 0, Int32.random(in: 1...15, using: &random))
            process.process.killNow()
            let sql = """
                .timeout 5000
                BEGIN; INSERT INTO Note (title) VALUES ('external'); UPDATE Note SET rank = \(round + 1) WHERE title = 'external'; COMMIT;
                DELETE FROM Note WHERE title = 'external';
                """
            #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
            let new = try await container.transactions(HistoryFetchRequest(.after(before)))
            let external = new.filter { $0.author == nil }
            #expect(external.map { $0.changes.map(\.kind) } == [[.insert], [.update], [.delete]])
            #expect(external.allSatisfy { $0.process == nil && $0.contextName == nil })
            #expect(new.suffix(3).map(\.number) == external.map(\.number))
            #expect(new.dropLast(3).allSatisfy { [3, 20_000].contains($0.changes.count) })
        }
    }
}
