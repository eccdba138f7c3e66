/// Batches of records.
extension BatchInsertRequest {
    package init<R: Record>(_ records: [R]) {
        self.init(total: records.count) { records }
    }

    /// Creates a request from a sequence of records.
    ///
    /// - Parameters:
    ///   - total: The number of records, if known, for the progress.
    ///   - records: The records. The sequence is read one record at a time on the store's writing thread, so a
    ///     lazy one is never in memory as a whole.
    public init<R: Record, Records: Sequence<R> & SendableMetatype>(
        total: Int? = nil, records: @escaping @Sendable () -> Records
    ) where Records.Iterator: SendableMetatype {
        entity = R.entity.name
        self.total = total
        makeNext = {
            var iterator = records().makeIterator()
            let (plan, encoder) = (R.entity.plan, RecordEncoder(R.entity.plan))
            return { () throws(StoreError) in
                guard let record = iterator.next() else { return nil }
                return .ordered(try encoder.values(of: record), plan.layout)
            }
        }
    }

    /// Creates a request from a closure.
    ///
    /// - Parameters:
    ///   - total: The number of records, if known, for the progress.
    ///   - next: A closure that returns the next record, or nil after the last, with the write lock held. If it
    ///     throws, nothing is saved, and the execution throws ``StoreError/rowSourceFailed(entity:_:)``.
    public init<R: Record>(total: Int? = nil, next: @escaping @Sendable () throws -> R?) {
        entity = R.entity.name
        self.total = total
        makeNext = {
            let (plan, encoder) = (R.entity.plan, RecordEncoder(R.entity.plan))
            return { () throws(StoreError) in
                guard let record = try RowSourceError.catching(plan.entity, next) else { return nil }
                return .ordered(try encoder.values(of: record), plan.layout)
            }
        }
    }
}

extension BatchUpdateRequest {
    /// Returns the request with a new value of another property.
    ///
    /// - Parameters:
    ///   - path: A property of the same record type.
    ///   - value: The value.
    public func setting<R: Record, Value: AttributeConvertible>(
        _ path: KeyPath<R, Value>, to value: Value
    ) -> BatchUpdateRequest {
        setting(R.self, path, to: value.attributeValue)
    }

    private func setting<R: Record>(
        _ type: R.Type, _ path: PartialKeyPath<R>, to value: AttributeValue
    ) -> BatchUpdateRequest {
        // This entity rejects the name of another entity's attribute.
        let name = R.entity.name == entity ? R.entity.attribute(of: path) : "\(path)"
        var request = BatchUpdateRequest(
            entity, where: predicate, set: values.merging([name: value]) { $1 })
        request.returnsObjectIDs = returnsObjectIDs
        return request
    }

    /// Creates a request that sets one property of records.
    public init<R: Record, Value: AttributeConvertible>(
        where predicate: RecordPredicate<R>? = nil, set path: KeyPath<R, Value>, to value: Value
    ) {
        self.init(
            R.entity.name, where: predicate?.predicate,
            set: [R.entity.attribute(of: path): value.attributeValue])
    }
}

extension BatchDeleteRequest {
    /// Creates a request that deletes records of a type: all, or those that the predicate admits.
    public init<R: Record>(all type: R.Type = R.self, where predicate: RecordPredicate<R>? = nil) {
        self.init(R.entity.name, where: predicate?.predicate)
    }
}
