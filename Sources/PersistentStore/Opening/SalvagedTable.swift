import SQLite

/// Reads the objects of one entity from a damaged store, one by one.
///
/// A scan of a table ends at the first damaged page, and so does a scan of an index. A lookup by ID reads
/// only the pages above the object, so every object outside the damaged pages is found, regardless of other
/// damage. Objects below a damaged interior page of the table are lost: no other page leads to them.
struct SalvagedTable {
    let entity: EntityDescription
    /// The attributes that the store has, by their index in a row.
    let attributes: [AttributeDescription]
    /// The last of the IDs that are all looked up.
    private(set) var lastDenseID: Int64 = 0
    /// The IDs beyond it, and below 1.
    private(set) var sparseIDs: [Int64] = []
    /// The last assigned ID; nil if it is unreadable or not plausible.
    private(set) var sequence: Int64?
    /// The IDs found in an index or in the history.
    private(set) var named: Set<Int64> = []
    /// Whether an index was read to its end, so that it contains all IDs.
    private(set) var isNamingComplete = false

    /// The limit beyond which lookups would take minutes.
    private static let maxDenseID: Int64 = 1 << 26
    /// The maximum number of IDs per page: an object takes at least a few dozen bytes, and IDs are assigned
    /// one by one.
    private static let idsPerPage: Int64 = 64

    /// Creates nil if the table is not in the schema.
    init?(_ entity: EntityDescription, in store: borrowing Connection) {
        guard let columns = Self.columns(of: entity.name, in: store), columns.contains("id"),
            columns.contains("version")
        else { return nil }
        self.entity = entity
        attributes = entity.attributes.filter { columns.contains($0.name) }
        findIDs(in: store)
    }

    var rowQuery: String { "SELECT \(columnList) FROM \(table) NOT INDEXED WHERE id = ?1" }

    var insertion: String {
        let places = (1...attributes.count + 2).map { "?\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(columnList)) VALUES (\(places))"
    }

    /// Whether every value is valid for the entity; damaged bytes may look like any value.
    func admits(_ row: borrowing Statement) -> Bool {
        guard row.type(0) == .integer, row.type(1) == .integer else { return false }
        for (index, attribute) in attributes.enumerated() {
            let type = row.type(index + 2)
            guard type == attribute.kind.storageClass || type == .null && attribute.isOptional else {
                return false
            }
        }
        return true
    }

    private var table: String { StoreSchema.quoted(entity.name) }

    private var columnList: String {
        (["id", "version"] + attributes.map { StoreSchema.quoted($0.name) }).joined(separator: ", ")
    }

    private static func columns(of table: String, in store: borrowing Connection) -> Set<String>? {
        let columns = try? store.texts("SELECT name FROM pragma_table_info(?1)", table)
        return columns.flatMap { $0.isEmpty ? nil : Set($0) }
    }

    private mutating func findIDs(in store: borrowing Connection) {
        let pages = (try? store.fileSize()).map { $0 / 512 } ?? 0
        nameFromIndexes(in: store, limit: pages * 512)
        nameFromHistory(in: store)
        let ids = "SELECT id FROM \(table) NOT INDEXED WHERE"
        let ends = [
            try? store.integer("SELECT max(id) FROM \(table) NOT INDEXED"),
            try? store.integer("SELECT seq FROM sqlite_sequence WHERE name = ?1", entity.name),
        ]
        let plausible = (ends + [named.max { Self.clamped($0) < Self.clamped($1) }]).compactMap(\.self)
            .filter { (1...Self.maxDenseID).contains($0) }
        lastDenseID = min(Self.maxDenseID, max(plausible.max() ?? 0, pages / 8 * Self.idsPerPage))
        sequence = ends[1].flatMap { (0...Self.maxDenseID).contains($0) ? $0 : nil }
        // Scans find the remaining IDs, as far as they can read.
        var sparse: Set<Int64> = named.filter { $0 < 1 || $0 > lastDenseID }
        for (condition, order) in [("id > ?1", ""), ("id > ?1", " DESC"), ("id < 1 AND ?1 > 0", "")] {
            try? store.forEachRow("\(ids) \(condition) ORDER BY id\(order)", lastDenseID, limit: pages * 512)
            {
                sparse.insert($0.integer(0))
            }
        }
        sparseIDs = sparse.sorted()
    }

    private static func clamped(_ id: Int64) -> Int64 { (1...maxDenseID).contains(id) ? id : 0 }

    /// Collects the IDs from the indexes, from both ends, each as far as it can be read.
    private mutating func nameFromIndexes(in store: borrowing Connection, limit: Int64) {
        var columns: [String: String] = [:]
        try? store.forEachRow(
            """
            SELECT list.name, column.name FROM pragma_index_list(?1) AS list, pragma_index_info(list.name) AS column
            WHERE list.partial = 0 AND column.seqno = 0 AND column.name NOT NULL
            """, entity.name
        ) { columns[$0.text(0)] = $0.text(1) }
        var found: Set<Int64> = []
        for (index, column) in columns {
            for order in ["", " DESC"] {
                let sql = """
                    SELECT id FROM \(table) INDEXED BY \(StoreSchema.quoted(index)) \
                    ORDER BY \(StoreSchema.quoted(column))\(order)
                    """
                do {
                    try store.forEachRow(sql, limit: limit) { found.insert($0.integer(0)) }
                    isNamingComplete = true
                    break
                } catch {}
            }
        }
        named.formUnion(found)
    }

    private mutating func nameFromHistory(in store: borrowing Connection) {
        let known = try? store.integer("SELECT id FROM history_entity WHERE name = ?1", entity.name)
        guard let id = known else { return }
        var last: [Int64: (number: Int64, kind: Int64)] = [:]
        for order in ["", " DESC"] {
            let sql =
                "SELECT object, number, kind FROM history WHERE kind < 3 AND entity = ?1 ORDER BY number\(order)"
            let isRead: Void? = try? store.forEachRow(sql, id) { row in
                let object = row.integer(0)
                if last[object].map({ $0.number < row.integer(1) }) ?? true {
                    last[object] = (row.integer(1), row.integer(2))
                }
            }
            if isRead != nil { break }
        }
        for (object, change) in last where change.kind != HistoryChange.Kind.delete.rawValue {
            named.insert(object)
        }
    }
}

extension AttributeDescription.Kind {
    fileprivate var storageClass: StorageClass {
        switch self {
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
}

extension Connection {
    /// Calls a closure with each row until the last one, the limit, or an error. Pages that form a cycle have
    /// no last row.
    fileprivate borrowing func forEachRow(
        _ sql: String, _ values: any Bindable..., limit: Int64 = .max, _ body: (borrowing Statement) -> Void
    ) throws(SQLiteError) {
        let rows = try prepare(sql, values)
        var left = limit
        while left > 0, try rows.step() {
            body(rows)
            left -= 1
        }
    }
}
