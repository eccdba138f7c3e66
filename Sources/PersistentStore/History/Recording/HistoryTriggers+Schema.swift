import SQLite

/// The triggers of an entity in a store's schema.
extension HistoryTriggers {
    static func mask(of attributes: [AttributeDescription], _ bits: [String: Int]) -> Int64 {
        attributes.reduce(0) { mask, attribute in bits[attribute.name].map { mask | 1 << Int64($0) } ?? mask }
    }

    /// Creates the triggers that an entity of an open store must have; nil if the store does not contain it.
    init?(of entity: EntityDescription, on connection: borrowing Connection) throws {
        guard
            let id = try connection.integer("SELECT id FROM history_entity WHERE name = ?1", entity.name)
        else { return nil }
        let bits = try AttributeBits(ofEntity: id, on: connection)
        self.init(entity: entity, entityID: id, bits: bits.byName)
    }

    /// Creates the triggers: those that run before a change are older than those of the owner, and those that run
    /// after it are newer.
    func create(on connection: borrowing Connection) throws {
        let own = Set(all.map(\.name))
        var others: [(name: String, sql: String)] = []
        let rows = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE ORDER BY rowid"
        )
        try rows.bind(entity.name, at: 1)
        while try rows.step() {
            if !own.contains(rows.text(0)) { others.append((rows.text(0), rows.text(1))) }
        }
        rows.reset()
        for trigger in others { try connection.run("DROP TRIGGER \(StoreSchema.quoted(trigger.name))") }
        for trigger in all where !trigger.isAfter { try connection.run(trigger.sql) }
        for trigger in others { try connection.run(trigger.sql) }
        for trigger in all where trigger.isAfter { try connection.run(trigger.sql) }
    }

    /// Creates the triggers that run after a change again, so that they are newer than those that the owner has added.
    func renew(on connection: borrowing Connection) throws {
        for trigger in all where trigger.isAfter {
            try connection.run("DROP TRIGGER \(StoreSchema.quoted(trigger.name))")
            try connection.run(trigger.sql)
        }
    }

    /// Raises the newest number to the greatest version in the store, so that each later version can be greater: the
    /// history may have been off, or another program have set versions before these triggers.
    static func raiseNumbers(over entities: [EntityDescription], on connection: borrowing Connection) throws {
        for entity in entities {
            try connection.run(
                """
                INSERT INTO history (number, kind, at) SELECT highest, \(HistoryLog.RowKind.end.rawValue),
                (SELECT at FROM history ORDER BY number DESC LIMIT 1)
                FROM (SELECT max(version) AS highest FROM \(StoreSchema.quoted(entity.name)) WHERE version < ?1)
                WHERE highest > (SELECT max(number) FROM history)
                """, maxVersion)
        }
    }

    /// The limit above which a version was set by an attacker.
    private static let maxVersion: Int64 = 1 << 40

    /// Drops the triggers of an entity that this library created.
    static func drop(of entity: String, on connection: borrowing Connection) throws {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN (?1, ?2)"
        let notes = "history_replaced_\(entity)"
        for name in try connection.texts(sql, entity, notes) where name.hasPrefix(entity + "_") {
            try connection.run("DROP TRIGGER \(StoreSchema.quoted(name))")
        }
    }
}
