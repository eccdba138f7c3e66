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
        var counts: [(value: Value, count: Int)] = []
        for counted in try stored(path, request) {
            counts.append((try converted(counted.value, R.self), counted.count))
        }
        return counts
    }

    private func stored<R: Record>(
        _ path: PartialKeyPath<R>, _ request: RecordRequest<R>
    ) throws(StoreError) -> [ValueCount] {
        try valueCounts(of: R.entity.attribute(of: path), over: request.objects)
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

extension ChangePredicate {
    /// Returns a condition that the change is of a record of a type.
    package static func records<R: Record>(of type: R.Type) -> ChangePredicate { .entity(R.entity.name) }

    /// Returns a condition that the change is an update of a property.
    package static func isUpdated<R: Record>(_ path: PartialKeyPath<R>) -> ChangePredicate {
        .and([.entity(R.entity.name), .updated(R.entity.attribute(of: path))])
    }
}
