import Platform
import SQLite

/// The tables of a writer, whose statements' texts are written once rather than by each save.
final class ObjectTables {
    let query: ObjectQuery
    private var tables: [ObjectTable] = []

    init(_ query: ObjectQuery) { self.query = query }

    func table(_ name: String, _ external: ExternalTriggers) throws(StoreError) -> ObjectTable {
        let table: ObjectTable
        if let known = tables.first(where: { $0.entity.name == name }) {
            table = known
        } else {
            table = try ObjectTable(name, query)
            tables.append(table)
        }
        table.external = external
        return table
    }
}

/// The rows of one entity as a save writes them. Returns each stored object without reading it again. Confined to
/// the writer.
final class ObjectTable {
    let entity: EntityDescription
    /// Triggers of other programs, which may undo a statement without an error.
    fileprivate(set) var external = ExternalTriggers()
    private let layout: StoredObject.Layout
    let query: ObjectQuery
    private let defaults: [AttributeValue?]
    private var insertions: [(form: InsertionForm, sql: String)] = []
    /// The statements that change some attributes, one bit for each.
    private var updates: [(changed: UInt64, sql: String)] = []
    private static let maxTexts = 16

    /// The attributes that an insertion sets and returns, one bit for each.
    private struct InsertionForm: Equatable {
        var given: UInt64 = 0
        var returned: UInt64 = 0
        let hasKey: Bool

        /// Whether the row has values that are not known before: RETURNING stores it in a temporary table, which
        /// costs as much as the insertion.
        var returnsRow: Bool { hasKey || returned != 0 }
    }

    fileprivate init(_ name: String, _ query: ObjectQuery) throws(StoreError) {
        entity = try query.entity(name)
        self.query = query
        layout = StoredObject.Layout(names: entity.attributes.map(\.name))
        defaults = entity.attributes.map(\.constantDefault)
    }

    func object(_ id: ObjectID, on connection: borrowing Connection) throws -> StoredObject? {
        guard id.isPermanent else { return nil }
        let request = FetchRequest(entity.name, where: .keys([id.key]))
        return try query.fetch(request, on: connection).first
    }

    func insert(_ values: [String: AttributeValue], on connection: borrowing Connection) throws
        -> StoredObject
    {
        try insert(values, key: nil, after: 0, on: connection)
    }

    /// Restores an object under its key, with a version that it never had: each earlier version has at least
    /// one row in the history.
    func restore(
        _ key: Int64, _ values: [String: AttributeValue], after version: Int64,
        on connection: borrowing Connection
    ) throws -> StoredObject {
        try insert(values, key: key, after: version, on: connection)
    }

    private func insert(
        _ values: [String: AttributeValue], key: Int64?, after version: Int64,
        on connection: borrowing Connection
    ) throws -> StoredObject {
        if let source = entity.attached { return try insertRow(values, key: key, source, on: connection) }
        var form = InsertionForm(hasKey: key != nil)
        var stored: [AttributeValue] = []
        var given: [AttributeValue] = []
        stored.reserveCapacity(entity.attributes.count)
        given.reserveCapacity(values.count)
        for index in entity.attributes.indices {
            let value = values[entity.attributes[index].name]
            if let value {
                try entity.attributes[index].check(value, of: entity.name)
                form.given |= 1 << index
                given.append(value)
            }
            let known = value ?? defaults[index]
            if !Self.isKnown(known, as: entity.attributes[index].kind) { form.returned |= 1 << index }
            stored.append(known ?? .null)
        }
        if given.count < values.count { try check(values.keys) }
        let statement = try connection.prepare(insertion(form))
        for (index, value) in given.enumerated() { try value.bind(to: statement, at: index + 1) }
        if let key {
            try statement.bind(key, at: given.count + 1)
            try statement.bind(version, at: given.count + 2)
        }
        guard form.returnsRow else {
            while try statement.step() {}
            guard connection.changedRows == 1 else { throw external.notStored(entity.name) }
            let id = ObjectID(entity: entity.name, key: connection.lastInsertedRow, store: query.store)
            return StoredObject(id: id, version: StoredObject.firstVersion, layout: layout, values: stored)
        }
        guard try statement.step() else { throw external.notStored(entity.name) }
        let id = ObjectID(entity: entity.name, key: statement.integer(0), store: query.store)
        let version = statement.integer(1)
        var column = 2
        for index in stored.indices where form.returned & 1 << index != 0 {
            stored[index] = statement.value(column, of: entity.attributes[index].kind)
            column += 1
        }
        while try statement.step() {}
        return StoredObject(id: id, version: version, layout: layout, values: stored)
    }

    /// Returns the quoted names of attributes, one bit for each.
    private func names(_ attributes: UInt64) -> [String] {
        entity.attributes.indices.filter { attributes & 1 << $0 != 0 }.map {
            "\"\(entity.attributes[$0].name)\""
        }
    }

    private func insertion(_ form: InsertionForm) -> String {
        if let known = insertions.first(where: { $0.form == form }) { return known.sql }
        var columns = names(form.given)
        var marks = columns.map { _ in "?" }
        if form.hasKey {
            columns += ["id", "version"]
            marks += ["?", "max((SELECT max(number) FROM history), ?) + 1"]
        }
        let sql =
            "INSERT INTO \"\(entity.name)\" "
            + (columns.isEmpty
                ? "DEFAULT VALUES"
                : "(\(columns.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", ")))")
            + (form.returnsRow
                ? " RETURNING " + (["id", "version"] + names(form.returned)).joined(separator: ", ") : "")
        if insertions.count < Self.maxTexts { insertions.append((form, sql)) }
        return sql
    }

    /// Returns an object after all triggers: RETURNING runs before the AFTER triggers
    /// (sqlite.org/lang_returning.html). Nil if the object was deleted, as required.
    ///
    /// - Throws: ``StoreError/changeDiscarded(table:cause:)`` if a trigger undid the change.
    func confirmed(_ object: StoredObject?, _ id: ObjectID, on connection: borrowing Connection) throws
        -> StoredObject?
    {
        let stored = try self.object(id, on: connection)
        guard (stored == nil) == (object == nil) else { throw notStored }
        return stored
    }

    var notStored: StoreError { external.notStored(entity.name) }

    /// Returns the updated object; nil if it does not exist at the version of the basis.
    func update(
        _ id: ObjectID, _ changes: [String: AttributeValue], on basis: ChangeBasis,
        _ connection: borrowing Connection
    ) throws -> StoredObject? {
        guard id.isPermanent else { return nil }
        try entity.check(changes)
        if let source = entity.attached {
            return try updateRow(id, changes, basis.version, source, on: connection)
        }
        let changed = entity.attributes.filter { changes[$0.name] != nil }
        let returned =
            basis.object == nil || !basis.isAsStored
            ? entity.attributes : changed.filter { !Self.isKnown(changes[$0.name], as: $0.kind) }
        let returning = " RETURNING version" + returned.map { ", \"\($0.name)\"" }.joined()
        let statement = try connection.prepare(update(changes) + returning)
        try bind(changes, of: id.key, version: basis.version, to: statement)
        guard try statement.step() else { return nil }
        var values =
            basis.object.map { base in entity.attributes.map { changes[$0.name] ?? base[$0.name] } }
            ?? entity.attributes.map { _ in .null }
        let version = statement.integer(0)
        read(returned, from: statement, after: 1, into: &values)
        while try statement.step() {}
        return StoredObject(id: id, version: version, layout: layout, values: values)
    }

    /// Updates an object without reading it: RETURNING costs as much as the update. Returns whether it exists at the
    /// version.
    func set(
        _ id: ObjectID, _ changes: [String: AttributeValue], version: Int64?,
        _ connection: borrowing Connection
    ) throws -> Bool {
        guard id.isPermanent, entity.attached == nil else {
            return try update(id, changes, on: ChangeBasis(version: version, object: nil), connection) != nil
        }
        try entity.check(changes)
        let statement = try connection.prepare(update(changes))
        try bind(changes, of: id.key, version: version, to: statement)
        while try statement.step() {}
        return connection.changedRows > 0
    }

    /// Returns the statement that changes some attributes.
    private func update(_ changes: [String: AttributeValue]) -> String {
        var changed: UInt64 = 0
        for index in entity.attributes.indices where changes[entity.attributes[index].name] != nil {
            changed |= 1 << index
        }
        if let known = updates.first(where: { $0.changed == changed }) { return known.sql }
        let names = names(changed)
        let assignments = names.map { "\($0) = ?" }.joined(separator: ", ")
        let differences = names.map { "\($0) IS NOT ? COLLATE BINARY" }.joined(separator: " OR ")
        // A version that rises without a change in the history would be a conflict that no merge resolves.
        let sql = """
            UPDATE "\(entity.name)" SET \(assignments), version = version + (\(differences)) WHERE id = ? \
            AND (? IS NULL OR version = ?)
            """
        if updates.count < Self.maxTexts { updates.append((changed, sql)) }
        return sql
    }

    private func bind(
        _ changes: [String: AttributeValue], of key: Int64, version: Int64?, to statement: borrowing Statement
    ) throws {
        var index = 0
        for attribute in entity.attributes.indices {
            guard let value = changes[entity.attributes[attribute].name] else { continue }
            index += 1
            try value.bind(to: statement, at: index)
            try value.bind(to: statement, at: changes.count + index)
        }
        try bind(key, version, to: statement, from: 2 * index + 1)
    }

    /// Deletes a row. Returns false if there is none with the ID and the version.
    func delete(_ id: ObjectID, version: Int64?, on connection: borrowing Connection) throws -> Bool {
        guard id.isPermanent else { return false }
        if let source = entity.attached { return try deleteRow(id, version, source, on: connection) }
        let statement = try connection.prepare(
            "DELETE FROM \"\(entity.name)\" WHERE id = ? AND (? IS NULL OR version = ?)")
        try bind(id.key, version, to: statement, from: 1)
        _ = try statement.step()
        return connection.changedRows > 0
    }

    private func bind(_ key: Int64, _ version: Int64?, to statement: borrowing Statement, from index: Int)
        throws
    {
        try statement.bind(key, at: index)
        try version.bind(to: statement, at: index + 1)
        try version.bind(to: statement, at: index + 2)
    }

    private func read(
        _ attributes: [AttributeDescription], from statement: borrowing Statement, after column: Int,
        into values: inout [AttributeValue]
    ) {
        for (index, attribute) in attributes.enumerated() {
            if let position = layout.index(of: attribute.name) {
                values[position] = statement.value(column + index, of: attribute.kind)
            }
        }
    }

    /// Whether SQLite stores the value unchanged: it converts, for example, an integer to a real number in a real
    /// column (sqlite.org/stricttables.html).
    private static func isKnown(_ value: AttributeValue?, as kind: AttributeDescription.Kind) -> Bool {
        switch (value, kind) {
        case (nil, _): false
        case (.null, _), (.integer, .integer), (.text, .text), (.blob, .blob): true
        case (.real(let value), .real): !value.isNaN
        default: false
        }
    }

    private func check(_ names: some Sequence<String>) throws(StoreError) {
        for name in names where entity.attribute(name) == nil {
            throw .unknownAttribute(name, entity: entity.name)
        }
    }
}

extension AttributeDescription {
    /// The value of a row that does not specify the attribute; nil if only SQLite can compute it.
    fileprivate var constantDefault: AttributeValue? {
        switch defaultValue {
        case .none: .null
        case .value(let value): value
        case .now, .uuid: nil
        }
    }
}
