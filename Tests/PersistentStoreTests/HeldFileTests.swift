import Glibc
import PersistentStore
import Platform
import SQLite
import TestSupport
import Testing

/// A store whose files are replaced, or reached by another path, while processes have it open.
@Suite(.serialized) struct HeldFileTests {
    private typealias Fault = ProvenSaveTests.Fault

    @Test(arguments: [
        ProvenSaveTests.Fault.indexRemoved, .logRemoved, .logAndIndexRemoved, .restoredInPlace, .hardLink,
    ])
    func `watchers report replaced, and no save is reported`(fault: ProvenSaveTests.Fault)
        async throws
    {
        let store = try await FaultyStore()
        let listener = try await StoreWatchTests.Listener(store.container)
        try store.make(fault)
        #expect(await soon { listener.all.contains(.replaced) })
        let context = store.container.makeContext(author: "app")
        try await context.insert("Note", ["title": "late"])
        await #expect(throws: StoreError.replaced(path: store.path)) { try await context.save() }
        #expect(await context.hasChanges)
    }

    @Test func `a save into a log that another program emptied is not reported`() async throws {
        let store = try await FaultyStore()
        let context = store.container.makeContext(author: "app")
        _ = try await context.save(inserting: ["title": "before"])
        #expect(truncate(store.path + "-wal", 0) == 0)
        // At once, before a watcher can notice.
        try await context.insert("Note", ["title": "late"])
        await #expect(throws: StoreError.replaced(path: store.path)) { try await context.save() }
        #expect(await context.hasChanges)
    }

    @Test(arguments: [ProvenSaveTests.Fault.indexRemoved, .logRemoved, .logAndIndexRemoved])
    func `file events report a lost log or index without polling`(fault: ProvenSaveTests.Fault) async throws {
        var options = StoreOptions()
        options.pollsAsFallback = false
        let store = try await FaultyStore(options: options)
        let listener = try await StoreWatchTests.Listener(store.container)
        try store.make(fault)
        #expect(await soon { listener.all.contains(.replaced) })
    }

    @Test(arguments: [ProvenSaveTests.Fault.indexRemoved, .logAndIndexRemoved])
    func `closing a connection that lost its files retains another process's commits`(
        fault: ProvenSaveTests.Fault
    ) async throws {
        let store = try await FaultyStore()
        _ = try await store.container.objects()
        _ = try store.ask("PRAGMA wal_checkpoint(TRUNCATE)")
        try store.make(fault)
        // Holds the new files open, as another program would, so that this connection's end does not
        // checkpoint the log.
        let other = try LineProcess("sqlite3", [store.path])
        other.send("PRAGMA wal_autocheckpoint = 0;")
        _ = try other.answer()
        for number in 0..<6 { other.send("INSERT INTO Note (title) VALUES ('other \(number)');") }
        #expect(try other.ask("SELECT count(*) FROM Note WHERE title LIKE 'other%';") == "6")
        other.killNow()
        await store.container.close()
        #expect(try store.ask("SELECT count(*) FROM Note WHERE title LIKE 'other%'") == "6")
        #expect(try store.ask("PRAGMA integrity_check") == "ok")
    }

    @Test func `a second container of a process does not share an index that has no name`() async throws {
        let store = try await FaultyStore()
        try store.make(.indexRemoved)
        #expect(try store.ask("SELECT count(*) FROM Note") == "3")
        await #expect(throws: StoreError.replaced(path: store.path)) {
            try await Notes.open(store.folder, model: FaultyStore.model())
        }
    }

    @Test(arguments: [StoreOptions.Access.readWrite, .readOnly])
    func `a hard link is refused with advice`(access: StoreOptions.Access) async throws {
        let store = try await FaultyStore()
        await store.container.close()
        let second = store.folder.path(of: "second.db")
        link(store.path, second)
        var options = StoreOptions()
        options.access = access
        for path in [store.path, second] {
            let error = StoreError.hardLinkOrFileMount(path: path, isMount: false)
            await #expect(throws: error) {
                try await PersistentContainer(path: path, model: FaultyStore.model(), options: options)
            }
            #expect(error.description.contains("Delete the other name"))
        }
    }

    @Test func `a symbolic link is the same store`() async throws {
        let store = try await FaultyStore()
        let second = store.folder.path(of: "link.db")
        symlink(store.path, second)
        let container = try await PersistentContainer(path: second, model: FaultyStore.model())
        _ = try await container.makeContext(author: "app").save(inserting: ["title": "saved"])
        try await store.save(.insert)
        #expect(try store.ask("SELECT count(*) FROM Note WHERE title = 'saved'") == "2")
    }

    @Test func `a file that is mounted alone is refused, with the advice to mount its folder`() async throws {
        let store = try await FaultyStore()
        await store.container.close()
        let inside = store.folder.path(of: "inside.db")
        close(creat(inside, 0o600))
        let run = try Shell.run(
            "unshare",
            [
                "-m", "sh", "-c", "mount --bind \"$1\" \"$2\" || exit 77; exec \"$0\" \"$2\" tool normal",
                StoreWriterProcess.path, store.path, inside,
            ])
        // Mounting requires a privilege that a test may lack.
        guard run.status != 77, !run.errors.contains("unshare") else {
            print("skipped: this user cannot mount files")
            return
        }
        #expect(run.output.contains("Mount its folder instead"), "\(run)")
    }

    @Test func `a file that this process does not have open is not a held file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "some")
        let descriptor = creat(path, 0o600)
        let identity = try #require(FileIdentity(path: path))
        #expect(FileIdentity.areOpen([identity]))
        close(descriptor)
        #expect(!FileIdentity.areOpen([identity]))
    }
}
