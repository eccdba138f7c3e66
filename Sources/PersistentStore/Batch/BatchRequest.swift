/// An insertion of many objects of one entity as one transaction.
public struct BatchInsertRequest: Sendable {
    /// The handling of a row whose value of a unique attribute already exists.
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

    package let entity: String
    public var duplicates = DuplicatePolicy.fail
    /// Whether to return the IDs of the objects, which costs their memory.
    package var returnsObjectIDs = false
    let total: Int?
    let makeNext: @Sendable () -> () throws(StoreError) -> BatchRow?

    package init(_ entity: String, rows: [[String: AttributeValue]]) {
        self.init(entity, total: rows.count) { rows }
    }

    /// Creates a request from rows with the values of these attributes, in their order.
    package init(_ entity: String, attributes: [String], rows: [[AttributeValue]]) {
        self.entity = entity
        total = rows.count
        makeNext = {
            let layout = StoredObject.Layout(names: attributes)
            var iterator = rows.makeIterator()
            return { iterator.next().map { .ordered($0, layout) } }
        }
    }

    /// Creates a request from a sequence of rows.
    ///
    /// - Parameters:
    ///   - entity: The entity of the new objects.
    ///   - total: The number of rows, if known, for the progress.
    ///   - rows: The rows. The sequence is read one row at a time on the store's writing thread, so a lazy
    ///     one is never in memory as a whole.
    public init<Rows: Sequence<[String: AttributeValue]> & SendableMetatype>(
        _ entity: String, total: Int? = nil, rows: @escaping @Sendable () -> Rows
    ) where Rows.Iterator: SendableMetatype {
        self.entity = entity
        self.total = total
        makeNext = {
            var iterator = rows().makeIterator()
            return { iterator.next().map(BatchRow.named) }
        }
    }

    /// Creates a request from a closure.
    ///
    /// - Parameters:
    ///   - entity: The entity of the new objects.
    ///   - total: The number of rows, if known, for the progress.
    ///   - next: A closure that returns the next row, or nil after the last. It runs on the store's writing
    ///     thread with the write lock held, so other writers wait for it. If it throws, nothing is saved, and
    ///     the execution throws ``StoreError/rowSourceFailed(entity:_:)``.
    package init(
        _ entity: String, total: Int? = nil, next: @escaping @Sendable () throws -> [String: AttributeValue]?
    ) {
        self.entity = entity
        self.total = total
        makeNext = {
            { () throws(StoreError) in
                try RowSourceError.catching(entity, next).map(BatchRow.named)
            }
        }
    }
}

/// The error of a batch's row source, unchanged.
public struct RowSourceError: Error, Equatable, Sendable {
    public let error: any Error

    /// Whether both errors have the same type and description.
    public static func == (left: RowSourceError, right: RowSourceError) -> Bool {
        type(of: left.error) == type(of: right.error) && "\(left.error)" == "\(right.error)"
    }

    static func catching<Row>(_ entity: String, _ next: () throws -> Row) throws(StoreError) -> Row {
        do { return try next() } catch {
            throw .rowSourceFailed(entity: entity, RowSourceError(error: error))
        }
    }
}

/// An update of many objects with the same new values as one transaction.
public struct BatchUpdateRequest: Sendable {
    package let entity: String
    /// The condition on objects; nil updates all.
    package let predicate: ObjectPredicate?
    package let values: [String: AttributeValue]
    /// Whether to return the IDs of the objects, which costs their memory.
    package var returnsObjectIDs = false

    public init(
        _ entity: String, where predicate: ObjectPredicate? = nil, set values: [String: AttributeValue]
    ) {
        self.entity = entity
        self.predicate = predicate
        self.values = values
    }
}

/// A deletion of many objects as one transaction.
public struct BatchDeleteRequest: Sendable {
    package let entity: String
    /// The condition on objects; nil deletes all.
    package let predicate: ObjectPredicate?
    /// Whether to return the IDs of the objects, which costs their memory.
    package var returnsObjectIDs = false

    public init(_ entity: String, where predicate: ObjectPredicate? = nil) {
        self.entity = entity
        self.predicate = predicate
    }
}

/// The result of a batch.
public struct BatchResult: Hashable, Sendable {
    /// The number of objects inserted, updated, or deleted. An object that already had the new values is not
    /// counted as updated.
    public let rows: Int
    /// The number of rows skipped by ``BatchInsertRequest/DuplicatePolicy/skip``.
    public let skipped: Int
    /// The position of the transaction; nil if nothing changed, if the entity has no history, or inside a write,
    /// which has not ended.
    package internal(set) var token: HistoryToken?
    /// The IDs of the objects in the order of the work; nil unless requested.
    package let objectIDs: [ObjectID]?
}

extension PersistentContainer {
    /// Inserts many objects as one transaction of the history, in the memory of a few.
    ///
    /// Readers in this and other processes continue. Writers wait: other processes until their busy timeout,
    /// this process until the batch ends. Until then, the whole batch is in the store's `-wal` file, which
    /// grows by each page that the batch writes. Later commits reuse that space; the file does not shrink.
    ///
    /// Every context merges a batch, even those of its author, since none has its objects yet. Cancelling the
    /// task ends the batch with ``StoreError/cancelled``, and nothing is saved.
    ///
    /// - Parameters:
    ///   - request: The objects to insert.
    ///   - author: The author to record in the history.
    ///   - contextName: The context name to record in the history.
    ///   - progress: A closure called on another thread, at most once every thousand objects, with the number of
    ///     objects so far, and the total if it is known.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchInsertRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.insert(request), TransactionOrigin(author, contextName), progress)
    }

    /// Sets the same new values in many objects, as one transaction of the history; otherwise the same as an
    /// insertion.
    ///
    /// Only objects that differ are changed and recorded. Reads each object of the entity once or twice in
    /// the order of the keys. If the predicate's attribute has an index, reads only the objects between the
    /// first and the last match.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchUpdateRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.update(request), TransactionOrigin(author, contextName), progress)
    }

    /// Deletes many objects as one transaction of the history; otherwise the same as an update.
    @discardableResult
    nonisolated(nonsending) public func execute(
        _ request: BatchDeleteRequest, author: String?, contextName: String? = nil,
        progress: (@Sendable (_ done: Int, _ total: Int?) -> Void)? = nil
    ) async throws(StoreError) -> BatchResult {
        try await writer.execute(.delete(request), TransactionOrigin(author, contextName), progress)
    }
}

extension StoreWriter {
    /// Commits a batch as one transaction of the history, under a session that no context has.
    fileprivate func execute(
        _ work: BatchExecution.Work, _ origin: TransactionOrigin,
        _ report: (@Sendable (Int, Int?) -> Void)?
    ) throws(StoreError) -> BatchResult {
        let batch = BatchExecution(work: work, report: report)
        let written = try write(as: origin) { transaction throws(StoreError) in
            try batch.run(in: &transaction)
        }.get()
        var result = written.value
        result.token = written.token
        return result
    }
}

/// Batches as parts of a write; each is done as a whole or not at all.
extension StoreTransaction {
    @discardableResult
    public mutating func execute(_ request: BatchInsertRequest) throws(StoreError) -> BatchResult {
        try BatchExecution(work: .insert(request), report: nil).run(in: &self)
    }

    @discardableResult
    public mutating func execute(_ request: BatchUpdateRequest) throws(StoreError) -> BatchResult {
        try BatchExecution(work: .update(request), report: nil).run(in: &self)
    }

    @discardableResult
    public mutating func execute(_ request: BatchDeleteRequest) throws(StoreError) -> BatchResult {
        try BatchExecution(work: .delete(request), report: nil).run(in: &self)
    }
}
