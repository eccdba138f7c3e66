import SQLite

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
