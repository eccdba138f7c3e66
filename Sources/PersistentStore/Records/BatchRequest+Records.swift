/// Batches of records.
extension BatchRequest {
    package static func insert<R: Record>(_ records: [R]) -> BatchRequest {
        insert(total: records.count) { records }
    }

    /// Returns a request that inserts a sequence of records.
    ///
    /// - Parameters:
    ///   - total: The number of records, if known, for the progress.
    ///   - duplicates: The handling of a record whose value of a unique attribute already exists.
    ///   - records: The records. The sequence is read one record at a time on the store's writing thread, so a
    ///     lazy one is never in memory as a whole.
    public static func insert<R: Record, Records: Sequence<R> & SendableMetatype>(
        total: Int? = nil, duplicates: DuplicatePolicy = .fail,
        records: @escaping @Sendable () -> Records
    ) -> BatchRequest where Records.Iterator: SendableMetatype {
        let work = Work.insert(total: total) {
            var iterator = records().makeIterator()
            let (plan, encoder) = (R.entity.plan, RecordEncoder(R.entity.plan))
            return { () throws(StoreError) in
                guard let record = iterator.next() else { return nil }
                return .ordered(try encoder.values(of: record), plan.layout)
            }
        }
        return BatchRequest(R.entity.name, work, duplicates: duplicates)
    }

    /// Returns a request that sets one property of the records that the predicate admits; nil admits all.
    public static func update<R: Record, Value: AttributeConvertible>(
        where predicate: RecordPredicate<R>? = nil, set path: KeyPath<R, Value>, to value: Value
    ) -> BatchRequest {
        let values = [R.entity.attribute(of: path): value.attributeValue]
        return BatchRequest(R.entity.name, .update(predicate?.predicate, values))
    }

    /// Returns an update with a new value of another property. An insertion or a deletion becomes an error of the
    /// execution.
    ///
    /// - Parameters:
    ///   - path: A property of the same record type.
    ///   - value: The value.
    public func setting<R: Record, Value: AttributeConvertible>(
        _ path: KeyPath<R, Value>, to value: Value
    ) -> BatchRequest {
        // This entity rejects the name of another entity's attribute.
        let name = R.entity.name == entity ? R.entity.attribute(of: path) : "\(path as PartialKeyPath<R>)"
        guard case .update(let predicate, let values) = work else {
            let error = StoreError.invalidValue(
                attribute: name, entity: entity, reason: "only an update of a batch sets a value")
            return BatchRequest(entity, .invalid(error))
        }
        var request = BatchRequest(
            entity, .update(predicate, values.merging([name: value.attributeValue]) { $1 }))
        request.returnsObjectIDs = returnsObjectIDs
        return request
    }

    /// Returns a request that deletes records of a type: all, or those that the predicate admits.
    public static func delete<R: Record>(
        all type: R.Type = R.self, where predicate: RecordPredicate<R>? = nil
    ) -> BatchRequest {
        BatchRequest(R.entity.name, .delete(predicate?.predicate))
    }
}
