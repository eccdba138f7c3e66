import Glibc
import SQLite
import TestSupport
import Testing

/// The holder of the write lock, and ways to lose the lock.
@Suite struct LockTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "a.db")
        try Connection(path: path, access: .create).execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
    }

    private func externalWriterCommits() throws -> Bool {
        let statements = ".timeout 0\nBEGIN IMMEDIATE; INSERT INTO t VALUES (1); COMMIT;"
        return try Shell.run("sqlite3", [path], input: statements).status == 0
    }

    @Test(arguments: ["", "-shm"])
    func `closing a plain descriptor drops SQLite's lock`(suffix: String) throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (0)")
        #expect(try !externalWriterCommits())
        let descriptor = open(path + suffix, O_RDONLY)
        try #require(descriptor >= 0)
        close(descriptor)
        // Of the store's own file, only the "in use" lock is lost, which WAL writers do not need.
        #expect(try externalWriterCommits() == (suffix == "-shm"))
    }

    @Test func `a probe of the write lock disturbs no lock`() throws {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (0)")
        for _ in 0..<100 {
            let lock = try #require(WriterLock(databasePath: path))
            #expect(lock.holder() == .process(getpid()))
            WriterLock.releaseUnlinked()
        }
        #expect(try !externalWriterCommits())
        try connection.execute("COMMIT")
        #expect(WriterLock(databasePath: path)?.holder() == .free)
        #expect(try externalWriterCommits())
    }

    @Test func `the header of the index changes with each commit, and with nothing else`() throws {
        let reader = try Connection(path: path, access: .readWrite)
        let writer = try Connection(path: path, access: .readWrite)
        try writer.execute("INSERT INTO t VALUES (0)")
        let lock = try #require(WriterLock(databasePath: path))
        var header = try #require(lock.indexHeader())
        var read = try reader.integer("PRAGMA data_version")
        let steps = [
            ("SELECT * FROM t", false), ("BEGIN IMMEDIATE; INSERT INTO t VALUES (1); ROLLBACK", false),
            ("INSERT INTO t VALUES (2)", true), ("BEGIN IMMEDIATE; COMMIT", false),
            ("PRAGMA wal_checkpoint(PASSIVE)", false), ("DELETE FROM t", true),
        ]
        for (sql, isCommit) in steps {
            try writer.execute(sql)
            let nextHeader = try #require(lock.indexHeader())
            let nextRead = try reader.integer("PRAGMA data_version")
            #expect((nextHeader != header) == isCommit, "\(sql)")
            #expect((nextRead != read) == isCommit, "\(sql)")
            (header, read) = (nextHeader, nextRead)
        }
        #expect(try externalWriterCommits())
        #expect(lock.indexHeader() != header)
    }

    @Test func `no lock can be probed before the shared memory exists`() {
        #expect(WriterLock(databasePath: folder.path(of: "none.db")) == nil)
    }

    @Test func `a descriptor is cached once per file and closed when the file has no name`() throws {
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
