import SQLite

/// A private copy of a damaged store, in which SQLite reads rows by their IDs.
///
/// SQLite reads some records that ``DamagedRecord`` rejects, and where a tree is intact, it finds the row that an ID
/// really has.
final class DamagedTables {
    private let connection: Connection
    private let isCutWithinPage: Bool

    /// Opens the copy; nil if SQLite cannot read its schema.
    ///
    /// - Parameter isCutWithinPage: Whether SQLite reads zeros for the rest of the last page.
    init?(copy: String, isCutWithinPage: Bool) {
        self.isCutWithinPage = isCutWithinPage
        do {
            connection = try Connection(path: copy, access: .readWrite)
            // The copy is mapped into memory too, and must not change.
            connection.skipCheckpointOnClose()
            // SQLite then tolerates errors of the schema, and a file that is shorter than its header says.
            connection.setWritableSchema(enabled: true)
            _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        } catch {
            return nil
        }
    }

    /// Returns the attributes of an entity that its table has; nil if it has no such table.
    func attributes(of entity: EntityDescription) -> [AttributeDescription]? {
        let query = """
            SELECT columns.name FROM pragma_table_list(?1) AS tables, pragma_table_info(?1) AS columns
            WHERE tables.schema = 'main' AND tables.type = 'table'
            """
        guard let names = try? connection.texts(query, entity.name), names.contains("id"),
            names.contains("version")
        else { return nil }
        return names.compactMap { entity.attribute($0) }
    }

    /// Returns the versions of the rows that have one of the IDs.
    func versions(of entity: EntityDescription, _ ids: [Int64]) -> [Int64] {
        let query = "SELECT version FROM \(StoreSchema.quoted(entity.name)) NOT INDEXED WHERE id = ?1"
        return ids.compactMap { try? connection.integer(query, $0) }
    }

    /// Returns the row of an ID, which has the ID, a version, and attributes with values of their kinds; nil if SQLite
    /// cannot read it.
    func row(_ id: Int64, of entity: EntityDescription, _ attributes: [AttributeDescription]) -> ReadRow? {
        let names = (["id", "version"] + attributes.map(\.name)).map(StoreSchema.quoted)
        let table = StoreSchema.quoted(entity.name)
        guard
            let row = try? connection.prepare(
                "SELECT \(names.joined(separator: ", ")) FROM \(table) NOT INDEXED WHERE id = ?1", [id]),
            (try? row.step()) == true, row.type(0) == .integer, row.integer(0) == id,
            row.type(1) == .integer
        else { return nil }
        for (index, attribute) in attributes.enumerated() {
            guard attribute.admits(row.type(index + ReadRow.first)) else { return nil }
        }
        return ReadRow(
            id: id, version: row.integer(1), attributes: attributes, mayContainZeros: isCutWithinPage,
            statement: row)
    }
}

/// A row of a damaged store, from one of the sources.
protocol SalvagedRow: ~Copyable {
    var id: Int64 { get }
    var version: Int64 { get }
    var attributes: [AttributeDescription] { get }

    /// Binds the value of an attribute, with its bytes as stored.
    func bind(_ attribute: Int, to statement: borrowing Statement, at index: Int) throws(SQLiteError)

    /// Whether a value is text that is not valid UTF-8, or may have zeros in the position of a part that is missing.
    func isDamagedText(_ attribute: Int) -> Bool
}

/// A row that SQLite reads.
struct ReadRow: ~Copyable, SalvagedRow {
    static let first = 2

    let id: Int64
    let version: Int64
    let attributes: [AttributeDescription]
    /// Whether zeros in a text are those of a page that the file's end divides.
    fileprivate let mayContainZeros: Bool
    fileprivate let statement: Statement

    func bind(_ attribute: Int, to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(attribute + Self.first, of: self.statement, at: index)
    }

    func isDamagedText(_ attribute: Int) -> Bool {
        guard statement.type(attribute + Self.first) == .text else { return false }
        return statement.withTextBytes(attribute + Self.first) {
            String(validating: $0, as: UTF8.self) == nil || mayContainZeros && $0.contains(0)
        }
    }
}

extension AttributeDescription {
    fileprivate func admits(_ type: StorageClass) -> Bool {
        switch type {
        case .null: isOptional
        case .integer: kind == .integer || kind == .real
        case .real: kind == .real
        case .text: kind == .text
        case .blob: kind == .blob
        }
    }
}
