import Glibc
import PersistentStore
import TestSupport
import Testing

/// Stores of other users, and stores that other users may write.
@Suite struct StoreOwnerTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "notes.db")
    }

    private static let isSuperuser = geteuid() == 0
    private static let otherUser: uid_t = 65534

    private func owner(_ end: String) -> uid_t? {
        var status = stat()
        return stat(path + end, &status) == 0 ? status.st_uid : nil
    }

    @Test(arguments: ["", "-wal"])
    func `a file that other users may write is refused with its mode`(end: String) async throws {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        chmod(path + end, 0o666)
        let error = StoreError.writableByOthers(path: path + end, mode: 0o666)
        await #expect(throws: error) { try await Notes.open(folder) }
        #expect(error.description.contains("mode 666"))
        chmod(path + end, 0o640)
        #expect(try await Notes.open(folder).objects().count == 1)
    }

    @Test func `an empty file that other users may write does not become a store`() async throws {
        close(creat(path, 0o666))
        chmod(path, 0o666)
        await #expect(throws: StoreError.writableByOthers(path: path, mode: 0o666)) {
            try await Notes.open(folder)
        }
    }

    @Test(.enabled(if: isSuperuser, "needs a second user"))
    func `a store of another user is readable and not writable`() async throws {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        await container.close()
        chmod(path, 0o666)
        chmod(path + "-doorbell", 0o666)
        chmod(folder.path, 0o777)
        let writer = try UnprivilegedProcess.start(StoreWriterProcess.path, [path, "other", "normal"])
        #expect(try writer.answer().contains("\(path) belongs to root"))
        #expect(try UnprivilegedProcess.reader(of: path).ask("count") == "1 objects, 1 transactions")
    }

    @Test(.enabled(if: isSuperuser, "needs a second user"))
    func `a log of another user is not replayed into a store`() async throws {
        await (try Notes.open(folder)).close()
        close(creat(path + "-wal", 0o600))
        chown(path + "-wal", Self.otherUser, Self.otherUser)
        await #expect(throws: StoreError.otherOwner(path: path + "-wal", owner: UnprivilegedProcess.userName))
        {
            try await Notes.open(folder)
        }
    }

    @Test(.enabled(if: isSuperuser, "needs a second user"))
    func `the superuser does not take over a user's store`() async throws {
        await (try Notes.open(folder)).close()
        unlink(path + "-doorbell")
        chown(path, Self.otherUser, Self.otherUser)
        chown(folder.path, Self.otherUser, Self.otherUser)
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        for end in ["", "-wal", "-shm", "-doorbell"] { #expect(owner(end) == Self.otherUser, "\(end)") }
        let user = try UnprivilegedProcess.start(StoreWriterProcess.path, [path, "user", "normal"])
        #expect(try user.answer() == "ready")
        #expect(try Int(user.ask("insert 1")) != nil)
    }
}
