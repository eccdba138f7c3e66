import PersistentStore
import TestSupport
import Testing

/// Reading, deciding, and writing with the write lock.
@Suite struct WriteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Refusal: Error, Equatable { let reason: String }

    private static func titled(_ title: String) -> FetchRequest {
        FetchRequest("Note", where: .equal("title", .text(title)))
    }

    @Test func `containers that insert what is missing insert it once`() async throws {
        var containers: [PersistentContainer] = []
        for _ in 0..<4 { containers.append(try await Notes.open(folder)) }
        for round in 0..<50 {
            let inserted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for container in containers {
                    group.addTask {
                        try await container.write(author: "writer") { transaction throws(StoreError) in
                            guard try transaction.fetch(Self.titled("\(round)")).isEmpty else { return false }
                            try transaction.insert("Note", ["title": .text("\(round)")])
                            return true
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(inserted == 1)
        }
        #expect(try await containers[0].count(FetchRequest("Note")) == 50)
        #expect(try await containers[0].transactions().count == 50)
    }

    @Test func `changes of objects that were read before report all conflicts and save none`() async throws {
        let container = try await Notes.open(folder)
        let read = try await container.write(author: "reader") { transaction throws(StoreError) in
            var read: [StoredObject] = []
            for index in 0..<4 { read.append(try transaction.insert("Note", ["title": .text("\(index)")])) }
            return read
        }
        let apply = { () async throws(StoreError) in
            try await container.write(author: "reader") { transaction throws(StoreError) in
                try transaction.apply(
                    updates: [(read[0], ["title": "new"]), (read[1], ["title": "new"])],
                    deletions: [read[2], read[3]])
            }
        }
        try await container.write(author: "other") { transaction throws(StoreError) in
            try transaction.update(read[1].id, ["title": "other"])
            try transaction.update(read[2].id, ["title": "other"])
            try transaction.delete(read[3].id)
        }
        do throws(StoreError) {
            try await apply()
            Issue.record("two objects have other versions")
        } catch {
            guard case .conflict(let conflicts) = error else { throw error }
            #expect(Set(conflicts.map(\.objectID)) == [read[1].id, read[2].id])
        }
        let notes = try await container.fetch(FetchRequest("Note", sort: [SortKey("id")]))
        #expect(notes.map { $0["title"] } == ["0", "other", "other"])
    }

    @Test func `increments by several containers and the shell are all counted`() async throws {
        let containers = [try await Notes.open(folder), try await Notes.open(folder)]
        let id = try await containers[0].write(author: nil) { transaction throws(StoreError) in
            try transaction.insert("Note", ["title": "counter"]).id
        }
        let shell = Task.detached { [path = containers[0].path] in
            for _ in 0..<20 {
                try Shell.run(
                    "sqlite3", [path], input: ".timeout 10000\nUPDATE Note SET rank = rank + 1 WHERE id = 1;")
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for container in containers {
                group.addTask {
                    for _ in 0..<200 {
                        try await container.write(author: "counter") { transaction throws(StoreError) in
                            let rank = try transaction.object(id)?["rank"].integerValue ?? 0
                            try transaction.update(id, ["rank": .integer(rank + 1)])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await shell.value
        let counter = try await containers[0].fetch(FetchRequest("Note"))
        #expect(counter.map { $0["rank"] } == [420])
        #expect(try await containers[0].transactions().count == 421)
    }

    @Test func `a write reads its own changes and is one transaction`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        let old = try await context.save(inserting: ["title": "old"])
        let before = try await container.currentToken()
        let titles = try await container.write(author: "app", name: "several") { transaction in
            let new = try transaction.insert("Note", ["title": "new"])
            try transaction.update(new.id, ["title": "newer"])
            #expect(try transaction.update(old, ["body": "text"])?["body"] == "text")
            #expect(try transaction.delete(old))
            #expect(try !transaction.delete(old))
            #expect(try transaction.update(old, ["body": "late"]) == nil)
            #expect(try transaction.snapshot.newestToken().number >= before.number)
            return try transaction.fetch(FetchRequest("Note")).map { $0["title"] }
        }
        #expect(titles == ["newer"])
        let new = try await container.transactions(HistoryFetchRequest(.after(before)))
        #expect(new.map(\.author) == ["app"] && new.map(\.contextName) == ["several"])
        #expect(new[0].changes.map(\.kind) == [.insert, .update, .update, .delete])
    }

    @Test func `the error of a closure arrives unchanged, and nothing is saved`() async throws {
        let container = try await Notes.open(folder)
        await #expect(throws: Refusal(reason: "too many")) {
            try await container.write(author: "app") { transaction in
                try transaction.insert("Note", ["title": "lost"])
                throw Refusal(reason: "too many")
            }
        }
        #expect(try await container.count(FetchRequest("Note")) == 0)
        #expect(try await container.transactions().isEmpty)
        try await container.write(author: "app") { _ throws(StoreError) in }
        #expect(try await container.transactions().isEmpty)
    }

    @Test func `a batch that fails inside a write leaves nothing, and the rest is saved`() async throws {
        let container = try await Notes.open(folder)
        let rows = (1...1500).map { ["title": AttributeValue.text("\($0)")] } + [["title": .null]]
        try await container.write(author: "app") { transaction throws(StoreError) in
            try transaction.insert("Note", ["title": "first"])
            #expect(throws: StoreError.self) {
                try transaction.execute(.insert("Note", total: rows.count) { rows })
            }
            let batch = try transaction.execute(
                .insert("Note", total: 2) { [["title": "a"], ["title": "b"]] })
            #expect(batch.rows == 2 && batch.token == nil)
            try transaction.execute(
                .update("Note", where: .equal("title", "a"), set: ["rank": 7]))
        }
        let titles = try await container.objects().map { $0["title"] }
        #expect(titles == ["first", "a", "b"])
        let transactions = try await container.transactions()
        #expect(transactions.map { $0.changes.map(\.kind) } == [[.insert, .insert, .insert, .update]])
    }

    @Test func `a cursor moves with the work of a write, or not at all`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        _ = try await context.save(inserting: ["title": "a"])
        let start = try await container.registerConsumer("report", startingAt: container.beginningToken)
        let newest = try await container.currentToken()
        await #expect(throws: Refusal(reason: "no")) {
            try await container.write(author: "report") { transaction in
                try transaction.insert("Note", ["title": "summary"])
                try transaction.moveCursor(of: "report", to: newest)
                throw Refusal(reason: "no")
            }
        }
        #expect(try await container.read { try $0.consumers() }.map(\.token) == [start.token])
        try await container.write(author: "report") { transaction throws(StoreError) in
            try transaction.insert("Note", ["title": "summary"])
            try transaction.moveCursor(of: "report", to: newest)
        }
        #expect(try await container.read { try $0.consumers() }.map(\.token) == [newest])
        let unreached = HistoryToken(
            storeID: newest.storeID, generation: newest.generation, number: newest.number + 4)
        await #expect(throws: StoreError.self) {
            try await container.write(author: "report") { transaction throws(StoreError) in
                try transaction.insert("Note", ["title": "b"])
                try transaction.insert("Note", ["title": "c"])
                try transaction.moveCursor(of: "report", to: unreached)
            }
        }
    }

    @Test func `a deleted object is restored from the history inside a write`() async throws {
        let container = try await Notes.open(folder)
        let id = try await container.makeContext(author: "app").save(inserting: ["title": "a", "body": "b"])
        try await container.write(author: "app") { transaction throws(StoreError) in
            try transaction.delete(id)
        }
        let restored = try await container.write(author: "app") { transaction throws(StoreError) in
            let deletions = try transaction.snapshot.changes(
                HistoryFetchRequest(.newest, changes: .kind(.delete), limit: 1))
            return try transaction.restore(deletions[0])
        }
        #expect(restored.id == id && restored["body"] == "b" && restored.version > 1)
    }

    @Test func `a write that another program's trigger undoes is refused`() async throws {
        let container = try await Notes.open(folder)
        let trigger = """
            CREATE TRIGGER undoes AFTER INSERT ON Note WHEN NEW.title = 'x' BEGIN
            DELETE FROM Note WHERE id = NEW.id; END;
            """
        #expect(try Shell.run("sqlite3", [container.path], input: trigger).errors == "")
        await #expect(throws: StoreError.self) {
            try await container.write(author: "app") { transaction throws(StoreError) in
                try transaction.insert("Note", ["title": "x"])
            }
        }
        #expect(try await container.transactions().isEmpty)
    }

    @Test func `records move an amount between two rows`() async throws {
        struct Account: Record {
            var name: String
            var amount: Int
            static let entity = RecordEntity<Account>("Account") {
                RecordAttribute(\.name)
                RecordAttribute(\.amount, history: [.recordsOldValue])
            }
        }
        let container = try await PersistentContainer(
            path: folder.path(of: "bank.db"), model: StoreModel(version: 1, records: Account.self))
        let (a, b) = try await container.write(author: "bank") { transaction throws(StoreError) in
            let a = try transaction.insert(Account(name: "a", amount: 100))
            return (a.id, try transaction.insert(Account(name: "b", amount: 0)).id)
        }
        func move(_ amount: Int) async throws {
            try await container.write(author: "bank") { transaction in
                guard let source = try transaction.find(a, of: Account.self),
                    source.record.amount >= amount
                else { throw Refusal(reason: "too little") }
                try transaction.update(source) { $0.amount -= amount }
                try transaction.update(b, of: Account.self) { $0.amount += amount }
            }
        }
        let moved = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do {
                        try await move(30)
                        return true
                    } catch is Refusal {
                        return false
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(moved == 3)
        let amounts = try await container.fetch(RecordRequest<Account>()).map(\.record.amount)
        #expect(amounts == [10, 90])
    }
}
