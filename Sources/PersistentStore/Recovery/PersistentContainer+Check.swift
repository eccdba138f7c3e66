import Platform
import SQLite

extension PersistentContainer {
    /// Checks the whole store on one snapshot, and returns its problems; none if all is well. Writes nothing.
    ///
    /// Checks the file, the consistency of the objects with their history, the triggers, the consumers, the
    /// permissions of the files, and whether the system provides file events.
    ///
    /// - Complexity: O(*n*) in the size of the store: a million objects take seconds.
    nonisolated(nonsending) public func check() async throws(StoreError) -> [StoreFinding] {
        let (model, now) = (storeModel, options.clock())
        let inside = try await reader.read { snapshot throws(StoreError) in
            var findings = try snapshot.ask { try StoreCheck(model: model).run(on: $0) }
            // A damaged file is not checked further.
            if findings.contains(where: \.isDamage) { return findings }
            let (consumers, extent) = (try snapshot.consumers(), try snapshot.ask { try HistoryExtent($0) })
            findings += ConsumerCheck(now: now).run(consumers, extent)
            return findings
        }
        return inside + StoreFiles(path: path).findings()
    }

    /// The entities with tables of this library.
    private var storeModel: StoreModel { writer.opening.model }

    /// Repairs the findings of ``check()`` that can be repaired without losing data; see
    /// ``StoreFinding/isRepairable``.
    nonisolated(nonsending) public func repair(_ findings: [StoreFinding]) async throws(StoreError) {
        let model = storeModel
        if findings.contains(where: \.isInside) {
            try await writer.write { try StoreRepair(model: model).run(findings, on: $0) }
            if findings.contains(where: \.isOfIndexes) { try await finishIndexes() }
        }
        StoreFiles.repair(findings)
    }

    private nonisolated(nonsending) func finishIndexes() async throws(StoreError) {
        for name in try await writer.read({ try StoreRepair.uniqueIndexes($0) }) {
            do {
                try await writer.write { try StoreRepair.rebuildUniqueIndex(name, $0) }
            } catch {
                // The next check reports it; a salvage rebuilds it.
                guard case .damaged = error else { throw error }
            }
        }
        try await writer.vacuum()
    }

    nonisolated(nonsending) package func space() async throws(StoreError) -> StoreSpace {
        let journal = StoreFiles(path: path).journalSize
        return try await reader.read { snapshot throws(StoreError) in
            try snapshot.ask { connection in
                let size = try connection.integer("PRAGMA page_size") ?? 0
                return StoreSpace(
                    file: size * (try connection.integer("PRAGMA page_count") ?? 0), journal: journal,
                    free: size * (try connection.integer("PRAGMA freelist_count") ?? 0),
                    history: try HistoryShare(on: connection).map { Int64($0.history) })
            }
        }
    }
}

extension StoreFinding {
    /// Whether the file may return arbitrary data, so that it is not checked further.
    package var isDamage: Bool { if case .damaged = self { true } else { isOfIndexes } }

    fileprivate var isOfIndexes: Bool { if case .damagedIndexes = self { true } else { false } }

    fileprivate var isInside: Bool {
        if case .insecurePermissions = self { return false }
        return isRepairable
    }
}

/// The files of a store, which can be checked even if the store cannot be opened.
package struct StoreFiles {
    private let path: String

    package init(path: String) { self.path = FilePath.resolved(path) }

    package func findings() -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for end in ["", "-wal", "-shm", "-search", "-search-wal", "-search-shm"] {
            guard let status = FileStatus(path: path + end, followsLinks: false), status.isRegular,
                status.permissions & 0o077 != 0
            else { continue }
            findings.append(.insecurePermissions(path: path + end, mode: status.permissions))
        }
        do {
            _ = try FolderWatch(path: FilePath.folder(of: path))
        } catch {
            findings.append(.noFileEvents(reason: error.description))
        }
        return findings
    }

    package static func repair(_ findings: [StoreFinding]) {
        for case .insecurePermissions(let path, _) in findings { FilePermissions.restrictToOwner(path) }
    }

    var journalSize: Int64 { Int64(FileStatus(path: path + "-wal")?.size ?? 0) }
}

/// A present or future problem of a store.
@nonexhaustive
public enum StoreFinding: Hashable, Sendable {
    /// The file is damaged; contains SQLite's first message.
    case damaged(String)
    /// The file is damaged, but every row of every table can be read: only indexes, or unused pages, are
    /// affected.
    case damagedIndexes(String)
    /// Rows refer to rows that do not exist.
    case danglingReferences(table: String, count: Int)
    /// The triggers that record an entity's history differ from the expected ones: changes may be missing
    /// from the history.
    case wrongTriggers(entity: String)
    /// The last change of this number of objects contradicts the table, or a complete history does not
    /// contain them.
    case historyUnlikeData(entity: String, count: Int)
    /// Objects have a lower version than their recorded updates require.
    case versionsBehind(entity: String, count: Int)
    /// Objects have the greatest IDs, so that few or no objects can be added.
    case fewIDsLeft(entity: String)
    /// Retained values belong to no change.
    case strayValues(entity: String, count: Int)
    /// A transient consumer's process has exited.
    case staleConsumer(String)
    /// History that the consumer has not read was purged: it will do a full refresh.
    case expiredConsumer(String)
    /// A consumer prevents history from being purged and has not been seen for a long time.
    case laggingConsumer(String, transactions: Int, days: Int)
    /// Other users can open a file of the store.
    case insecurePermissions(path: String, mode: UInt32)
    /// inotify(7) provides no more events here.
    case noFileEvents(reason: String)

    /// Whether ``PersistentContainer/repair(_:)`` repairs it.
    public var isRepairable: Bool {
        switch self {
        case .damagedIndexes, .wrongTriggers, .historyUnlikeData, .versionsBehind, .strayValues, .fewIDsLeft,
            .staleConsumer,
            .insecurePermissions:
            true
        case .damaged, .danglingReferences, .expiredConsumer, .laggingConsumer, .noFileEvents: false
        }
    }
}

/// The space that a store uses, in bytes.
package struct StoreSpace: Sendable {
    package let file: Int64
    package let journal: Int64
    package let free: Int64
    /// The size of the history; nil without `dbstat`.
    package let history: Int64?
}

/// Applies the repairs that lose no data, inside the caller's transaction.
struct StoreRepair {
    let model: StoreModel

    func run(_ findings: [StoreFinding], on connection: borrowing Connection) throws {
        var hasGap = false
        for finding in findings {
            switch finding {
            // The connection's SchemaGuard has restored them before this transaction's first statement.
            case .wrongTriggers: break
            case .damagedIndexes: try rebuildIndexes(connection)
            case .historyUnlikeData: hasGap = true
            case .versionsBehind(let name, _):
                try raiseVersions(name, connection)
                hasGap = true
            case .fewIDsLeft(let name): try lowerIDs(name, connection)
            case .strayValues(let name, _): try removeStrayValues(name, connection)
            case .staleConsumer(let name):
                // Another process may have registered under the name since the check.
                if try ConsumerTable.exited(on: connection).contains(name) {
                    try ConsumerTable.remove(name, on: connection)
                }
            default: break
            }
        }
        if hasGap { try StoreMetadata.expireTokens(on: connection) }
    }

    /// Rebuilds the indexes. DROP INDEX and REINDEX begin by reading the old index, which may fail. So its
    /// pages are abandoned, and VACUUM reclaims them.
    private func rebuildIndexes(_ connection: borrowing Connection) throws {
        let definitions = try connection.texts(
            "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL")
        connection.setWritableSchema(enabled: true)
        defer { connection.setWritableSchema(enabled: false) }
        try connection.execute("DELETE FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL")
        // Makes SQLite read the schema again (sqlite.org/pragma.html#pragma_writable_schema).
        try connection.execute("PRAGMA writable_schema = RESET")
        connection.setWritableSchema(enabled: false)
        for definition in definitions { try connection.execute(definition) }
    }

    /// Rebuilds an index of a UNIQUE column, which cannot be abandoned, in its own transaction, since a
    /// failure rolls it back.
    static func rebuildUniqueIndex(_ name: String, _ connection: borrowing Connection) throws {
        try connection.execute("REINDEX \(StoreSchema.quoted(name))")
    }

    static func uniqueIndexes(_ connection: borrowing Connection) throws -> [String] {
        try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NULL")
    }

    private func raiseVersions(_ name: String, _ connection: borrowing Connection) throws {
        guard let entity = model.entity(name),
            let id = try connection.integer("SELECT id FROM history_entity WHERE name = ?1", name)
        else { return }
        connection.setTriggers(enabled: false)
        defer { connection.setTriggers(enabled: true) }
        try connection.execute(
            """
            UPDATE "\(name)" SET version = behind.lowest FROM (\(StoreCheck.objectsBehind(entity, id))) AS behind
            WHERE "\(name)".id = behind.id
            """)
    }

    /// Moves the objects with the greatest IDs after the others, and assigns the next IDs after them.
    private func lowerIDs(_ name: String, _ connection: borrowing Connection) throws {
        let (table, limit) = (StoreSchema.quoted(name), StoreCheck.maxID)
        var last =
            try connection.integer(
                """
                SELECT max(coalesce((SELECT max(id) FROM \(table) WHERE id <= ?1), 0),
                coalesce((SELECT max(object) FROM history WHERE kind < 3 AND object <= ?1 AND entity =
                (SELECT id FROM history_entity WHERE name = ?2)), 0))
                """, limit, name) ?? 0
        while let id = try connection.integer("SELECT min(id) FROM \(table) WHERE id > ?1", limit) {
            last += 1
            try connection.run("UPDATE \(table) SET id = ?1 WHERE id = ?2", last, id)
        }
        try connection.run("UPDATE sqlite_sequence SET seq = ?1 WHERE name = ?2", last, name)
    }

    private func removeStrayValues(_ name: String, _ connection: borrowing Connection) throws {
        guard let id = try connection.integer("SELECT id FROM history_entity WHERE name = ?1", name) else {
            return
        }
        try connection.run(
            """
            DELETE FROM \(StoreSchema.valuesTable(name)) WHERE number NOT IN
            (SELECT number FROM history WHERE entity = ?1)
            """, id)
    }
}
