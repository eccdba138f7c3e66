import Glibc
import SQLite
import TestSupport
import Testing

/// Who has the write lock, and how it can be lost.
@Suite struct LockTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "a.db")
        try Connection(path: path, access: .create).execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
    }

    private func strangerWrites() throws -> Bool {
        try Shell.run("sqlite3", [path], input: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1); COMMIT;").status
            == 0
    }

    @Test(arguments: ["", "-shm"])
    func `closing a plain descriptor drops the lock that SQLite holds`(suffix: String) throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (0)")
        #expect(try !strangerWrites())
        let descriptor = open(path + suffix, O_RDONLY)
        try #require(descriptor >= 0)
        close(descriptor)
        // Of the store's own file only the lock that says "in use" is lost, which WAL writers do not ask for.
        #expect(try strangerWrites() == (suffix == "-shm"))
    }

    @Test func `asking who writes disturbs no lock`() throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (0)")
        for _ in 0..<100 {
            let lock = try #require(WriterLock(databasePath: path))
            #expect(lock.holder() == .process(getpid()))
            WriterLock.releaseUnlinked()
        }
        #expect(try !strangerWrites())
        try connection.execute("COMMIT")
        #expect(WriterLock(databasePath: path)?.holder() == .free)
        #expect(try strangerWrites())
    }

    @Test func `there is nobody to ask before the shared memory is there`() {
        #expect(WriterLock(databasePath: folder.path(of: "none.db")) == nil)
    }

    @Test func `a descriptor is kept once per file and let go when the file has no name`() throws {
        func descriptors() throws -> Int {
            try Shell.run("sh", ["-c", "ls -l /proc/\(getpid())/fd"]).output
                .split(separator: "\n").count { $0.contains(path + "-shm") }
        }
        do {
            let connection = try Connection(path: path, access: .readWrite)
            try connection.execute("SELECT * FROM t")
            let before = try descriptors()
            for _ in 0..<10 { #expect(WriterLock(databasePath: path) != nil) }
            #expect(try descriptors() == before + 1)
        }
        WriterLock.releaseUnlinked()
        #expect(try descriptors() == 0)
    }
}
