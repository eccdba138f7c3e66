import SQLite
import Synchronization
import TestSupport
import Testing

/// The guarantees of one connection.
@Suite struct ConnectionTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "a.db")
    }

    @Test func `text, numbers, bytes, and null are returned as they were bound`() throws {
        let connection = try Connection(path: path, access: .create)
        let statement = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5, ?6")
        try statement.bind("a\0'\u{1F600}", at: 1)
        try statement.bind(Int64.min, at: 2)
        try statement.bind(0.1, at: 3)
        try statement.bind([0, 255], at: 4)
        try statement.bind("", at: 5)
        try statement.bind([UInt8](), at: 6)
        #expect(try statement.step())
        #expect(statement.text(0) == "a\0'\u{1F600}")
        #expect(statement.integer(1) == .min)
        #expect(statement.real(2) == 0.1)
        #expect(statement.blob(3) == [0, 255])
        #expect(statement.type(4) == .text && statement.text(4) == "")
        #expect(statement.type(5) == .blob)
    }

    @Test func `a released statement has no bound values`() throws {
        let connection = try Connection(path: path, access: .create)
        do {
            let statement = try connection.prepare("SELECT ?1")
            try statement.bind("secret", at: 1)
            _ = try statement.step()
        }
        let again = try connection.prepare("SELECT ?1")
        #expect(try again.step() && again.isNull(0))
    }

    @Test func `a statement can be in use twice`() throws {
        let connection = try Connection(path: path, access: .create)
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)")
        let outer = try connection.prepare("SELECT x FROM t ORDER BY x")
        var sum: Int64 = 0
        while try outer.step() {
            let inner = try connection.prepare("SELECT x FROM t ORDER BY x")
            while try inner.step() { sum += outer.integer(0) * inner.integer(0) }
        }
        #expect(sum == 36)
    }

    @Test func `an error names the statement and never a value`() throws {
        let connection = try Connection(path: path, access: .create)
        try connection.execute("CREATE TABLE t (x UNIQUE)")
        try connection.run("INSERT INTO t VALUES (?1)", "secret")
        let error = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO t VALUES (?1)", "secret")
        }
        #expect(error?.primary == .constraint)
        #expect(error?.description.contains("INSERT INTO t") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `a busy store is waited for as long as configured`() throws {
        let first = try Connection(path: path, access: .create)
        try first.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x); BEGIN IMMEDIATE")
        let second = try Connection(path: path, access: .readWrite, busyTimeoutMilliseconds: 60)
        let clock = ContinuousClock()
        let time = clock.measure {
            let error = #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
            #expect(error?.primary == .busy)
        }
        #expect(time >= .milliseconds(59))
        #expect(second.waitedMilliseconds >= 59)
        first.rollBack()
        try second.execute("BEGIN IMMEDIATE; COMMIT")
    }

    @Test func `a long wait leaves the processors to the holder of the lock`() throws {
        let first = try Connection(path: path, access: .create)
        try first.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (x); BEGIN IMMEDIATE")
        let tries = Mutex(0)
        let second = try Connection(
            path: path, access: .readWrite, busyTimeoutMilliseconds: 500,
            isInterrupted: {
                tries.withLock { $0 += 1 }
                return false
            })
        #expect(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
        let count = tries.withLock(\.self)
        #expect((1..<800).contains(count), "\(count)")
    }

    @Test func `a database of an attacker cannot rewrite its own schema through the library`() throws {
        let connection = try Connection(path: path, access: .create)
        try connection.execute("CREATE TABLE t (x)")
        #expect(throws: SQLiteError.self) {
            try connection.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'x'")
        }
        #expect(try connection.integer("PRAGMA trusted_schema") == 0)
    }
}
