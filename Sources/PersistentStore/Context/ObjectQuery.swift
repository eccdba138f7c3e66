import Platform
import SQLite

/// Converts fetch requests to SQL, and rows to objects.
struct ObjectQuery {
    let model: StoreModel
    let store: StoreDigest
    var selections = SelectionCache()
    var oversized: OversizedValues?

    func entity(_ name: String) throws(StoreError) -> EntityDescription {
        guard let entity = model.entity(name) else { throw .unknownEntity(name) }
        return entity
    }

    func fetch(_ request: FetchRequest, on connection: borrowing Connection) throws -> [StoredObject] {
        let entity = try entity(request.entity)
        let selection = try selections.selection(of: request.attributes, entity)
        let statement =
            if let keys = request.onlyKeys {
                try connection.prepare(
                    keys.count == 1 ? selection.byKey : selection.byKeys,
                    binding: [ObjectPredicate.parameter(keys)])
            } else {
                try select(selection.columns, request, entity, on: connection)
            }
        let found = try objects(statement, entity, selection.layout, request)
        return request.isReversed ? found.reversed() : found
    }

    /// Returns the objects of all rows of a selection, within the sizes of the request.
    func objects(
        _ statement: borrowing Statement, _ entity: EntityDescription, _ layout: StoredObject.Layout,
        _ request: FetchRequest
    ) throws -> [StoredObject] {
        var objects: [StoredObject] = []
        var left = request.maxResultBytes ?? .max
        while left > 0, try statement.step() {
            let id = ObjectID(entity: entity.name, key: statement.integer(0), store: store)
            var isCut = false
            let values = layout.names.indices.map { index -> AttributeValue in
                let value = statement.value(
                    index + 2, within: oversized, upTo: request.maxTextBytes ?? .max, isCut: &isCut)
                if case .text(let text) = value { left -= text.utf8.count }
                return value
            }
            if isCut || request.attributes == nil { oversized?.note(id, isCut: isCut) }
            objects.append(
                StoredObject(id: id, version: statement.integer(1), layout: layout, values: values))
        }
        return objects
    }

    func fetch<R: Record>(
        _ request: FetchRequest, as type: R.Type, on connection: borrowing Connection
    ) throws -> [StoredRecord<R>] {
        let plan = R.entity.plan
        let entity = try entity(request.entity)
        let columns = try selections.selection(of: plan.layout.names, entity).columns
        let statement = try select(columns, request, entity, on: connection)
        let decoder = RecordDecoder(plan, store)
        var records: [StoredRecord<R>] = []
        while try statement.step() {
            let id = ObjectID(entity: entity.name, key: statement.integer(0), store: store)
            let record = try decoder.record(R.self, statement)
            records.append(StoredRecord(id: id, version: statement.integer(1), record: record))
        }
        if request.isReversed { records.reverse() }
        return records
    }

    func keys(_ request: FetchRequest, on connection: borrowing Connection) throws -> [Int64] {
        let statement = try select("id", request, try entity(request.entity), on: connection)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        if request.isReversed { keys.reverse() }
        return keys
    }

    private func select(
        _ columns: String, _ request: FetchRequest, _ entity: EntityDescription,
        on connection: borrowing Connection
    ) throws -> Statement {
        var values: [AttributeValue] = []
        var sql = "SELECT \(columns) FROM \(entity.source)"
        sql += try condition(request, entity, &values)
        sql += SortOrder(request.sort, of: entity).clause(entity, isReversed: request.isReversed)
        if request.limit != nil || request.offset > 0 {
            sql += " LIMIT \(request.maxRows) OFFSET \(request.offset)"
        }
        return try connection.prepare(sql, binding: values)
    }

    /// Returns the number of objects that the request's predicate and bounds admit, ignoring its limit.
    func count(_ request: FetchRequest, on connection: borrowing Connection) throws -> Int {
        let entity = try entity(request.entity)
        var values: [AttributeValue] = []
        let sql = try "SELECT count(*) FROM \(entity.source)" + condition(request, entity, &values)
        let statement = try connection.prepare(sql, binding: values)
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// Whether values that need not be in the store, such as a tombstone's, satisfy a predicate. SQLite
    /// decides, so that the result always agrees with a fetch.
    func matches(
        _ predicate: ObjectPredicate, _ candidate: [String: AttributeValue], entity name: String,
        on connection: borrowing Connection
    ) throws -> Bool {
        let entity = try entity(name)
        if let flag = flag(predicate, entity) { return candidate[flag] == .integer(0) }
        var values: [AttributeValue] = []
        let condition = try predicate.sql(entity: entity, values: &values)
        let columns = entity.attributes.map { attribute in
            // A column of another program may store a value of another kind, which a cast would change.
            let isCast = !attribute.isAttached || candidate[attribute.name]?.kind == attribute.kind
            let value = isCast ? "CAST(? AS \(attribute.kind.sql))" : "?"
            return "\(value) \(attribute.ignoresCase ? "COLLATE NOCASE " : "")AS \"\(attribute.name)\""
        }
        let head = ["CAST(? AS INTEGER) AS id", "CAST(? AS INTEGER) AS version"] + columns
        let sql =
            "SELECT 1 FROM (SELECT \(head.joined(separator: ", "))) AS \"\(entity.name)\" WHERE \(condition)"
        let names = ["id", "version"] + entity.attributes.map(\.name)
        return try connection.prepare(sql, binding: names.map { candidate[$0] ?? .null } + values).step()
    }

    /// Whether an object satisfies a predicate; nil if SQLite must decide.
    func matches(_ predicate: ObjectPredicate, _ object: StoredObject) -> Bool? {
        model.entity(object.id.entity).flatMap { flag(predicate, $0) }.map { object[$0] == .integer(0) }
    }

    /// Returns the attribute that a predicate requires to be false; nil for another predicate. A flag needs no
    /// statement; a list may have one that each change decides.
    private func flag(_ predicate: ObjectPredicate, _ entity: EntityDescription) -> String? {
        guard case .compare(let name, .equal, .integer(0)) = predicate,
            entity.attribute(name)?.kind == .integer
        else { return nil }
        return name
    }

    func order(_ sort: [SortKey], of entity: String) -> SortOrder {
        SortOrder(sort, of: model.entity(entity))
    }

    func condition(
        _ request: FetchRequest, _ entity: EntityDescription, _ values: inout [AttributeValue]
    ) throws(StoreError) -> String {
        var parts: [String] = []
        if let predicate = request.predicate {
            parts.append("(\(try predicate.sql(entity: entity, values: &values)))")
        }
        let order = SortOrder(request.sort, of: entity)
        try order.check(entity)
        for (bound, isAfter) in [(request.after, true), (request.before, false)] {
            if let bound { parts.append(order.condition(bound, isAfter: isAfter, entity, &values)) }
        }
        return parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
    }
}
