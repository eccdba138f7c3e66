import Foundation
import PersistentStore
import TestSupport
import Testing

/// Findings of a check, and their repairs.
@Suite struct StoreCheckTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "store.db")
    }

    private func open() async throws -> PersistentContainer {
        let container = try await PersistentContainer(path: path, model: try Notes.model())
        let context = container.makeContext(author: "a")
        for text in ["one", "two", "three"] { try await context.insert("Note", ["title": .text(text)]) }
        try await context.save()
        return container
    }

    @discardableResult
    private func external(_ sql: String) throws -> String {
        try Shell.run("sqlite3", [path], input: sql).output
    }

    @Test func `a sound store has no findings, even with gaps in its history`() async throws {
        let container = try await open()
        try external("DELETE FROM Note WHERE id = 1; UPDATE Note SET title = 'x' WHERE id = 2;")
        #expect(try await container.check() == [])
        // Purging the deletion but not the insertion before it is not a contradiction.
        _ = try await container.deleteHistory(
            HistoryDeleteRequest(.beforeDate(.distantFuture), where: .author(nil)))
        #expect(try await container.check() == [])
    }

    @Test func `an unrecorded change is found and expires every token`() async throws {
        let container = try await open()
        let token = try await container.currentToken()
        let trigger = try external("SELECT name FROM sqlite_schema WHERE name LIKE 'Note_records_insert'")
        #expect(trigger == "Note_records_insert\n")
        try external("DROP TRIGGER Note_records_delete; DELETE FROM Note WHERE id = 2;")
        let findings = try await container.check()
        #expect(
            findings == [.wrongTriggers(entity: "Note"), .historyUnlikeData(entity: "Note", count: 1)])
        try await container.repair(findings)
        #expect(try await container.check() == [])
        await #expect(throws: StoreError.self) {
            try await container.read { try $0.check(token) }
        }
        // Later changes are recorded, and their tokens are valid.
        let later = try await container.currentToken()
        try external("DELETE FROM Note WHERE id = 3;")
        let changes = try await container.read { try $0.changes(HistoryFetchRequest(.after(later))) }
        #expect(changes.map(\.kind) == [.delete])
        #expect(try await container.check() == [])
    }

    @Test func `an object missing from a complete history is found`() async throws {
        let container = try await open()
        try external(
            """
            DROP TRIGGER Note_records_insert; DROP TRIGGER Note_records_replacing_insert;
            INSERT INTO Note (title) VALUES ('four');
            """)
        let findings = try await container.check()
        #expect(findings.contains(.historyUnlikeData(entity: "Note", count: 1)), "\(findings)")
        try await container.repair(findings)
        #expect(try await container.check() == [])
    }

    @Test func `a version lower than the recorded updates is found and raised`() async throws {
        let container = try await open()
        try external("UPDATE Note SET title = 'x' WHERE id = 2; UPDATE Note SET title = 'y' WHERE id = 2;")
        #expect(try await container.check() == [])
        let triggers = try external("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        let drops = triggers.split(separator: "\n").map { "DROP TRIGGER \"\($0)\";" }.joined()
        try external(drops + "UPDATE Note SET version = 1 WHERE id = 2;")
        let findings = try await container.check()
        #expect(findings.contains(.versionsBehind(entity: "Note", count: 1)), "\(findings)")
        try await container.repair(findings)
        #expect(try await container.check() == [])
        #expect(try external("SELECT version FROM Note WHERE id = 2") == "3\n")
    }

    @Test(arguments: [
        "INSERT INTO Note (id, title) VALUES (\(Int64.max), 'far')",
        "UPDATE Note SET id = \(Int64.max) WHERE id = 2",
    ])
    func `the greatest ID is named by a save that gets none, and the object is moved`(sql: String)
        async throws
    {
        let container = try await open()
        try external(sql)
        let context = container.makeContext(author: "app")
        try await context.insert("Note", ["title": "new"])
        await #expect(throws: StoreError.noIDLeft(entity: "Note", path: container.path)) {
            try await context.save()
        }
        let count = try await container.objects().count
        let findings = try await container.check()
        #expect(findings == [.fewIDsLeft(entity: "Note")])
        try await container.repair(findings)
        #expect(try await container.check() == [])
        try await context.save()
        let ids = try await container.objects().map(\.id.key)
        #expect(ids.count == count + 1 && ids.allSatisfy { $0 < 10 }, "\(ids)")
    }

    @Test func `a changed trigger is found`() async throws {
        let container = try await open()
        let sql = try external("SELECT sql FROM sqlite_schema WHERE name = 'Note_records_update'")
        try external(
            "DROP TRIGGER Note_records_update; \(sql.replacing("AFTER UPDATE", with: "AFTER  UPDATE"));")
        let findings = try await container.check()
        #expect(findings == [.wrongTriggers(entity: "Note")])
        try await container.repair(findings)
        #expect(try external("SELECT sql FROM sqlite_schema WHERE name = 'Note_records_update'") == sql)
    }

    @Test func `consumers that no longer exist are unregistered, and others are only reported`() async throws
    {
        let container = try await open()
        _ = try await container.registerConsumer("here", isTransient: true)
        try external(
            """
            INSERT INTO history_consumer (name, position, generation, process, process_start, registered, seen,
            is_transient) VALUES ('gone', 3, 1, 1, 1, 0, 0, 1), ('lost', 1, 0, NULL, NULL, 0, 0, 0);
            """)
        let findings = try await container.check()
        #expect(findings == [.staleConsumer("gone"), .expiredConsumer("lost")])
        try await container.repair(findings)
        #expect(try await container.read { try $0.consumers() }.map(\.name) == ["here", "lost"])
    }

    @Test func `files that other users may open are found and restricted to the owner`() async throws {
        let container = try await open()
        chmod(path, 0o640)
        let findings = try await container.check()
        #expect(findings == [.insecurePermissions(path: path, mode: 0o640)])
        try await container.repair(findings)
        #expect(try await container.check() == [])
    }

    @Test func `a backup has one state and is moved into position whole`() async throws {
        let container = try await open()
        let copy = folder.path(of: "copy.db")
        try await container.backUp(to: copy, replaces: false) { _, _ in }
        await #expect(throws: StoreError.cannotBackUp(path: copy, reason: "a file already exists")) {
            try await container.backUp(to: copy, replaces: false) { _, _ in }
        }
        let other = try await PersistentContainer(path: copy, model: try Notes.model())
        #expect(try await other.currentToken() == container.currentToken())
        #expect(try await other.check() == [])
        #expect(other.storeID == container.storeID)
    }

    @Test func `an open container reports a restored store as replaced, for reads and saves`()
        async throws
    {
        let container = try await open()
        let copy = folder.path(of: "copy.db")
        try await container.backUp(to: copy, replaces: false) { _, _ in }
        let (token, context) = (try await container.currentToken(), container.makeContext(author: "a"))
        var events = try await container.events().makeAsyncIterator()
        let old = try PersistentContainer.restore(copy, to: path, model: try Notes.model())
        #expect(old?.hasPrefix(path + ".replaced-") == true)
        var event = await events.next()
        while let next = event, next != .replaced { event = await events.next() }
        #expect(event == .replaced)
        await #expect(throws: StoreError.replaced(path: path)) {
            try await container.read { try $0.count(FetchRequest("Note")) }
        }
        try await context.insert("Note", ["title": .text("late")])
        await #expect(throws: StoreError.replaced(path: path)) { try await context.save() }
        let restored = try await PersistentContainer(path: path, model: try Notes.model())
        #expect(restored.storeID != container.storeID)
        #expect(try await restored.read { try $0.count(FetchRequest("Note")) } == 3)
        await #expect(throws: StoreError.tokenOfAnotherStore) {
            try await restored.read { try $0.check(token) }
        }
        #expect(try await restored.check() == [])
    }
}
