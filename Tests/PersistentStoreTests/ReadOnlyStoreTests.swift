import Foundation
import Glibc
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// A store of another user, opened without write permission.
@Suite(.serialized) struct ReadOnlyStoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "notes.db")
    }

    /// Two notes in two transactions, in a file that all users may read.
    private func makeStore() async throws {
        let container = try await Notes.open(folder)
        for title in ["a", "b"] {
            _ = try await container.makeContext(author: "owner").save(inserting: ["title": .text(title)])
        }
        await container.close()
        chmod(path, 0o644)
    }

    private func openReadOnly(_ model: StoreModel? = nil) async throws -> PersistentContainer {
        var options = StoreOptions()
        options.access = .readOnly
        return try await Notes.open(folder, model: model, options: options)
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private static let all = "2 objects, 2 transactions"

    @Test(arguments: [
        (file: mode_t(0o444), folder: mode_t(0o555)), (0o644, 0o555), (0o666, 0o555), (0o444, 0o777),
        (0o666, 0o777),
    ])
    func `another user reads a store that no process has open, without creating or changing a file`(
        file: mode_t, folder mode: mode_t
    ) async throws {
        try await makeStore()
        unlink(path + "-doorbell")
        chmod(path, file)
        chmod(folder.path, mode)
        let before = try Shell.run("cksum", [path]).output
        let reader = try UnprivilegedProcess.reader(of: path)
        #expect(try reader.ask("count") == Self.all)
        #expect(try reader.ask("watch") == "watching")
        #expect(try files() == ["notes.db"])
        #expect(try reader.ask("quit") == "closed")
        #expect(try files() == ["notes.db"])
        #expect(try Shell.run("cksum", [path]).output == before)
        chmod(folder.path, 0o755)
    }

    @Test func `another user cannot open the same store for writing`() async throws {
        try await makeStore()
        chmod(folder.path, 0o555)
        let writer = try UnprivilegedProcess.start(StoreWriterProcess.path, [path, "reader", "normal"])
        let answer = try writer.answer()
        #expect(answer.hasPrefix("error: Cannot write store \(path)"), "\(answer)")
        chmod(folder.path, 0o755)
    }

    @Test func `another user receives and reads the owner's commits without locking the owner out`()
        async throws
    {
        try await makeStore()
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "owner").save(inserting: ["title": "c"])
        chmod(folder.path, 0o555)
        let reader = try UnprivilegedProcess.reader(of: path)
        #expect(try reader.ask("watch") == "watching")
        for count in 4...8 {
            let began = ContinuousClock.now
            _ = try await container.makeContext(author: "owner").save(inserting: ["title": "d"])
            #expect(try reader.ask("next").hasPrefix("committed"))
            #expect(ContinuousClock.now - began < .milliseconds(800))
            #expect(try reader.ask("count") == "\(count) objects, \(count) transactions")
        }
        chmod(folder.path, 0o755)
    }

    @Test func `a reader follows an owner that opens, writes, checkpoints, and closes repeatedly`()
        async throws
    {
        try await makeStore()
        let reader = try UnprivilegedProcess.reader(of: path)
        #expect(try reader.ask("watch") == "watching")
        for round in 1...3 {
            let writer = try StoreWriterProcess(path, author: "owner")
            #expect(try Int(writer.ask("insert 1")) != nil)
            #expect(try reader.ask("next").hasPrefix("committed"))
            #expect(
                try reader.ask("count") == "\(2 + 2 * round - 1) objects, \(2 + 2 * round - 1) transactions")
            #expect(try Shell.run("sqlite3", [path, "PRAGMA wal_checkpoint(TRUNCATE)"]).status == 0)
            #expect(try Int(writer.ask("insert 1")) != nil)
            #expect(try writer.ask("quit") == "closed")
            #expect(try reader.ask("count") == "\(2 + 2 * round) objects, \(2 + 2 * round) transactions")
        }
    }

    @Test
    func `a killed writer's commits are read, and are refused with an error if the log index is missing`()
        async throws
    {
        try await makeStore()
        let writer = try StoreWriterProcess(path, author: "owner")
        #expect(try Int(writer.ask("insert 1")) != nil)
        writer.process.killNow()
        chmod(folder.path, 0o555)
        #expect(try UnprivilegedProcess.reader(of: path).ask("count") == "3 objects, 3 transactions")
        chmod(folder.path, 0o755)
        #expect(unlink(path + "-shm") == 0)
        let error = await #expect(throws: StoreError.self) { try await openReadOnly() }
        #expect(error?.description.contains("must be opened for writing first") == true)
        #expect(try !files().contains("notes.db-shm"))
        await (try Notes.open(folder)).close()
        #expect(try await openReadOnly().objects().count == 3)
    }

    @Test func `reads during an owner's repeated opens, writes, and closes are always of one state`()
        async throws
    {
        try await makeStore()
        let container = try await openReadOnly()
        let reads = Mutex(0)
        let writers = Task.detached { [path] in
            for _ in 0..<25 {
                let before = reads.withLock { $0 }
                #expect(await soon { reads.withLock { $0 } > before })
                let writer = try StoreWriterProcess(path, author: "owner")
                _ = try writer.ask("insert 3")
                _ = try writer.ask("burst 2")
                _ = try writer.ask("quit")
            }
        }
        var most = 0
        let end = 2 + 25 * 5
        let reachedEnd = try await soon(within: 60) {
            let (objects, changes) = try await container.read { snapshot in
                let objects = try snapshot.fetch(FetchRequest("Note")).count
                return (objects, try snapshot.transactions(HistoryFetchRequest()).map(\.changes.count))
            }
            #expect(objects == changes.reduce(0, +))
            #expect(objects >= most)
            most = max(most, objects)
            reads.withLock { $0 += 1 }
            return objects == end
        }
        #expect(reachedEnd)
        try await writers.value
        #expect(reads.withLock { $0 } > 25)
    }

    @Test func `every write fails with an error that states the reason`() async throws {
        try await makeStore()
        let container = try await openReadOnly()
        let rejection = StoreError.openedReadOnly(path: path)
        let context = container.makeContext(author: "reader")
        await #expect(throws: rejection) { try await context.save(inserting: ["title": "c"]) }
        await #expect(throws: rejection) { try await container.registerConsumer("reader") }
        let token = try await container.currentToken()
        await #expect(throws: rejection) { try await container.moveCursor(of: "reader", to: token) }
        #expect(try await container.objects().count == 2)
        #expect(try await container.transactions().map(\.author) == ["owner", "owner"])
        await container.close()
        await #expect(throws: StoreError.closed) { try await container.objects() }
    }

    @Test func `a missing or empty store is not created`() async throws {
        await #expect(throws: StoreError.missing(path: path)) { try await openReadOnly() }
        #expect(try files().isEmpty)
        close(creat(path, 0o644))
        await #expect(throws: StoreError.emptyFile(path: path)) { try await openReadOnly() }
        #expect(try files() == ["notes.db"])
    }

    @Test func `another version's store is read if it has the model's properties, and is refused otherwise`()
        async throws
    {
        try await makeStore()
        let before = try Shell.run("cksum", [path]).output
        // The program is newer by version number only.
        #expect(try await openReadOnly(Notes.model(version: 9)).objects().count == 2)
        let color = AttributeDescription("color", .text, isOptional: true)
        let missing = StoreError.unreadableModel(path: path, reason: "its Note has no color")
        await #expect(throws: missing) { try await openReadOnly(Notes.model(version: 9, more: [color])) }
        let letter = EntityDescription("Letter", attributes: [AttributeDescription("title", .text)])
        let other = try StoreModel(version: 1, entities: [letter])
        await #expect(throws: StoreError.unreadableModel(path: path, reason: "it has no Letter")) {
            try await openReadOnly(other)
        }
        let kind = try StoreModel(
            version: 1,
            entities: [EntityDescription("Note", attributes: [AttributeDescription("title", .integer)])])
        let reason = "its Note.title is of another kind"
        await #expect(throws: StoreError.unreadableModel(path: path, reason: reason)) {
            try await openReadOnly(kind)
        }
        #expect(try Shell.run("cksum", [path]).output == before)
        // The store is newer and still has everything that an older program knows.
        await (try Notes.open(folder, model: Notes.model(version: 9, more: [color]))).close()
        #expect(try await openReadOnly().objects().count == 2)
        #expect(try Shell.run("sqlite3", [path, "PRAGMA user_version = 99"]).status == 0)
        await #expect(throws: StoreError.newerStore(path: path)) { try await openReadOnly() }
    }

    @Test func `a name with the special characters of a URI is a file name`() async throws {
        let odd = folder.path(of: "50%25 ?immutable=0#x.db")
        await (try await PersistentContainer(path: odd, model: Notes.model())).close()
        var options = StoreOptions()
        options.access = .readOnly
        let container = try await PersistentContainer(path: odd, model: Notes.model(), options: options)
        #expect(try await container.objects().isEmpty)
    }
}
