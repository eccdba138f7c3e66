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
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE ORDER BY rowid",
            [entity.name])
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

/// The notes of rows that a change may evict.
extension HistoryTriggers {
    func noteClashes(_ condition: String) -> [String] {
        let present = preserved.map { ", " + $0.name }.joined()
        let clashing = "FROM \(table) WHERE (\(clash))\(condition)"
        return [
            // The outer statement's conflict clause would override that of an INSERT that clashes here.
            """
            DELETE FROM \(replaced) WHERE after IS NULL OR ((after = \(Self.recorded) OR \(isSettled)) AND NOT \(isEvicting))
            OR id IN (SELECT id \(clashing))
            """,
            """
            INSERT INTO \(replaced) (id, after\(retained(preserved)))
            SELECT id, (id = new.id) * (1 + version)\(present) \(clashing)
            """,
        ]
    }

    /// Returns a statement that finishes the notes of the change that a trigger records, and marks those of evicted rows
    /// for the trigger that records them. The notes remain, so that each trigger on one row of a statement sees the same
    /// ones. An evicted row of another change is that of a statement of which this change is a part.
    func finishNotes(_ isEvicted: String) -> String {
        let evicted = "after >= 0 AND (\(isEvicted))"
        return """
            UPDATE \(replaced) SET after = CASE WHEN \(evicted) THEN CASE WHEN \(isOwn) THEN \(Self.evicted)
            ELSE \(Self.evictedByOuter) END END
            WHERE after NOT NULL AND ((\(evicted)) OR \(isOwn))
            """
    }

    /// Notes the row as it is after a change inside a statement that evicts rows, since it may be the next one.
    var noteChanged: [String] {
        let present = preserved.map { ", " + $0.name }.joined()
        let isInside = "EXISTS (SELECT 1 FROM \(replaced) WHERE after = \(Self.recorded))"
        return [
            "DELETE FROM \(replaced) WHERE id = new.id AND \(isInside)",
            """
            INSERT INTO \(replaced) (id, after\(retained(preserved)))
            SELECT id, 0\(present) FROM \(table) WHERE id = new.id AND \(isInside)
            """,
        ]
    }

    /// Discards the note of a row that is deleted or moved. If the note is of another row, that one was evicted, and a
    /// trigger of the owner deletes or moves its successor before its insertion is recorded.
    var discardNote: [String] {
        [
            "UPDATE \(replaced) SET after = \(Self.evicted) WHERE id = old.id AND after > 0 AND NOT \(isRow("old."))",
            "DELETE FROM \(replaced) WHERE id = old.id AND after IS NOT \(Self.recorded)",
        ]
    }

    /// Whether the row of a note exists and was not evicted: it has another ID than the new one, or is still the noted
    /// one.
    var isSettled: String {
        "EXISTS (SELECT 1 FROM \(table) WHERE id = \(replaced).id AND (\(replaced).after = 0 OR \(isRow(table + "."))))"
    }

    /// Whether a note is that of a row, named by the prefix of its columns, as it is now.
    func isRow(_ row: String) -> String {
        let noted = ["\(replaced).after - 1"] + preserved.map { "\(replaced).\($0.retained)" }
        let present = ["\(row)version"] + preserved.map { row + $0.name }
        return "(\(noted.joined(separator: ", "))) IS (\(present.joined(separator: ", ")))"
    }

    /// Whether a note is that of the deleted row, whose eviction a cascade has recorded.
    var isRecorded: String { "id = old.id AND after = \(Self.recorded)" }

    /// Whether a noted row does not exist any more.
    var isMissing: String { "NOT EXISTS (SELECT 1 FROM \(table) WHERE id = \(replaced).id)" }

    /// Whether the row of a note clashed with the new one, so that this change made the note.
    private var isOwn: String {
        let unique = columns.filter(\.isUnique)
        guard unique.allSatisfy({ $0.history.contains(.preservesValueOnDeletion) }) else { return "1" }
        // The collation is that of the operand on the left.
        let equal = unique.map { "new.\($0.name) = \(replaced).\($0.retained)" }
        return "(\((["id = new.id"] + equal).joined(separator: " OR ")))"
    }

    /// Whether a statement has evicted a row and may evict others: a deletion that cascades from the first, or a trigger
    /// of the owner on it, runs between. After an update whose own row such a cascade deletes, no trigger finishes the
    /// notes; their number is bounded then.
    var isEvicting: String {
        """
        (EXISTS (SELECT 1 FROM \(replaced) WHERE after = \(Self.recorded) OR after >= 0 AND \(isMissing))
        AND (SELECT count(*) FROM \(replaced)) < 64)
        """
    }
}

/// The bits of `history.columns` that stand for an entity's attributes.
///
/// A bit belongs to its attribute for as long as the history retains a change that names it, so that old
/// history stays readable. When no bit is free, those of dropped attributes that no change names are reused.
struct AttributeBits {
    private(set) var byName: [String: Int] = [:]
    private let entityID: Int64

    init(ofEntity id: Int64, on connection: borrowing Connection) throws(SQLiteError) {
        entityID = id
        let rows = try connection.prepare("SELECT bit, name FROM history_attribute WHERE entity = ?1", [id])
        while try rows.step() { byName[rows.text(1)] = Int(rows.integer(0)) }
    }

    /// Assigns a bit to each attribute without one.
    ///
    /// - Throws: ``StoreError/invalidModel(_:)`` if the history names too many attributes.
    mutating func assign(to entity: EntityDescription, on connection: borrowing Connection) throws {
        for attribute in entity.attributes where byName[attribute.name] == nil {
            if unused == nil { try reclaim(for: entity, on: connection) }
            guard let bit = unused else {
                throw StoreError.invalidModel(
                    "\(entity.name) has had more than \(StoreModel.maxAttributes) attributes, and its history "
                        + "names the dropped ones; purge the history with the version of the program that "
                        + "wrote it, then open the store again")
            }
            byName[attribute.name] = bit
            try connection.run(
                "INSERT INTO history_attribute (entity, bit, name) VALUES (?1, ?2, ?3)", entityID, bit,
                attribute.name)
        }
    }

    private var unused: Int? {
        let used = Set(byName.values)
        return (0..<StoreModel.maxAttributes).first { !used.contains($0) }
    }

    /// Deletes the dropped attributes that no retained change names, with the columns of their values.
    private mutating func reclaim(for entity: EntityDescription, on connection: borrowing Connection) throws {
        let named = try namedBits(on: connection)
        let dropped = byName.filter { entity.attribute($0.key) == nil && named & (1 << $0.value) == 0 }
        for (name, bit) in dropped {
            byName[name] = nil
            try connection.run(
                "DELETE FROM history_attribute WHERE entity = ?1 AND bit = ?2", entityID, bit)
            let column = StoreSchema.retainedColumnName(name)
            for table in StoreSchema.tables(of: entity.name).dropFirst() {
                guard try connection.columns(of: table).contains(column) else { continue }
                try connection.run(
                    "ALTER TABLE \(StoreSchema.quoted(table)) DROP COLUMN \(StoreSchema.quoted(column))")
            }
        }
    }

    /// Returns the bits that retained changes name. A deletion without bits, recorded by an older version,
    /// may name any attribute.
    private func namedBits(on connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var bits: Int64 = 0
        let rows = try connection.prepare(
            "SELECT kind, columns FROM history WHERE entity = ?1 AND kind IN (1, 2)", [entityID])
        while try rows.step() {
            bits |= rows.isNull(1) && rows.integer(0) == 2 ? -1 : rows.integer(1)
        }
        return bits
    }
}
