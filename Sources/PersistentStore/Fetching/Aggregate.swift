import SQLite

/// A value computed from one attribute of all admitted objects, of which null values are ignored.
@nonexhaustive
package enum Aggregate: Hashable, Sendable {
    case minimum(String)
    case maximum(String)
    case sum(String)
    case average(String)
    /// The number of different values.
    case distinctCount(String)

    private var attribute: String {
        switch self {
        case .minimum(let name), .maximum(let name), .sum(let name), .average(let name),
            .distinctCount(let name):
            name
        }
    }

    fileprivate func sql(_ entity: EntityDescription) throws(StoreError) -> String {
        let column = try entity.column(attribute)
        switch self {
        case .minimum: return "min(\(column.name))"
        case .maximum: return "max(\(column.name))"
        case .distinctCount: return "count(DISTINCT \(column.name))"
        case .sum, .average:
            guard column.kind == .integer || column.kind == .real else {
                throw .notNumeric(attribute, entity: entity.name)
            }
            if case .sum = self { return "sum(\(column.name))" }
            return "avg(\(column.name))"
        }
    }
}

/// The number of objects that share a value.
package struct ValueCount: Hashable, Sendable {
    package let value: AttributeValue
    package let count: Int
}

extension StoreSnapshot {
    /// Returns a value computed from all objects that the predicate and the bounds of a request admit.
    ///
    /// - Returns: The value; null if no object has one.
    /// - Throws: ``StoreError/notNumeric(_:entity:)``; an error if a sum of integers exceeds 64 bits.
    package func value(of aggregate: Aggregate, over request: FetchRequest) throws(StoreError)
        -> AttributeValue
    {
        try ask { [query] in try query.value(of: aggregate, over: request, on: $0) }
    }

    /// Returns each value of an attribute with the number of admitted objects that have it, the most frequent
    /// first. Values that differ in case only are one value if the attribute ignores case. The limit and the
    /// offset of the request apply to the values.
    package func valueCounts(of attribute: String, over request: FetchRequest) throws(StoreError)
        -> [ValueCount]
    {
        try ask { [query] in try query.valueCounts(of: attribute, over: request, on: $0) }
    }
}

extension ObjectQuery {
    fileprivate func value(
        of aggregate: Aggregate, over request: FetchRequest, on connection: borrowing Connection
    ) throws -> AttributeValue {
        let entity = try entity(request.entity)
        var values: [AttributeValue] = []
        let sql = try
            "SELECT \(aggregate.sql(entity)) FROM \(entity.source)\(condition(request, entity, &values))"
        let statement = try connection.prepare(sql, binding: values)
        return try statement.step() ? statement.value(0) : .null
    }

    fileprivate func valueCounts(
        of attribute: String, over request: FetchRequest, on connection: borrowing Connection
    ) throws -> [ValueCount] {
        let entity = try entity(request.entity)
        let column = try entity.column(attribute).name
        var values: [AttributeValue] = []
        let condition = try condition(request, entity, &values)
        let statement = try connection.prepare(
            """
            SELECT \(column), count(*) FROM \(entity.source)\(condition) GROUP BY 1 ORDER BY 2 DESC, 1
            LIMIT \(request.maxRows) OFFSET \(request.offset)
            """, binding: values)
        var counts: [ValueCount] = []
        while try statement.step() {
            counts.append(ValueCount(value: statement.value(0), count: Int(statement.integer(1))))
        }
        return counts
    }
}

extension EntityDescription {
    /// Returns the column of an attribute, of the key, or of the version.
    fileprivate func column(_ name: String) throws(StoreError) -> (
        name: String, kind: AttributeDescription.Kind
    ) {
        let kind = name == "id" || name == "version" ? .integer : attribute(name)?.kind
        guard let kind else { throw .unknownAttribute(name, entity: self.name) }
        return (StoreSchema.qualified(name, of: self), kind)
    }
}
