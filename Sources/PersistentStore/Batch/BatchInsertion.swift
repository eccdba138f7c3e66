import SQLite

/// Inserts rows as they are produced.
struct BatchInsertion {
    let request: BatchRequest
    let entity: EntityDescription
    let recorder: BatchRecorder?
    let proof: BatchProof

    func run(
        _ next: () throws(StoreError) -> BatchRow?, _ meter: inout BatchMeter,
        on connection: borrowing Connection
    ) throws -> (keys: [Int64]?, skipped: Int) {
        var keys: [Int64]? = request.returnsObjectIDs ? [] : nil
        var skipped = 0
        var recorded = try connection.integer("SELECT max(id) FROM \"\(entity.name)\"") ?? 0
        var unrecorded = 0
        var row = try next()
        while let first = row {
            let names = try columns(of: first)
            let statement = try connection.prepare(sql(names))
            while let values = row, try values.bind(names, to: statement) {
                try check(values)
                let key = try step(statement, connection)
                try proof.checkInsert(key, values, request.duplicates, on: connection)
                if let key {
                    keys?.append(key)
                    unrecorded += 1
                    try meter.add(1)
                } else {
                    skipped += 1
                }
                statement.reset()
                if unrecorded == BatchMeter.interval {
                    recorded = try recorder?.recordInserts(after: recorded, on: connection) ?? recorded
                    unrecorded = 0
                }
                row = try next()
            }
        }
        _ = try recorder?.recordInserts(after: recorded, on: connection)
        try meter.checkCancellation()
        return (keys, skipped)
    }

    private func columns(of row: BatchRow) throws(StoreError) -> [String] {
        let given = row.names
        for name in given where entity.attribute(name) == nil {
            throw .unknownAttribute(name, entity: entity.name)
        }
        switch row {
        case .named: return entity.attributes.map(\.name).filter(given.contains)
        case .ordered: return given
        }
    }

    private func check(_ row: BatchRow) throws(StoreError) {
        switch row {
        case .named(let values): try entity.check(values)
        case .ordered(let values, let layout):
            for (index, value) in values.enumerated() {
                try entity.attribute(layout.names[index])?.check(value, of: entity.name)
            }
        }
    }

    /// Returns the key of the row; nil if it was skipped.
    private func step(_ statement: borrowing Statement, _ connection: borrowing Connection) throws -> Int64? {
        if try statement.step() {
            let key = statement.integer(0)
            while try statement.step() {}
            return key
        }
        return connection.changedRows > 0 ? connection.lastInsertedRow : nil
    }

    private func sql(_ names: [String]) -> String {
        guard !names.isEmpty else { return "INSERT INTO \"\(entity.name)\" DEFAULT VALUES" }
        let insert = """
            INSERT INTO "\(entity.name)" (\(names.map { "\"\($0)\"" }.joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """
        let unique = entity.attributes.filter(\.isUnique)
        switch request.duplicates {
        case .fail: return insert
        case .skip: return insert + " ON CONFLICT DO NOTHING"
        case .replace where unique.isEmpty: return insert
        case .replace:
            let assignments = names.map { "\"\($0)\" = excluded.\"\($0)\"" }.joined(separator: ", ")
            let differences = names.map { "\"\($0)\" IS NOT excluded.\"\($0)\" COLLATE BINARY" }
            let update = """
                DO UPDATE SET \(assignments), version = version + (\(differences.joined(separator: " OR ")))
                """
            return insert + unique.map { " ON CONFLICT (\"\($0.name)\") \(update)" }.joined()
                + " RETURNING id"
        }
    }
}

/// The values of one new object.
enum BatchRow {
    case named([String: AttributeValue])
    /// The values of a record, in the order of its attributes.
    case ordered([AttributeValue], StoredObject.Layout)

    var names: [String] {
        switch self {
        case .named(let values): Array(values.keys)
        case .ordered(_, let layout): layout.names
        }
    }

    var values: [String: AttributeValue] {
        switch self {
        case .named(let values): values
        case .ordered(let values, let layout): Dictionary(zip(layout.names, values)) { $1 }
        }
    }

    /// Binds the values. Returns false if the row has other columns; the bound values are then meaningless.
    func bind(_ columns: [String], to statement: borrowing Statement) throws(SQLiteError) -> Bool {
        switch self {
        case .named(let values):
            guard values.count == columns.count else { return false }
            for (index, name) in columns.enumerated() {
                guard let value = values[name] else { return false }
                try value.bind(to: statement, at: index + 1)
            }
        case .ordered(let values, _):
            // All rows of a request have the same layout.
            for (index, value) in values.enumerated() { try value.bind(to: statement, at: index + 1) }
        }
        return true
    }
}
