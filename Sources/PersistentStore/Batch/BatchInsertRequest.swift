/// Many new objects of one entity, as one transaction.
public struct BatchInsertRequest: Sendable {
    /// What becomes of a row whose value of a unique attribute some object has already.
    public enum DuplicatePolicy: String, Hashable, Sendable, CaseIterable {
        /// The batch fails with ``StoreError/constraint(reason:)``, whole.
        case fail
        /// The row is left out.
        case skip
        /// The object that is there gets the row's values, and keeps its id. A row that clashes with two objects
        /// fails the batch.
        case replace
    }

    public let entity: String
    public var duplicates = DuplicatePolicy.fail
    /// Costs the memory of the ids.
    public var returnsObjectIDs = false
    let total: Int?
    let makeNext: @Sendable () -> () -> [String: Value]?

    public init(_ entity: String, rows: [[String: Value]]) {
        self.init(entity, total: rows.count) { rows }
    }

    /// - Parameters:
    ///   - entity: the entity of the new objects.
    ///   - total: how many rows there will be, if that is known; for ``BatchProgress``.
    ///   - rows: makes the rows, on the store's writing thread; they are taken one after the other, so those of a
    ///     lazy sequence never have to be in memory as a whole.
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

    /// - Parameters:
    ///   - entity: the entity of the new objects.
    ///   - total: how many rows there will be, if that is known; for ``BatchProgress``.
    ///   - next: the next row, nil after the last. Called on the store's writing thread, with the write lock held:
    ///     what it waits for, other writers wait for too.
    public init(_ entity: String, total: Int? = nil, next: @escaping @Sendable () -> [String: Value]?) {
        self.entity = entity
        self.total = total
        makeNext = { next }
    }
}
