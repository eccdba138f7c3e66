/// An insertion of many objects of one entity as one transaction.
public struct BatchInsertRequest: Sendable {
    /// The handling of a row whose value of a unique attribute already exists.
    public enum DuplicatePolicy: String, Hashable, Sendable, CaseIterable {
        /// The whole batch fails with ``StoreError/constraint(reason:)``.
        case fail
        /// The row is skipped.
        case skip
        /// The existing object gets the row's values and retains its ID. A row that clashes with two objects
        /// fails the batch.
        case replace
    }

    public let entity: String
    public var duplicates = DuplicatePolicy.fail
    /// Whether to return the IDs of the objects, which costs their memory.
    public var returnsObjectIDs = false
    let total: Int?
    let makeNext: @Sendable () -> () -> [String: Value]?

    public init(_ entity: String, rows: [[String: Value]]) {
        self.init(entity, total: rows.count) { rows }
    }

    /// Creates a request from a sequence of rows.
    ///
    /// - Parameters:
    ///   - entity: The entity of the new objects.
    ///   - total: The number of rows, if known, for ``BatchProgress``.
    ///   - rows: The rows. The sequence is read one row at a time on the store's writing thread, so a lazy
    ///     one is never in memory as a whole.
    public init<Rows: Sequence<[String: Value]> & SendableMetatype>(
        _ entity: String, total: Int? = nil, rows: @escaping @Sendable () -> Rows
    ) where Rows.Iterator: SendableMetatype {
        self.entity = entity
        self.total = total
        makeNext = {
            var iterator = rows().makeIterator()
            return { iterator.next() }
        }
    }

    /// Creates a request from a closure.
    ///
    /// - Parameters:
    ///   - entity: The entity of the new objects.
    ///   - total: The number of rows, if known, for ``BatchProgress``.
    ///   - next: A closure that returns the next row, or nil after the last. It runs on the store's writing
    ///     thread with the write lock held, so other writers wait for it.
    public init(_ entity: String, total: Int? = nil, next: @escaping @Sendable () -> [String: Value]?) {
        self.entity = entity
        self.total = total
        makeNext = { next }
    }
}
