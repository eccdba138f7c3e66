/// Insertions, updates, or deletions of many objects of one entity, as one transaction.
///
/// ```swift
/// try await container.execute(.insert(total: 1000) { notes }, author: "importer")
/// try await container.execute(.update(where: \Note.rank > 3, set: \.rank, to: 3), author: "app")
/// try await container.execute(.delete("Note", where: .keys([2, 3])), author: "app")
/// ```
public struct BatchRequest: Sendable {
    /// The handling of a new row whose value of a unique attribute already exists.
    @nonexhaustive
    public enum DuplicatePolicy: String, Hashable, Sendable, CaseIterable {
        /// The whole batch fails with ``StoreError/constraint(reason:)``.
        case fail
        /// The row is skipped.
        case skip
        /// The existing object gets the row's values and retains its ID. A row that clashes with two objects
        /// fails the batch.
        case replace
    }

    enum Work: Sendable {
        case insert(total: Int?, @Sendable () -> () throws(StoreError) -> BatchRow?)
        /// The new values of the objects that the condition admits; nil admits all.
        case update(ObjectPredicate?, [String: AttributeValue])
        case delete(ObjectPredicate?)
        case invalid(StoreError)
    }

    package let entity: String
    let work: Work
    package var duplicates = DuplicatePolicy.fail
    /// Whether to return the IDs of the objects, which costs their memory.
    package var returnsObjectIDs = false

    init(_ entity: String, _ work: Work, duplicates: DuplicatePolicy = .fail) {
        (self.entity, self.work, self.duplicates) = (entity, work, duplicates)
    }

    /// Returns a request that inserts a sequence of rows.
    ///
    /// - Parameters:
    ///   - entity: The entity of the new objects.
    ///   - total: The number of rows, if known, for the progress.
    ///   - duplicates: The handling of a row whose value of a unique attribute already exists.
    ///   - rows: The rows. The sequence is read one row at a time on the store's writing thread, so a lazy
    ///     one is never in memory as a whole.
    public static func insert<Rows: Sequence<[String: AttributeValue]> & SendableMetatype>(
        _ entity: String, total: Int? = nil, duplicates: DuplicatePolicy = .fail,
        rows: @escaping @Sendable () -> Rows
    ) -> BatchRequest where Rows.Iterator: SendableMetatype {
        let work = Work.insert(total: total) {
            var iterator = rows().makeIterator()
            return { iterator.next().map(BatchRow.named) }
        }
        return BatchRequest(entity, work, duplicates: duplicates)
    }

    /// Returns a request that inserts rows with the values of these attributes, in their order.
    package static func insert(
        _ entity: String, attributes: [String], rows: [[AttributeValue]]
    ) -> BatchRequest {
        let work = Work.insert(total: rows.count) {
            let layout = StoredObject.Layout(names: attributes)
            var iterator = rows.makeIterator()
            return { iterator.next().map { .ordered($0, layout) } }
        }
        return BatchRequest(entity, work)
    }

    /// Returns a request that sets the same new values in the objects that the predicate admits; nil admits all.
    public static func update(
        _ entity: String, where predicate: ObjectPredicate? = nil, set values: [String: AttributeValue]
    ) -> BatchRequest {
        BatchRequest(entity, .update(predicate, values))
    }

    /// Returns a request that deletes the objects that the predicate admits; nil admits all.
    public static func delete(_ entity: String, where predicate: ObjectPredicate? = nil) -> BatchRequest {
        BatchRequest(entity, .delete(predicate))
    }
}

/// The result of a batch.
public struct BatchResult: Hashable, Sendable {
    /// The number of objects inserted, updated, or deleted. An object that already had the new values is not
    /// counted as updated.
    public let rows: Int
    /// The number of rows skipped by ``BatchRequest/DuplicatePolicy/skip``.
    public let skipped: Int
    /// The position of the transaction; nil if nothing changed, if the entity has no history, or inside a write,
    /// which has not ended.
    package internal(set) var token: HistoryToken?
    /// The IDs of the objects in the order of the work; nil unless requested.
    package let objectIDs: [ObjectID]?
}

extension PersistentContainer {
    /// Changes many objects as one transaction of the history, in the memory of a few.
    ///
    /// Readers in this and other processes continue. Writers wait: other processes until their busy timeout,
    /// this process until the batch ends. Until then, the whole batch is in the store's `-wal` file, which
    /// grows by each page that the batch writes. Later commits reuse that space; the file does not shrink.
    ///
    /// Every context merges a batch, even those of its author, since none has its objects yet. Cancelling the
    /// task ends the batch with ``StoreError/cancelled``, and nothing is saved.
    ///
    /// Only objects that differ are updated and recorded. An update or a deletion reads each object of the entity
    /// once or twice in the order of the keys. If the predicate's attribute has an index, it reads only the objects
    /// between the first and the last match.
    ///
    /// - Parameters:
    ///   - request: The work.
    ///   - author: The author to record in the history.
    ///   - contextName: The context name to record in the history.
    ///   - progress: A closure called on another thread, at most once every thousand objects, with the number of
    ///     objects so far, and the total if it is known.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(request, TransactionOrigin(author, contextName), progress)
    }
}

extension StoreWriter {
    /// Commits a batch as one transaction of the history, under a session that no context has.
    fileprivate func execute(
        _ request: BatchRequest, _ origin: TransactionOrigin, _ report: (@Sendable (Int, Int?) -> Void)?
    ) throws(StoreError) -> BatchResult {
        let batch = BatchExecution(request: request, report: report)
        let written = try write(as: origin) { transaction throws(StoreError) in
            try batch.run(in: &transaction)
        }.get()
        var result = written.value
        result.token = written.token
        return result
    }
}

extension StoreTransaction {
    /// Runs a batch as a part of the write; it is done as a whole or not at all.
    @discardableResult
    public mutating func execute(_ request: BatchRequest) throws(StoreError) -> BatchResult {
        try BatchExecution(request: request, report: nil).run(in: &self)
    }
}

/// Batches of records.
extension BatchRequest {
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
