import Foundation
import PersistentStore
import TestSupport
import Testing

/// What a check finds, and what a repair sets right.
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
    private func stranger(_ sql: String) throws -> String {
        try Shell.run("sqlite3", [path], input: sql).output
    }

    @Test func `nothing is found in a store that is well, holes in its history included`() async throws {
        let container = try await open()
        try stranger("DELETE FROM Note WHERE id = 1; UPDATE Note SET title = 'x' WHERE id = 2;")
        #expect(try await container.check() == [])
        // The deletion goes, the insertion before it stays: that is no contradiction.
        _ = try await container.deleteHistory(
            HistoryDeleteRequest(before: .date(.distantFuture), where: .author(nil)))
        #expect(try await container.check() == [])
    }

    @Test func `an unrecorded change is found, and expires every token`() async throws {
        let container = try await open()
        let token = try await container.currentToken()
        let trigger = try stranger("SELECT name FROM sqlite_schema WHERE name LIKE 'Note_records_insert'")
        #expect(trigger == "Note_records_insert\n")
        try stranger("DROP TRIGGER Note_records_delete; DELETE FROM Note WHERE id = 2;")
        let findings = try await container.check()
        #expect(
            findings == [.wrongTriggers(entity: "Note"), .historyUnlikeData(entity: "Note", count: 1)])
        try await container.repair(findings)
        #expect(try await container.check() == [])
        await #expect(throws: StoreError.self) {
            try await container.read { try $0.check(token) }
        }
        // What comes now is recorded, and its token good.
        let later = try await container.currentToken()
        try stranger("DELETE FROM Note WHERE id = 3;")
        let changes = try await container.read { try $0.changes(HistoryFetchRequest(.token(later))) }
        #expect(changes.map(\.kind) == [.delete])
        #expect(try await container.check() == [])
    }

    @Test func `a changed trigger is found`() async throws {
        let container = try await open()
        let sql = try stranger("SELECT sql FROM sqlite_schema WHERE name = 'Note_records_update'")
        try stranger(
            "DROP TRIGGER Note_records_update; \(sql.replacing("AFTER UPDATE", with: "AFTER  UPDATE"));")
        let findings = try await container.check()
        #expect(findings == [.wrongTriggers(entity: "Note")])
        try await container.repair(findings)
        #expect(try stranger("SELECT sql FROM sqlite_schema WHERE name = 'Note_records_update'") == sql)
    }

    @Test func `consumers that are gone are forgotten, others are only told`() async throws {
        let container = try await open()
        _ = try await container.registerConsumer("here", isTransient: true)
        try stranger(
            """
            INSERT INTO history_consumer (name, position, generation, process, process_start, registered, seen,
            is_transient) VALUES ('gone', 3, 1, 1, 1, 0, 0, 1), ('lost', 1, 0, NULL, NULL, 0, 0, 0);
            """)
        let findings = try await container.check()
        #expect(findings == [.goneConsumer("gone"), .expiredConsumer("lost")])
        try await container.repair(findings)
        #expect(try await container.read { try $0.consumers() }.map(\.name) == ["here", "lost"])
    }

    @Test func `files that others may open are found, and closed to them`() async throws {
        let container = try await open()
        chmod(path, 0o640)
        let findings = try await container.check()
        #expect(findings == [.tooOpen(path: path, mode: 0o640)])
        try await container.repair(findings)
        #expect(try await container.check() == [])
    }

    @Test func `a backup is made of one state and moved to its place whole`() async throws {
        let container = try await open()
        let copy = folder.path(of: "copy.db")
        try await container.backUp(to: copy, replaces: false) { _, _ in }
        await #expect(throws: StoreError.cannotBackUp(path: copy, reason: "there is a file already")) {
            try await container.backUp(to: copy, replaces: false) { _, _ in }
        }
        let other = try await PersistentContainer(path: copy, model: try Notes.model())
        #expect(try await other.currentToken() == container.currentToken())
        #expect(try await other.check() == [])
        #expect(other.storeID == container.storeID)
    }
}
