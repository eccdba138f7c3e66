/// The shape of the rows of a store's table, which shows rows in the position of another table's page.
struct TableShape {
    /// The classes of a value that a column admits.
    private struct Classes: OptionSet {
        let rawValue: Int

        static let null = Classes(rawValue: 1)
        static let integer = Classes(rawValue: 2)
        static let real = Classes(rawValue: 4)
        static let bytes = Classes(rawValue: 8)
        static let any: Classes = [null, integer, real, bytes]

        /// The class of a valid serial type (sqlite.org/fileformat2.html 2.1).
        init(ofType type: Int64) {
            switch type {
            case 0: self = .null
            case 1...6, 8, 9: self = .integer
            case 7: self = .real
            default: self = .bytes
            }
        }

        init(rawValue: Int) { self.rawValue = rawValue }

        init(_ attribute: AttributeDescription, isOptional: Bool) {
            self = isOptional ? .null : []
            switch attribute.kind {
            case .integer: insert(.integer)
            // SQLite stores a real number without a fraction as an integer.
            case .real: formUnion([.integer, .real])
            // One changed bit makes a text a blob of the same bytes.
            case .text, .blob: insert(.bytes)
            }
        }
    }

    let table: String
    private let columns: [Classes]
    /// Rows that are older than a column lack it.
    private let least: Int

    private init(_ table: String, least: Int? = nil, _ columns: [Classes]) {
        (self.table, self.columns) = (table, columns)
        self.least = least ?? columns.count
    }

    /// Creates the shape of an entity's table.
    init(of entity: EntityDescription, columns: [String]) {
        self.init(entity.name, least: 2, Self.columns(columns, of: entity, isOptional: false))
    }

    /// Returns the shapes of the other tables of a store, except those without row numbers.
    static func others(_ model: StoreModel, columns: (EntityDescription) -> [String]) -> [TableShape] {
        var shapes = [
            TableShape("history", [.null, .integer] + Array(repeating: [.null, .integer], count: 8)),
            TableShape("history_origin", [.null] + Array(repeating: [.null, .bytes], count: 3)),
            TableShape("history_entity", [.null, .bytes]),
            TableShape("sqlite_sequence", [.bytes, .integer]),
            TableShape("sqlite_schema", [.bytes, .bytes, .bytes, .integer, [.null, .bytes]]),
        ]
        for entity in model.entities {
            let retained = Set(entity.retainedAttributes.map(\.name))
            let names = columns(entity).filter { retained.contains($0) || entity.attribute($0) == nil }
            let tables = StoreSchema.tables(of: entity.name)
            for (table, names) in zip(tables.dropFirst(), [names.filter { $0 != "version" }, names]) {
                shapes.append(
                    TableShape(table, least: 1, Self.columns(names, of: entity, isOptional: true)))
            }
        }
        return shapes
    }

    func admits(_ record: DamagedRecord) -> Bool {
        record.types.count >= least && record.types.count <= columns.count
            && zip(columns, record.types).allSatisfy { $0.contains(Classes(ofType: $1)) }
    }

    /// The first column is that of the row's number, which SQLite stores as null.
    private static func columns(
        _ names: [String], of entity: EntityDescription, isOptional: Bool
    ) -> [Classes] {
        [.null]
            + names.dropFirst().map { name in
                entity.attribute(name).map { Classes($0, isOptional: isOptional || $0.isOptional) } ?? .any
            }
    }
}
