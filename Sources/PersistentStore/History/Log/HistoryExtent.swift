import SQLite

/// The extent of the readable history.
struct HistoryExtent: Sendable, Equatable {
    /// The number of the last row that is no longer readable.
    let floor: Int64
    /// The number of the newest deleted transaction at any position; a token before it has expired.
    let expiry: Int64
    /// Tokens of other generations have expired.
    let generation: Int64
    /// The number of selective deletions so far. A plan made before the latest of them is invalid.
    let deletions: Int64

    init(_ connection: borrowing Connection) throws {
        floor = max(0, try StoreMetadata.integer(.historyFloor, on: connection) ?? 0)
        expiry = try StoreMetadata.historyExpiry(floor: floor, on: connection)
        generation = try StoreMetadata.integer(.generation, on: connection) ?? 1
        deletions = try StoreMetadata.integer(.deletions, on: connection) ?? 0
    }
}
