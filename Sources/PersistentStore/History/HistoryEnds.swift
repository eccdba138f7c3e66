import SQLite

/// From where to where there is history.
struct HistoryEnds: Sendable, Equatable {
    /// The number of the last row that is no longer readable.
    let floor: Int64
    /// The number of the newest transaction that was deleted, wherever it stood; a token before it has expired.
    let expiry: Int64
    /// Tokens of other generations have expired.
    let generation: Int64
    /// Rises with every deletion that leaves holes, by which a plan made before it is known to be out of date.
    let deletions: Int64

    init(_ connection: borrowing Connection) throws {
        floor = max(0, try StoreMetadata.integer(.historyFloor, on: connection) ?? 0)
        expiry = try StoreMetadata.historyExpiry(floor: floor, on: connection)
        generation = try StoreMetadata.integer(.generation, on: connection) ?? 1
        deletions = try StoreMetadata.integer(.deletions, on: connection) ?? 0
    }
}
