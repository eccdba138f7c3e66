import Platform
import SQLite
import Synchronization

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

/// The columns of the attributes that requests fetch, as SQL text and as the layout of the objects. Writing them
/// takes longer than reading one object.
final class SelectionCache: Sendable {
    struct Selection: Sendable {
        let columns: String
        let layout: StoredObject.Layout
        /// The statements that find objects by one key, and by a JSON array of keys.
        let byKey: String
        let byKeys: String
        fileprivate let entity: String
        fileprivate let attributes: [String]?
    }

    private let known = Mutex<[Selection]>([])

    /// Larger than the number of combinations that a program requests.
    private static let maxKnown = 64

    /// Returns the columns of attributes; nil for all.
    ///
    /// - Complexity: A comparison for each known combination, which is one of addresses for the same array.
    func selection(of attributes: [String]?, _ entity: EntityDescription) throws(StoreError) -> Selection {
        let found = known.withLock { known in
            known.first { $0.attributes == attributes && $0.entity == entity.name }
        }
        if let found { return found }
        let names = attributes ?? entity.attributes.map(\.name)
        for name in names where entity.attribute(name) == nil {
            throw .unknownAttribute(name, entity: entity.name)
        }
        let columns = "id, version" + names.map { ", " + StoreSchema.qualified($0, of: entity) }.joined()
        let (source, order) = ("FROM \(entity.source) WHERE", SortOrder([], of: entity))
        let clause = order.clause(entity, isReversed: false)
        let selection = Selection(
            columns: columns, layout: StoredObject.Layout(names: names, hasVersions: entity.attached == nil),
            byKey: "SELECT \(columns) \(source) (\(ObjectPredicate.hasKey))\(clause)",
            byKeys: "SELECT \(columns) \(source) (\(ObjectPredicate.hasOneOfKeys))\(clause)",
            entity: entity.name, attributes: attributes)
        known.withLock { if $0.count < Self.maxKnown { $0.append(selection) } }
        return selection
    }
}

/// The size beyond which a connection that reads cuts a text, and the objects with a larger one.
///
/// An external writer can store a text of a gigabyte. SQLite loads a whole value; each copy of it costs its size again.
package final class OversizedValues: Sendable {
    private let limit: Int
    private let prefix: Int
    private let objects = Mutex<Set<ObjectID>>([])
    private let hasFound = Atomic(false)

    /// - Parameters:
    ///   - limit: The maximum size of a text that is read as it is, in bytes.
    ///   - prefix: The size to which a larger one is cut.
    package init(over limit: Int, prefix: Int) { (self.limit, self.prefix) = (limit, prefix) }

    /// The objects of which a text was cut.
    package var found: Set<ObjectID> { objects.withLock { $0 } }

    /// Notes an object of which a text was cut, or which was read as it is.
    func note(_ id: ObjectID, isCut: Bool) {
        guard isCut || hasFound.load(ordering: .relaxed) else { return }
        objects.withLock { objects in
            if isCut { objects.insert(id) } else { objects.remove(id) }
            hasFound.store(!objects.isEmpty, ordering: .relaxed)
        }
    }

    /// Returns the size to which a text is read.
    fileprivate func bound(_ bytes: Int) -> Int { bytes > limit ? prefix : .max }
}

extension Statement {
    /// Returns the value of a column, with a text up to its bound.
    ///
    /// - Parameters:
    ///   - maxBytes: The size to which each text is read.
    ///   - isCut: Becomes true if the text is larger than the limit.
    func value(
        _ column: Int, within oversized: OversizedValues?, upTo maxBytes: Int = .max, isCut: inout Bool
    ) -> AttributeValue {
        guard type(column) == .text else { return value(column) }
        let bound = oversized?.bound(byteCount(column)) ?? .max
        if bound < .max { isCut = true }
        return .text(text(column, upTo: min(bound, maxBytes)))
    }
}

extension StoreSnapshot {
    /// Whether a text of an object was cut when it was last read.
    package func hasCut(_ id: ObjectID) -> Bool { query.oversized?.found.contains(id) ?? false }
}

/// The range of the texts with a prefix, in the order of an index.
enum TextRange {
    /// Returns the first text after all texts with a prefix; nil if there is none. SQLite compares bytes, in the
    /// order of scalars, and without case those of lowercase letters (sqlite.org/datatype3.html 7).
    static func end(ofPrefix prefix: String, ignoresCase: Bool) -> String? {
        let scalars = prefix.unicodeScalars
        for index in scalars.indices.reversed() {
            let last = scalars[index]
            let isUppercase = ("A"..."Z").contains(last)
            var next = last.value + (ignoresCase && isUppercase ? 0x21 : 1)
            // Not a letter, which would be compared as one after the symbols that follow.
            if ignoresCase && last == "@" { next = 0x5B }
            if next == 0xD800 { next = 0xE000 }
            guard let following = Unicode.Scalar(next) else { continue }
            return String(scalars[..<index]) + String(following)
        }
        return nil
    }
}

extension ObjectQuery {
    /// Returns the objects with a text that begins with one of these prefixes, with this attribute alone. An object
    /// that has several of them is returned for each.
    ///
    /// One statement for any number of prefixes, which reads only their ranges of the attribute's index. Not a
    /// predicate: a condition would be evaluated for each row, and an alternative of many ranges reads the whole
    /// table.
    func objects(
        of name: String, with attribute: String, beginningWithOneOf prefixes: [String],
        on connection: borrowing Connection
    ) throws -> [StoredObject] {
        let entity = try entity(name)
        guard let description = entity.attribute(attribute) else {
            throw StoreError.unknownAttribute(attribute, entity: name)
        }
        let ranges = prefixes.map { prefix in
            let end = TextRange.end(ofPrefix: prefix, ignoresCase: description.ignoresCase)
            let bounds = [.text(prefix), end.map(AttributeValue.text) ?? .null]
            return "[\(bounds.map { $0.quotedJSON ?? "null" }.joined(separator: ","))]"
        }
        let column = StoreSchema.qualified(attribute, of: entity)
        let selection = try selections.selection(of: [attribute], entity)
        // A blob follows all texts. The subquery hides other columns of `json_each`, such as `id`.
        let statement = try connection.prepare(
            """
            SELECT \(selection.columns) FROM (SELECT value AS bounds FROM json_each(?)) AS range CROSS JOIN "\(name)"
            WHERE \(column) >= json_extract(range.bounds, '$[0]')
            AND \(column) < coalesce(json_extract(range.bounds, '$[1]'), x'')
            """)
        try statement.bind("[\(ranges.joined(separator: ","))]", at: 1)
        return try objects(statement, entity, selection.layout, FetchRequest(name))
    }
}

extension StoreSnapshot {
    /// Returns the objects with a text that begins with one of these prefixes, with this attribute alone, in one
    /// statement. An object that has several of them is returned for each.
    package func objects(
        of entity: String, with attribute: String, beginningWithOneOf prefixes: [String]
    ) throws(StoreError) -> [StoredObject] {
        try ask { [query] in
            try query.objects(of: entity, with: attribute, beginningWithOneOf: prefixes, on: $0)
        }
    }
}
