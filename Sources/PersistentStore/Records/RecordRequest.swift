/// A request for records, by the properties of their type.
///
/// ```swift
/// let request = RecordRequest<Note>(where: \.rank > 3, sort: [.descending(\.created)], limit: 10)
/// let notes = try await container.fetch(request)
/// ```
public typealias RecordRequest<R: Record> = StoreRequest<StoredRecord<R>>

extension StoreRequest {
    /// Creates a request for records.
    ///
    /// - Parameters:
    ///   - predicate: The condition on the records; nil admits all.
    ///   - sort: The order of the records; without sort keys, that in which they were inserted.
    ///   - limit: The maximum number of records; nil for all.
    ///   - offset: The number of records to skip first.
    public init<R: Record>(
        where predicate: RecordPredicate<R>? = nil, sort: [RecordSortKey<R>] = [], limit: Int? = nil,
        offset: Int = 0
    ) where Row == StoredRecord<R> {
        let rows = RowReading<StoredRecord<R>> { query, request, connection in
            try query.fetch(request, as: R.self, on: connection)
        } ofObjects: { objects throws(StoreError) in
            try objects.records(R.self)
        }
        self.init(
            R.entity.name, where: predicate?.predicate, sort: sort.map(\.sortKey), limit: limit,
            offset: offset, rows: rows)
    }

    /// Creates a request for the records whose property is true.
    ///
    /// - Parameters:
    ///   - path: The property.
    ///   - sort: The order of the records.
    ///   - limit: The maximum number of records; nil for all.
    ///   - offset: The number of records to skip first.
    public init<R: Record>(
        where path: KeyPath<R, Bool>, sort: [RecordSortKey<R>] = [], limit: Int? = nil, offset: Int = 0
    ) where Row == StoredRecord<R> {
        self.init(where: .isTrue(path), sort: sort, limit: limit, offset: offset)
    }
}

/// A property by which records are sorted; nil sorts before every value.
public struct RecordSortKey<R: Record>: Hashable, Sendable {
    let sortKey: SortKey

    public static func ascending(_ path: PartialKeyPath<R>) -> RecordSortKey {
        RecordSortKey(sortKey: SortKey(R.entity.attribute(of: path)))
    }

    /// Sorts by the ID: in the order in which the records were inserted.
    public static func ascending(_ path: KeyPath<StoredRecord<R>, ObjectID>) -> RecordSortKey {
        RecordSortKey(sortKey: .id)
    }

    /// Sorts by the ID: the record that was inserted last is the first.
    public static func descending(_ path: KeyPath<StoredRecord<R>, ObjectID>) -> RecordSortKey {
        RecordSortKey(sortKey: SortKey("id", isAscending: false))
    }

    public static func descending(_ path: PartialKeyPath<R>) -> RecordSortKey {
        RecordSortKey(sortKey: SortKey(R.entity.attribute(of: path), isAscending: false))
    }
}

/// A record as it was read, with its ID and version. Its properties are those of the record.
@dynamicMemberLookup
public struct StoredRecord<R: Record>: Identifiable, Sendable {
    public let id: ObjectID
    /// The version, which rises from 1 with every save of the object, even if it was deleted and restored.
    public let version: Int64
    public let record: R

    public subscript<Value>(dynamicMember path: KeyPath<R, Value>) -> Value { record[keyPath: path] }
}

extension StoredRecord: Equatable where R: Equatable {}
extension StoredRecord: Hashable where R: Hashable {}

extension StoredRecord {
    /// Creates a record from an object of its entity.
    ///
    /// - Throws: ``StoreError/invalidValue(attribute:entity:reason:)``.
    package init(_ object: StoredObject) throws(StoreError) {
        try self.init(object, RecordDecoder(R.entity.plan))
    }

    init(_ object: StoredObject, _ decoder: RecordDecoder) throws(StoreError) {
        id = object.id
        version = object.version
        record = try decoder.record(R.self, object)
    }
}

extension [StoredObject] {
    func records<R: Record>(_ type: R.Type) throws(StoreError) -> [StoredRecord<R>] {
        let decoder = RecordDecoder(R.entity.plan)
        var records: [StoredRecord<R>] = []
        records.reserveCapacity(count)
        for object in self { records.append(try StoredRecord(object, decoder)) }
        return records
    }
}

extension StoreSnapshot {
    /// Returns one record; nil if it does not exist, or if the ID is of another entity.
    ///
    /// - Parameters:
    ///   - id: The object.
    ///   - type: The type of the record.
    public func find<R: Record>(
        _ id: ObjectID, of type: R.Type = R.self
    ) throws(StoreError) -> StoredRecord<R>? {
        guard id.isValid(in: query.store) else { throw .objectOfAnotherStore(id) }
        return try fetch(RecordRequest<R>(where: .objects([id]))).first
    }
}

/// Values computed from one property of all records that a request admits, ignoring its limit. Nil is ignored.
extension StoreSnapshot {
    /// Returns the least value; nil if no record has one.
    public func minimum<R: Record, Value: AttributeConvertible>(
        of path: KeyPath<R, Value>, over request: RecordRequest<R> = RecordRequest()
    ) throws(StoreError) -> Value.NonOptional? {
        try value(.minimum(R.entity.attribute(of: path)), request)
    }

    /// Returns the greatest value; nil if no record has one.
    public func maximum<R: Record, Value: AttributeConvertible>(
        of path: KeyPath<R, Value>, over request: RecordRequest<R> = RecordRequest()
    ) throws(StoreError) -> Value.NonOptional? {
        try value(.maximum(R.entity.attribute(of: path)), request)
    }

    /// Returns the sum; nil if no record has a value.
    ///
    /// - Throws: ``StoreError/notNumeric(_:entity:)``; ``StoreError/invalidValue(attribute:entity:reason:)`` if the
    ///   sum does not fit the type.
    public func sum<R: Record, Value: AttributeConvertible>(
        of path: KeyPath<R, Value>, over request: RecordRequest<R> = RecordRequest()
    ) throws(StoreError) -> Value.NonOptional? where Value.NonOptional: Numeric {
        try value(.sum(R.entity.attribute(of: path)), request)
    }

    /// Returns the average; nil if no record has a value.
    ///
    /// - Throws: ``StoreError/notNumeric(_:entity:)``.
    public func average<R: Record>(
        of path: PartialKeyPath<R>, over request: RecordRequest<R> = RecordRequest()
    ) throws(StoreError) -> Double? {
        try value(.average(R.entity.attribute(of: path)), request)
    }

    /// Returns the number of different values.
    public func distinctCount<R: Record>(
        of path: PartialKeyPath<R>, over request: RecordRequest<R> = RecordRequest()
    ) throws(StoreError) -> Int {
        try value(.distinctCount(R.entity.attribute(of: path)), request) ?? 0
    }

    /// Returns each value of a property with the number of records that have it, the most frequent first.
    ///
    /// - Parameters:
    ///   - path: The property.
    ///   - request: The records. Its limit and offset apply to the values, of which nil is one.
    public func valueCounts<R: Record, Value: AttributeConvertible>(
        of path: KeyPath<R, Value>, over request: RecordRequest<R> = RecordRequest()
    ) throws(StoreError) -> [(value: Value, count: Int)] {
        let counts = try valueCounts(of: R.entity.attribute(of: path), over: request.objects)
        return try counts.map { counted throws(StoreError) in
            (try converted(counted.value, R.self), counted.count)
        }
    }

    private func value<R: Record, Value: AttributeConvertible>(
        _ aggregate: Aggregate, _ request: RecordRequest<R>
    ) throws(StoreError) -> Value? {
        let stored = try value(of: aggregate, over: request.objects)
        if case .null = stored { return nil }
        return try converted(stored, R.self)
    }

    private func converted<R: Record, Value: AttributeConvertible>(
        _ stored: AttributeValue, _ type: R.Type
    ) throws(StoreError) -> Value {
        guard let value = Value.converted(stored, in: query.store) else {
            throw R.entity.plan.invalid(nil, "the computed value is not a valid \(Value.self)")
        }
        return value
    }
}
