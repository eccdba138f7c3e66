import SQLite

/// Creates indexes of an entity, after its triggers, inside the caller's transaction.
///
/// A unique index cannot be created while objects share a value. UUIDs identify no data of the user, so the
/// later objects get new ones, which the triggers record; for any other attribute, that is an error.
struct IndexCreation {
    private let entity: EntityDescription
    private let indexes: [(attribute: AttributeDescription, name: String, sql: String)]

    /// - Parameter isMissing: Whether an index must be created.
    init(_ entity: EntityDescription, isMissing: ((name: String, sql: String)) -> Bool = { _ in true }) {
        self.entity = entity
        indexes = entity.attributes.flatMap { attribute in
            StoreSchema.indexes(attribute, of: entity).filter(isMissing).map { (attribute, $0.name, $0.sql) }
        }
    }

    var isEmpty: Bool { indexes.isEmpty }

    func run(on connection: borrowing Connection) throws {
        for index in indexes {
            try connection.run("DROP INDEX IF EXISTS \(StoreSchema.quoted(index.name))")
            do {
                try connection.run(index.sql)
            } catch {
                guard error.primary == .constraint else { throw error }
                guard index.attribute.defaultValue == .uuid else { throw shared(index.attribute) }
                try renewShared(index.attribute, on: connection)
                try connection.run(index.sql)
            }
        }
    }

    private func shared(_ attribute: AttributeDescription) -> StoreError {
        .invalidModel(
            "\(entity.name).\(attribute.name) must differ, and the store has objects that share a value")
    }

    private func renewShared(_ attribute: AttributeDescription, on connection: borrowing Connection) throws {
        guard let renewed = StoreSchema.defaultExpression(attribute) else { throw shared(attribute) }
        let (table, column) = ("\"\(entity.name)\"", "\"\(attribute.name)\"")
        // For the triggers, which look each new value up.
        try connection.run("CREATE INDEX store_shared_values ON \(table) (\(column))")
        try connection.run(
            """
            UPDATE \(table) SET \(column) = \(renewed) WHERE id IN (SELECT id FROM (
            SELECT id, row_number() OVER (PARTITION BY \(column) ORDER BY id) AS position FROM \(table)
            WHERE \(column) NOT NULL) WHERE position > 1)
            """)
        try connection.run("DROP INDEX store_shared_values")
    }
}
