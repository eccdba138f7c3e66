/// Records in a unit of work.
extension StoreContext {
    /// Returns one record with this context's unsaved changes; nil if it does not exist, if it will be deleted, or if
    /// the ID is of another entity.
    ///
    /// - Parameters:
    ///   - id: The object, by its permanent or temporary ID.
    ///   - type: The type of the record.
    public func find<R: Record>(
        _ id: ObjectID, of type: R.Type = R.self
    ) async throws(StoreError) -> StoredRecord<R>? {
        guard id.entity == R.entity.name, let object = try await object(id) else { return nil }
        return try StoredRecord(object)
    }

    /// Inserts a record at the next save.
    ///
    /// - Returns: A temporary ID, valid in this context indefinitely. The save returns the permanent ID,
    ///   which is valid everywhere.
    @discardableResult
    public func insert<R: Record>(_ record: R) throws(StoreError) -> ObjectID {
        try insert(CollectionOfOne(record))[0]
    }

    /// Inserts records at the next save.
    ///
    /// - Returns: The temporary ID of each record.
    @discardableResult
    package func insert<R: Record>(_ records: some Sequence<R> & Sendable) throws(StoreError) -> [ObjectID] {
        let (entity, encoder) = (R.entity, RecordEncoder(R.entity.plan, store))
        var ids: [ObjectID] = []
        for record in records {
            let values = zip(entity.plan.layout.names, try encoder.values(of: record))
            ids.append(try insert(entity.name, Dictionary(values) { $1 }))
        }
        return ids
    }

    /// Changes a record at the next save; does nothing if the object will be deleted.
    ///
    /// - Parameters:
    ///   - stored: The record as it was read. If another writer has saved it since then, the save reports
    ///     the conflict.
    ///   - change: A closure that changes the record, with the changes that this context has made since it was
    ///     read. Only the attributes that differ afterward are saved.
    public nonisolated(nonsending) func update<R: Record>(
        _ stored: StoredRecord<R>, _ change: (inout R) -> Void
    ) async throws(StoreError) {
        let current = try await current(stored)
        var record = current
        change(&record)
        try await update(stored, from: current, to: record)
    }

    /// Saves the attributes in which a record differs from its current state; all, if that is not known.
    private func update<R: Record>(_ stored: StoredRecord<R>, from current: R?, to record: R)
        throws(StoreError)
    {
        let encoder = RecordEncoder(R.entity.plan, store)
        try update(object(of: stored, encoder), encoder.changes(from: current, to: record))
    }

    private func current<R: Record>(_ stored: StoredRecord<R>) async throws(StoreError) -> R {
        let read = try object(of: stored, RecordEncoder(R.entity.plan, store))
        if try current(read) == nil { _ = try await object(read.id) }
        return try current(stored, read, try current(read) ?? read)
    }

    private func current<R: Record>(
        _ stored: StoredRecord<R>, _ read: StoredObject, _ object: StoredObject
    ) throws(StoreError) -> R {
        // The record itself may have properties without an attribute.
        guard object.stored != read.stored || object.layout != read.layout else { return stored.record }
        return try RecordDecoder(R.entity.plan).record(R.self, object)
    }

    /// Deletes a record at the next save. If another writer has saved it since it was read, the save reports
    /// the conflict.
    public func delete<R: Record>(_ stored: StoredRecord<R>) throws(StoreError) {
        try delete(object(of: stored, RecordEncoder(R.entity.plan, store)))
    }

    private func object<R: Record>(
        of stored: StoredRecord<R>, _ encoder: RecordEncoder
    ) throws(StoreError) -> StoredObject {
        StoredObject(
            id: stored.id, version: stored.version, layout: R.entity.plan.layout,
            values: try encoder.values(of: stored.record))
    }
}

/// Both sides of a conflict, as records.
extension SaveConflict {
    /// Returns the record with this context's changes; nil for a deletion, if the state in which it was read is not known,
    /// and if the conflict is about another entity.
    public func mine<R: Record>(as type: R.Type = R.self) throws(StoreError) -> R? {
        guard objectID.entity == R.entity.name, !isDeletion, let mine else { return nil }
        return try RecordDecoder(R.entity.plan).record(R.self, mine)
    }

    /// Returns the record in the store; nil if it was deleted there, and if the conflict is about another entity.
    public func stored<R: Record>(as type: R.Type = R.self) throws(StoreError) -> StoredRecord<R>? {
        guard objectID.entity == R.entity.name, let stored else { return nil }
        return try StoredRecord(stored)
    }

    /// Returns whether both sides gave a property different new values; see ``clashing``.
    public func isClashing<R: Record>(_ path: PartialKeyPath<R>) -> Bool {
        objectID.entity == R.entity.name && clashing.contains(R.entity.attribute(of: path))
    }
}

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
