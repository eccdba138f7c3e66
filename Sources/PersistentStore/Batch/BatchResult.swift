/// The progress of a batch.
public struct BatchProgress: Hashable, Sendable {
    /// The number of objects inserted, updated, or deleted so far.
    public let done: Int
    /// The total number, if known.
    public let total: Int?
}

/// The result of a batch.
public struct BatchResult: Hashable, Sendable {
    /// The number of objects inserted, updated, or deleted. An object that already had the new values is not
    /// counted as updated.
    public let rows: Int
    /// The number of rows skipped by ``BatchInsertRequest/DuplicatePolicy/skip``.
    public let skipped: Int
    /// The position of the transaction; nil if nothing changed, or if the entity has no history.
    public let token: HistoryToken?
    /// The IDs of the objects in the order of the work; nil unless requested.
    public let objectIDs: [ObjectID]?
}
