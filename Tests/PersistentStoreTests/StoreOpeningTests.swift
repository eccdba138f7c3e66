import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

/// Opening any kind of file at the path.
@Suite struct StoreOpeningTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ path: String, _ model: StoreModel? = nil) async throws -> PersistentContainer {
        try await PersistentContainer(path: path, model: model ?? Notes.model())
    }

    private func checksum(_ path: String) throws -> String { try Shell.run("cksum", [path]).output }

    @Test func `old history is readable after attributes were added and removed`() async throws {
        let color = AttributeDescription(
            "color", .text, isOptional: true, history: [.preservesValueOnDeletion])
        var container = try await Notes.open(folder, model: Notes.model(more: [color]))
        var context = container.makeContext(author: "a")
        let id = try await context.save(inserting: ["title": "a", "color": "red"])
        try await context.update(id, ["color": "blue"])
        try await context.save()
        let other = try await context.save(inserting: ["color": "green"])
        try await context.delete(other)
        try await context.save()
        let before = try await container.transactions()
        await container.close()

        let weight = AttributeDescription("weight", .real, isOptional: true)
        container = try await Notes.open(folder, model: Notes.model(version: 2, more: [weight]))
        #expect(try await container.transactions() == before)
        #expect(before[1].changes[0].updatedAttributes == ["color"])
        #expect(before[3].changes[0].tombstone?["color"] == "green")
        context = container.makeContext(author: "a")
        try await context.update(id, ["weight": 1.5])
        try await context.save()
        #expect(try await container.transactions().last?.changes[0].updatedAttributes == ["weight"])
        #expect(try await container.objects().map { $0["weight"] } == [.real(1.5)])
    }

    @Test func `an attribute that old objects cannot have is refused, and nothing is lost`() async throws {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        let bad = try Notes.model(version: 2, more: [AttributeDescription("must", .text)])
        await #expect(throws: StoreError.self) { try await Notes.open(folder, model: bad) }
        #expect(try await container.objects().count == 1)
        #expect(try await Notes.open(folder).transactions().count == 1)
    }

    @Test func `a path that begins like a URI is a file name`() async throws {
        await #expect(throws: StoreError.self) { try await open("file:" + folder.path(of: "u.db")) }
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "u.db")))
    }

    @Test func `a path with a NUL leads to no file`() async throws {
        let path = folder.path(of: "u.db\0v.db")
        await #expect(throws: StoreError.notAFilePath(path: path)) { try await open(path) }
        #expect(throws: SQLiteError.self) { _ = try Connection(path: path, access: .create) }
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "u.db")))
    }

    @Test func `an older program is refused by a newer store`() async throws {
        let new = try await Notes.open(folder, model: Notes.model(version: 2))
        await #expect(throws: StoreError.newerStore(path: new.path)) { try await Notes.open(folder) }
        #expect(try Shell.run("sqlite3", [new.path, "PRAGMA user_version = 99"]).status == 0)
        await #expect(throws: StoreError.newerStore(path: new.path)) {
            try await Notes.open(folder, model: Notes.model(version: 2))
        }
    }

    @Test func `a file that is not a database is named and unchanged`() async throws {
        let path = folder.path(of: "letter.txt")
        try Data("Dear store, ".utf8 + Data(repeating: 65, count: 5000)).write(to: URL(fileURLWithPath: path))
        let before = try checksum(path)
        await #expect(throws: StoreError.notAStore(path: path)) { _ = try await open(path) }
        #expect(try checksum(path) == before)
    }

    @Test func `another program's database is named and unchanged`() async throws {
        let path = folder.path(of: "other.db")
        try Shell.run("sqlite3", [path, "CREATE TABLE bills (x); INSERT INTO bills VALUES (1)"])
        let before = try checksum(path)
        await #expect(throws: StoreError.notAStore(path: path)) { _ = try await open(path) }
        #expect(try checksum(path) == before)
    }

    @Test func `a path that cannot be created is an error with its reason`() async throws {
        let path = folder.path(of: "none/at/all.db")
        let error = await #expect(throws: StoreError.self) { _ = try await open(path) }
        guard case .cannotOpen(path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let folderError = await #expect(throws: StoreError.self) { _ = try await open(folder.path) }
        guard case .cannotOpen = folderError else {
            Issue.record("\(String(describing: folderError))")
            return
        }
    }

    @Test func `a store that must already exist is not created`() async throws {
        var options = StoreOptions()
        options.createsMissingStore = false
        let path = folder.path(of: "notes.db")
        await #expect(throws: StoreError.missing(path: path)) {
            try await Notes.open(folder, options: options)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `an empty file becomes a store that only its owner can read`() async throws {
        let path = folder.path(of: "notes.db")
        _ = try await open(path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let empty = folder.path(of: "empty.db")
        try Data().write(to: URL(fileURLWithPath: empty))
        #expect(try await open(empty).objects().isEmpty)
    }

    @Test func `eight processes create one store simultaneously`() async throws {
        for round in 0..<10 {
            let path = folder.path(of: "\(round).db")
            let processes = try (0..<8).map { index in
                try LineProcess(StoreWriterProcess.path, [path, "writer \(index)", "normal"])
            }
            for process in processes { #expect(try process.answer() == "ready") }
            for process in processes { process.send("insert 1") }
            for process in processes { #expect(Int(try process.answer()) != nil) }
            let container = try await open(path)
            let transactions = try await container.transactions()
            #expect(Set(transactions.compactMap(\.author)).count == 8)
            #expect(
                try Shell.run("sqlite3", [path, "SELECT count(*) FROM history_entity"]).output == "1\n")
        }
    }

    @Test func `programs that migrate during writes of another process lose none of its commits`()
        async throws
    {
        let container = try await Notes.open(folder)
        await container.close()
        let shell = try LineProcess("sqlite3", [container.path])
        shell.send("PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF;")
        #expect(try shell.answer() == "5000")
        for version in 2...6 {
            for _ in 0..<20 { shell.send("INSERT INTO Note (title) VALUES ('x');") }
            let model = try Notes.model(
                version: version,
                more: (2...version).map { AttributeDescription("extra\($0)", .integer, isOptional: true) })
            await (try Notes.open(folder, model: model)).close()
        }
        #expect(try shell.ask("SELECT count(*) FROM Note;") == "100")
        #expect(try shell.ask("SELECT count(*) FROM history WHERE kind = 0;") == "100")
    }
}
