import Glibc
import Platform
import SQLite

/// The file of the index. Confined to the index that owns it.
///
/// Numbers increase with the creation time of the objects, so that the newest matches are read first and
/// reading stops early. Objects that were added with an older creation time ("late") have numbers above all
/// others.
final class IndexFile {
    static let applicationID: Int64 = 0x436C_7053
    static let format: Int64 = 6
    /// A backfill counts down from here; later objects count up.
    static let middleNumber: Int64 = 1 << 32
    static let firstLateNumber: Int64 = 1 << 40

    let connection: Connection
    let path: String
    let isReadOnly: Bool
    private let identity: FileIdentity?

    /// Opens the file, or creates it if it is missing.
    init(path: String, store: String) throws(SQLiteError) {
        self.path = path
        do throws(SQLiteError) {
            if FileStatus.isMissingOrEmpty(path) { FilePermissions.prepare(path, forOwnerOf: store) }
            try Self.checkOwner(path, store: store)
            let connection = try Connection(path: path, access: .create, busyTimeoutMilliseconds: 100)
            // Before any PRAGMA writes: the file may belong to another program.
            guard try Self.mayBecomeIndex(connection) else { throw Self.foreign }
            // A power failure may lose the newest commits; the index catches up again.
            try connection.execute(
                "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            try connection.execute("PRAGMA journal_size_limit = 4194304")
            try connection.execute("PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824")
            try Self.makeTables(connection)
            self.connection = connection
            isReadOnly = false
        } catch  where [.readOnly, .cannotOpen].contains(error.primary) {
            connection = try Connection(path: path, access: .readOnly, busyTimeoutMilliseconds: 100)
            isReadOnly = true
        }
        identity = FileIdentity(path: path)
        guard try connection.integer("PRAGMA application_id") == Self.applicationID,
            try connection.integer("PRAGMA user_version") == Self.format
        else { throw Self.foreign }
    }

    /// Whether the path still leads to this file. False after another process removed or replaced it.
    var isCurrent: Bool { identity != nil && FileIdentity(path: path) == identity }

    static func remove(_ path: String) {
        for end in ["-wal", "-shm", ""] { unlink(path + end) }
    }

    private static let foreign = SQLiteError(
        code: 26, message: "the file is not a search index of this version")

    /// Rejects a file of another user, and one that other users can write: they would read or change it.
    private static func checkOwner(_ path: String, store: String) throws(SQLiteError) {
        guard let file = FileStatus(path: path, followsLinks: false) else { return }
        let owners = [0, geteuid(), FileStatus(path: store)?.owner]
        guard file.isRegular, owners.contains(file.owner), file.permissions & 0o022 == 0 else {
            throw foreign
        }
    }

    private static func mayBecomeIndex(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        if try connection.integer("PRAGMA application_id") == applicationID { return true }
        return try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
    }

    private static func makeTables(_ connection: borrowing Connection) throws(SQLiteError) {
        guard try connection.integer("PRAGMA application_id") != applicationID else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            if try connection.integer("PRAGMA application_id") != applicationID {
                guard try mayBecomeIndex(connection) else { throw foreign }
                try connection.execute(
                    """
                    CREATE TABLE state (id INTEGER PRIMARY KEY, edition INTEGER NOT NULL, store TEXT NOT NULL,
                    generation INTEGER NOT NULL, position INTEGER NOT NULL, phase INTEGER NOT NULL,
                    built_created INTEGER, built_object INTEGER, built INTEGER NOT NULL, total INTEGER NOT NULL,
                    dead INTEGER NOT NULL, next_number INTEGER NOT NULL, next_late_number INTEGER NOT NULL,
                    digest INTEGER);
                    PRAGMA application_id = \(applicationID); PRAGMA user_version = \(format)
                    """)
                try makeContents(connection)
            }
            try connection.execute("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Creates the tables that each backfill starts with, empty.
    static func makeContents(_ connection: borrowing Connection) throws(SQLiteError) {
        try connection.execute(
            """
            DROP TABLE IF EXISTS document; DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS vocabulary;
            CREATE TABLE document (number INTEGER PRIMARY KEY, object INTEGER NOT NULL UNIQUE,
            created INTEGER NOT NULL);
            CREATE VIRTUAL TABLE words USING fts5 (title, tags, url, text, note, author, content = '',
            detail = column, columnsize = 0, tokenize = 'ascii');
            INSERT INTO words (words, rank) VALUES ('automerge', 64), ('crisismerge', 96);
            CREATE TABLE vocabulary (id INTEGER PRIMARY KEY, terms BLOB NOT NULL)
            """)
    }

    /// Returns to the usual merging of segments. During a backfill, 64 are merged at once: each merge writes all of
    /// their words again (sqlite.org/fts5.html 6.2).
    static func endBulkWriting(_ connection: borrowing Connection) throws(SQLiteError) {
        try connection.execute(
            "INSERT INTO words (words, rank) VALUES ('automerge', 4), ('crisismerge', 16)")
    }
}
