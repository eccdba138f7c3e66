import SQLite

/// The rows of one entity as a save writes them. Returns each stored object without reading it again.
struct ObjectTable {
    let entity: EntityDescription
    /// Triggers of other programs, which may undo a statement without an error.
    private let external: ExternalTriggers
    private let layout: StoredObject.Layout
    private let query: ObjectQuery

    init(_ name: String, _ query: ObjectQuery, _ external: ExternalTriggers) throws(StoreError) {
        entity = try query.entity(name)
        self.query = query
        self.external = external
        layout = StoredObject.Layout(names: entity.attributes.map(\.name))
    }

    func object(_ key: Int64, on connection: borrowing Connection) throws -> StoredObject? {
        let request = FetchRequest(entity.name, where: .keys([key]))
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
        try check(values.keys)
        let given = entity.attributes.filter { values[$0.name] != nil }
        let returned = entity.attributes.filter { !isKnown(values[$0.name], of: $0) }
        var names = given.map { "\"\($0.name)\"" }
        var marks = given.map { _ in "?" }
        if key != nil {
            names += ["id", "version"]
            marks += ["?", "max((SELECT max(number) FROM history), ?) + 1"]
        }
        let answer = ["id", "version"] + returned.map { "\"\($0.name)\"" }
        let statement = try connection.prepare(
            "INSERT INTO \"\(entity.name)\" "
                + (names.isEmpty
                    ? "DEFAULT VALUES"
                    : "(\(names.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", ")))")
                + " RETURNING " + answer.joined(separator: ", "))
        for (index, attribute) in given.enumerated() {
            try values[attribute.name].bind(to: statement, at: index + 1)
        }
        if let key {
            try statement.bind(key, at: given.count + 1)
            try statement.bind(version, at: given.count + 2)
        }
        var stored = entity.attributes.map { values[$0.name] ?? $0.constantDefault ?? .null }
        guard try statement.step() else { throw external.notStored(entity.name) }
        let id = ObjectID(entity: entity.name, key: statement.integer(0), store: query.store)
        let version = statement.integer(1)
        read(returned, from: statement, after: 2, into: &stored)
        while try statement.step() {}
        return StoredObject(id: id, version: version, layout: layout, values: stored)
    }

    /// Returns an object after all triggers: RETURNING runs before the AFTER triggers
    /// (sqlite.org/lang_returning.html). Nil if the object was deleted, as required.
    ///
    /// - Throws: ``StoreError/notStored(table:cause:)`` if a trigger undid the change.
    func confirmed(_ object: StoredObject?, _ id: ObjectID, on connection: borrowing Connection) throws
        -> StoredObject?
    {
        let stored = try self.object(id.key, on: connection)
        guard (stored == nil) == (object == nil) else { throw notStored }
        return stored
    }

    var notStored: StoreError { external.notStored(entity.name) }

    /// Returns the updated object; nil if it does not exist at the version of the basis.
    func update(
        _ id: ObjectID, _ changes: [String: AttributeValue], on basis: ChangeBasis,
        _ connection: borrowing Connection
    ) throws -> StoredObject? {
        try check(changes.keys)
        let changed = entity.attributes.filter { changes[$0.name] != nil }
        let returned =
            basis.object == nil
            ? entity.attributes : changed.filter { !isKnown(changes[$0.name], of: $0) }
        let assignments = changed.map { "\"\($0.name)\" = ?" }.joined(separator: ", ")
        let differences = changed.map { "\"\($0.name)\" IS NOT ? COLLATE BINARY" }.joined(separator: " OR ")
        // A version that rises without a change in the history would be a conflict that no merge resolves.
        let statement = try connection.prepare(
            """
            UPDATE "\(entity.name)" SET \(assignments), version = version + (\(differences)) WHERE id = ? \
            AND (? IS NULL OR version = ?) RETURNING version\(returned.map { ", \"\($0.name)\"" }.joined())
            """)
        for (index, attribute) in (changed + changed).enumerated() {
            try changes[attribute.name].bind(to: statement, at: index + 1)
        }
        try bind(id.key, basis.version, to: statement, from: 2 * changed.count + 1)
        guard try statement.step() else { return nil }
        var values =
            basis.object.map { base in entity.attributes.map { changes[$0.name] ?? base[$0.name] } }
            ?? entity.attributes.map { _ in .null }
        let version = statement.integer(0)
        read(returned, from: statement, after: 1, into: &values)
        while try statement.step() {}
        return StoredObject(id: id, version: version, layout: layout, values: values)
    }

    /// Deletes a row. Returns false if there is none with the key and the version.
    func delete(_ key: Int64, version: Int64?, on connection: borrowing Connection) throws -> Bool {
        let statement = try connection.prepare(
            "DELETE FROM \"\(entity.name)\" WHERE id = ? AND (? IS NULL OR version = ?)")
        try bind(key, version, to: statement, from: 1)
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
                values[position] = statement.value(column + index)
            }
        }
    }

    /// Whether SQLite stores the value, or the default if there is none, unchanged: it converts, for example,
    /// an integer to a real number in a real column (sqlite.org/stricttables.html).
    private func isKnown(_ value: AttributeValue?, of attribute: AttributeDescription) -> Bool {
        switch (value ?? attribute.constantDefault, attribute.kind) {
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
