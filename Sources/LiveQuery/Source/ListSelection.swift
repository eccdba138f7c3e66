package import PersistentStore

/// The keys of the objects of a list, in its order.
package protocol ListOrder: Sendable {
    var count: Int { get }
    /// Whether all objects of the list are known.
    var isComplete: Bool { get }
    /// Returns the index of the first object that is not before a position.
    func index(of position: SortPosition, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> Int
    /// Returns the index of the object of a position, which may be one in an earlier order; if the list lacks it, of the
    /// first one that is not before the position.
    func index(around position: SortPosition, in snapshot: borrowing StoreSnapshot) throws(StoreError) -> Int
    func keys(_ range: Range<Int>) -> [Int64]
    /// Returns the position of an object; nil if that of its values in the order of the query.
    func position(at index: Int) -> SortPosition?
}

extension ListOrder {
    package func position(at index: Int) -> SortPosition? { nil }

    package func index(
        around position: SortPosition, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Int {
        try index(of: position, in: snapshot)
    }
}

/// The hits of a filter that the store cannot evaluate, such as a full-text search; found in steps, and updated
/// with each change.
package protocol ListSelection: ListOrder {
    /// Whether the known objects are in the order of the list.
    var isSorted: Bool { get }

    /// Prepares for a list around a position, which must be known before the list is shown.
    ///
    /// - Returns: Whether the list has the object of the position, or may have it.
    mutating func seek(
        _ position: SortPosition, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Bool

    /// Runs one step of the filter.
    ///
    /// - Parameter wanted: The number of objects that suffices; nil for a step as long as a key may wait.
    mutating func extend(wanted: Int?, in snapshot: borrowing StoreSnapshot) throws(StoreError)

    /// Applies changes. Returns the old and the new position of each object in the list; nil if it is not in
    /// it.
    mutating func apply(
        _ changes: [ListCandidate], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [(old: SortPosition?, new: SortPosition?)]

    /// Returns, once, the changed objects that may have another position now that more objects are known.
    mutating func takeUnmoved() -> [Int64]
}

extension ListSelection {
    package mutating func seek(_ position: SortPosition, in snapshot: borrowing StoreSnapshot) -> Bool {
        true
    }

    package mutating func takeUnmoved() -> [Int64] { [] }
}

/// A changed object, which a list may contain.
package struct ListCandidate {
    package let key: Int64
    /// Its earlier position in the order of the list, whether or not the list contained it; nil if it is new.
    package let earlier: SortPosition?
    /// The present object; nil if it was deleted.
    package let object: StoredObject?
}
