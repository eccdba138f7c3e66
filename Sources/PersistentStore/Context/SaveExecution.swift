import FoundationEssentials
import Glibc
import SQLite

/// One save, inside its IMMEDIATE transaction: a `begin` row, the statements, an `end` row.
struct SaveExecution {
    let request: SaveRequest
    let opening: StoreOpening
    let storeID: UUID

    func run(on connection: borrowing Connection) throws -> SaveResult {
        if let cursor = request.cursor, cursor.token.storeID != storeID {
            throw StoreError.tokenOfAnotherStore
        }
        var inserted: [ObjectID: ObjectID] = [:]
        var token: HistoryToken?
        let found =
            if let lookup = request.lookup {
                try ObjectQuery(model: opening.model).fetch(lookup, on: connection)
            } else {
                [StoredObject]()
            }
        let first = touches(tracked: true) ? try begin(on: connection) : nil
        for operation in request.operations {
            if let (temporary, permanent) = try execute(operation, on: connection) {
                inserted[temporary] = permanent
            }
        }
        if let first { token = try end(first, on: connection) }
        if let cursor = request.cursor {
            try ConsumerTable.move(
                cursor.consumer, to: cursor.token, now: opening.options.clock(), on: connection)
        } else if token == nil && !touches(tracked: false) {
            connection.rollBack()
        }
        return SaveResult(token: token, insertedIDs: inserted, found: found)
    }

    /// Whether there is work on an entity with, or without, history: what is not recorded may have changed
    /// something all the same.
    private func touches(tracked: Bool) -> Bool {
        request.operations.contains { opening.model.entity($0.entity)?.tracksHistory == tracked }
    }

    private func begin(on connection: borrowing Connection) throws -> Int64 {
        let origin = try originID(on: connection)
        let statement = try connection.prepare(
            """
            INSERT INTO history (kind, began, origin, process, session)
            VALUES (3, max(?1, coalesce((SELECT at FROM history ORDER BY number DESC LIMIT 1), 0)), ?2, ?3, ?4)
            """)
        try statement.bind(opening.options.clock(), at: 1)
        try statement.bind(origin, at: 2)
        try statement.bind(Int64(getpid()), at: 3)
        try statement.bind(request.session, at: 4)
        _ = try statement.step()
        return connection.lastInsertedRow
    }

    /// Closes the transaction; nil, with the `begin` row taken back, when no change was recorded.
    private func end(_ first: Int64, on connection: borrowing Connection) throws -> HistoryToken? {
        guard try connection.integer("SELECT max(number) FROM history") ?? first > first else {
            try connection.run("DELETE FROM history WHERE number = ?1", first)
            return nil
        }
        let statement = try connection.prepare(
            "INSERT INTO history (kind, at) VALUES (4, (SELECT began FROM history WHERE number = ?1))")
        try statement.bind(first, at: 1)
        _ = try statement.step()
        let number = connection.lastInsertedRow
        let generation = try StoreMetadata.integer(.generation, on: connection) ?? 1
        return HistoryToken(storeID: storeID, generation: generation, number: number)
    }

    private func originID(on connection: borrowing Connection) throws -> Int64 {
        let program = opening.options.program
        let find = "SELECT id FROM history_origin WHERE author IS ?1 AND context IS ?2 AND program IS ?3"
        if let id = try connection.integer(find, request.author, request.contextName, program) { return id }
        try connection.run(
            "INSERT INTO history_origin (author, context, program) VALUES (?1, ?2, ?3)", request.author,
            request.contextName, program)
        return connection.lastInsertedRow
    }

    private func execute(
        _ operation: SaveRequest.Operation, on connection: borrowing Connection
    ) throws -> (ObjectID, ObjectID)? {
        switch operation {
        case .insert(let temporary, let values):
            let key = try insert(temporary, values, entity: entity(temporary), on: connection)
            return (temporary, ObjectID(entity: temporary.entity, key: key))
        case .update(let id, let changes, let version):
            try update(id, changes, version, on: connection)
        case .delete(let id, let version):
            try delete(id, version, on: connection)
        }
        return nil
    }

    private func insert(
        _ id: ObjectID, _ values: [String: Value], entity: Entity, on connection: borrowing Connection
    ) throws -> Int64 {
        try check(values.keys, entity)
        var columns = entity.attributes.map(\.name).filter { values[$0] != nil }.map {
            ($0, values[$0] ?? .null)
        }
        // Only an object that is brought back has a key already; SQLite chooses all others.
        if id.isPermanent { columns.insert(("id", .integer(id.key)), at: 0) }
        let list = columns.map { "\"\($0.0)\"" }.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try connection.prepare(
            columns.isEmpty
                ? "INSERT INTO \"\(entity.name)\" DEFAULT VALUES"
                : "INSERT INTO \"\(entity.name)\" (\(list)) VALUES (\(marks))")
        for (index, column) in columns.enumerated() { try column.1.bind(to: statement, at: index + 1) }
        _ = try statement.step()
        return connection.lastInsertedRow
    }

    private func update(
        _ id: ObjectID, _ changes: [String: Value], _ version: Int64?, on connection: borrowing Connection
    ) throws {
        let entity = try entity(id)
        try check(changes.keys, entity)
        let names = entity.attributes.map(\.name).filter { changes[$0] != nil }
        guard !names.isEmpty else { return }
        let assignments = names.map { "\"\($0)\" = ?" }.joined(separator: ", ")
        let differences = names.map { "\"\($0)\" IS NOT ? COLLATE BINARY" }.joined(separator: " OR ")
        // A version that rises without a change in the history would be a conflict that no merge resolves.
        let statement = try connection.prepare(
            """
            UPDATE "\(entity.name)" SET \(assignments), version = version + (\(differences)) WHERE id = ? \
            AND (? IS NULL OR version = ?)
            """)
        for (index, name) in (names + names).enumerated() {
            try changes[name].bind(to: statement, at: index + 1)
        }
        try bind(id, version, to: statement, from: 2 * names.count + 1)
        _ = try statement.step()
        if connection.changedRows == 0 { try failWithConflict(id, version, changes, on: connection) }
    }

    private func delete(_ id: ObjectID, _ version: Int64?, on connection: borrowing Connection) throws {
        let entity = try entity(id)
        let statement = try connection.prepare(
            "DELETE FROM \"\(entity.name)\" WHERE id = ? AND (? IS NULL OR version = ?)")
        try bind(id, version, to: statement, from: 1)
        _ = try statement.step()
        guard connection.changedRows == 0, let version else { return }
        if try stored(id, on: connection) != nil {
            try failWithConflict(id, version, [:], on: connection)
        }
    }

    private func bind(_ id: ObjectID, _ version: Int64?, to statement: borrowing Statement, from index: Int)
        throws
    {
        try statement.bind(id.key, at: index)
        try version.bind(to: statement, at: index + 1)
        try version.bind(to: statement, at: index + 2)
    }

    private func failWithConflict(
        _ id: ObjectID, _ version: Int64?, _ changes: [String: Value], on connection: borrowing Connection
    ) throws {
        guard let version, let stored = try stored(id, on: connection) else {
            throw StoreError.objectMissing(id)
        }
        throw StoreError.conflict(
            SaveConflict(objectID: id, expectedVersion: version, stored: stored, changes: changes))
    }

    private func stored(_ id: ObjectID, on connection: borrowing Connection) throws -> StoredObject? {
        let request = FetchRequest(id.entity, where: .keys([id.key]))
        return try ObjectQuery(model: opening.model).fetch(request, on: connection).first
    }

    private func entity(_ id: ObjectID) throws -> Entity {
        guard let entity = opening.model.entity(id.entity) else { throw StoreError.unknownEntity(id.entity) }
        return entity
    }

    private func check(_ names: some Sequence<String>, _ entity: Entity) throws {
        for name in names where entity.attribute(name) == nil {
            throw StoreError.unknownAttribute(name, entity: entity.name)
        }
    }
}
