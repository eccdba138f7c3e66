/// How far a batch has come.
public struct BatchProgress: Hashable, Sendable {
    /// Objects inserted, updated or deleted up to now.
    public let done: Int
    /// All that there will be, if that is known.
    public let total: Int?
}

/// What a batch did.
public struct BatchResult: Hashable, Sendable {
    /// Objects inserted, updated or deleted. An object that had the new values already is not updated.
    public let rows: Int
    /// Rows left out by ``BatchInsertRequest/DuplicatePolicy/skip``.
    public let skipped: Int
    /// The position of the transaction; nil when nothing changed, or the entity has no history.
    public let token: HistoryToken?
    /// In the order of the work; nil unless they were asked for.
    public let objectIDs: [ObjectID]?
}
