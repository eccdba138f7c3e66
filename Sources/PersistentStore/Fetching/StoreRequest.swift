import SQLite

/// The objects or the records to fetch, and their order: a ``FetchRequest`` or a ``RecordRequest``.
public struct StoreRequest<Row: Sendable>: Hashable, Sendable {
    package var entity: String
    package var predicate: ObjectPredicate?
    /// The order of the objects; without sort keys, that in which they were inserted.
    package var sort: [SortKey]
    /// The position after which the objects must be in the sort order. Unlike ``offset``, it costs only the
    /// returned rows if the only sort key has an index and is never null.
    package var after: SortPosition?
    /// The position before which the objects must be.
    package var before: SortPosition?
    /// Whether to fetch backward from the end; the objects are still returned in the order of ``sort``.
    package var isReversed = false
    /// The maximum number of objects; nil for all, zero or less for none.
    package var limit: Int?
    /// The number of objects to skip first; a negative number skips none.
    package var offset = 0
    /// The attributes to fetch; nil fetches all.
    package var attributes: [String]?
    /// The size to which each text is read; nil reads it as it is.
    package var maxTextBytes: Int?
    /// The size of all texts at which the result ends, after an object.
    package var maxResultBytes: Int?
    let rows: RowReading<Row>

    init(
        _ entity: String, where predicate: ObjectPredicate?, sort: [SortKey], limit: Int?, offset: Int,
        attributes: [String]? = nil, rows: RowReading<Row>
    ) {
        (self.entity, self.predicate, self.sort) = (entity, predicate, sort)
        (self.limit, self.offset, self.attributes) = (limit, offset, attributes)
        self.rows = rows
    }

    /// The request for the same objects, without the type of their rows.
    package var objects: FetchRequest {
        var request = FetchRequest(
            entity, where: predicate, sort: sort, limit: limit, offset: offset, attributes: attributes)
        (request.after, request.before, request.isReversed) = (after, before, isReversed)
        (request.maxTextBytes, request.maxResultBytes) = (maxTextBytes, maxResultBytes)
        return request
    }

    /// Returns the row of an object.
    package func row(of object: StoredObject) throws(StoreError) -> Row {
        let rows = try rows.ofObjects([object])
        return rows[0]
    }
}

/// A request for objects of any entity, by the names of their attributes.
public typealias FetchRequest = StoreRequest<StoredObject>

/// The conversion of the objects of a request; the same for all requests with one type of rows.
struct RowReading<Row>: Hashable, Sendable {
    let inStore: @Sendable (ObjectQuery, FetchRequest, borrowing Connection) throws -> [Row]
    let ofObjects: @Sendable ([StoredObject]) throws(StoreError) -> [Row]

    static func == (left: RowReading, right: RowReading) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension FetchRequest {
    /// Creates a request for objects.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects.
    ///   - predicate: The condition on the objects; nil admits all.
    ///   - sort: The order of the objects; without sort keys, that in which they were inserted.
    ///   - limit: The maximum number of objects; nil for all, zero or less for none.
    ///   - offset: The number of objects to skip first; a negative number skips none.
    ///   - attributes: The attributes to fetch; nil fetches all.
    public init(
        _ entity: String, where predicate: ObjectPredicate? = nil, sort: [SortKey] = [], limit: Int? = nil,
        offset: Int = 0, attributes: [String]? = nil
    ) {
        let rows = RowReading<StoredObject> { query, request, connection in
            try query.fetch(request, on: connection)
        } ofObjects: {
            $0
        }
        self.init(
            entity, where: predicate, sort: sort, limit: limit, offset: offset, attributes: attributes,
            rows: rows)
    }

    /// The keys of a request for objects by nothing except their keys.
    var onlyKeys: [Int64]? {
        guard case .keys(let keys) = predicate, sort.isEmpty, after == nil, before == nil, !isReversed,
            limit == nil, offset <= 0
        else { return nil }
        return keys
    }

    /// The limit in SQL, where a negative number is none.
    var maxRows: Int { limit.map { max(0, $0) } ?? -1 }
}

/// A condition on the attributes of an object.
///
/// Names are checked against the model and values are bound, so no part of a predicate is ever read as SQL.
@nonexhaustive
public indirect enum ObjectPredicate: Hashable, Sendable {
    @nonexhaustive
    public enum Comparison: Hashable, Sendable, CaseIterable {
        case equal
        case notEqual
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
    }

    case compare(String, Comparison, AttributeValue)
    /// A comparison of two attributes of the object.
    case compareAttributes(String, Comparison, String)
    /// The attribute's text contains the words, ignoring ASCII case. A NUL ends the text and the words, as
    /// everywhere in SQLite (sqlite.org/nulinstr.html).
    case contains(String, String)
    /// The attribute's text begins with a prefix. Uses the attribute's index. Ignores ASCII case if the
    /// attribute does.
    case hasPrefix(String, String)
    /// The attribute's text matches a pattern: `*` stands for any text, `?` for one character, and `[a-z]` for
    /// one of these characters, `[^a-z]` for one of the others. Ignores ASCII case if the attribute does. Escape
    /// other text with brackets, as in `[*]`. For an attribute that does not ignore case, the part before the
    /// first of these characters uses the index.
    case matches(String, String)
    case keys([Int64])
    /// The attribute has one of these values; null equals null. Uses the attribute's index, for any number of
    /// texts and integers.
    case isOneOf(String, [AttributeValue])
    case and([ObjectPredicate])
    case or([ObjectPredicate])
    case not(ObjectPredicate)

    /// Returns a condition that the attribute has this value; null equals null.
    public static func equal(_ attribute: String, _ value: AttributeValue) -> ObjectPredicate {
        .compare(attribute, .equal, value)
    }
}
