/// Records in a write.
extension StoreTransaction {
    /// Returns one record; nil if it does not exist, or if the ID is of another entity.
    ///
    /// - Parameters:
    ///   - id: The object.
    ///   - type: The type of the record.
    public func find<R: Record>(
        _ id: ObjectID, of type: R.Type = R.self
    ) throws(StoreError) -> StoredRecord<R>? {
        try snapshot.find(id, of: type)
    }

    /// Inserts a record.
    ///
    /// - Returns: The record with its permanent ID.
    @discardableResult
    public mutating func insert<R: Record>(_ record: R) throws(StoreError) -> StoredRecord<R> {
        let values = try RecordEncoder(R.entity.plan, tables.query.store).values(of: record)
        let object = try insert(
            R.entity.name, Dictionary(zip(R.entity.plan.layout.names, values)) { $1 })
        return try StoredRecord(object)
    }

    /// Changes a record from its present state, regardless of the state in which it was read before.
    ///
    /// - Parameters:
    ///   - id: The object.
    ///   - type: The type of the record.
    ///   - change: A closure that changes the record. Only the attributes that differ afterward are saved.
    /// - Returns: The record after the change; nil if it does not exist.
    @discardableResult
    package mutating func update<R: Record>(
        _ id: ObjectID, of type: R.Type = R.self, _ change: (inout R) -> Void
    ) throws(StoreError) -> StoredRecord<R>? {
        guard let stored = try find(id, of: type) else { return nil }
        var record = stored.record
        change(&record)
        let changes = try RecordEncoder(R.entity.plan, tables.query.store).changes(
            from: stored.record, to: record)
        guard !changes.isEmpty else { return stored }
        return try update(id, changes).map { object throws(StoreError) in try StoredRecord(object) }
    }

    /// Changes a record from its present state.
    @discardableResult
    public mutating func update<R: Record>(
        _ stored: StoredRecord<R>, _ change: (inout R) -> Void
    ) throws(StoreError) -> StoredRecord<R>? {
        try update(stored.id, of: R.self, change)
    }

    /// Deletes a record, regardless of its version.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    public mutating func delete<R: Record>(_ stored: StoredRecord<R>) throws(StoreError) -> Bool {
        try delete(stored.id)
    }
}
