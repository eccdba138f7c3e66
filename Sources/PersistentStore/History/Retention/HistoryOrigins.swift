import SQLite

/// Rows of `history_origin` that no transaction uses any more.
struct HistoryOrigins: Sendable {
    private let newest: Int64
    private(set) var unused: Set<Int64> = []

    /// Finds unused rows on a snapshot, from the newest row back, until every other row has been seen.
    init(on connection: borrowing Connection) throws {
        newest = try HistoryBoundary.newest(on: connection)
        let all = try connection.prepare("SELECT id FROM history_origin")
        while try all.step() { unused.insert(all.integer(0)) }
        let used = try connection.prepare(
            "SELECT origin FROM history WHERE origin NOT NULL ORDER BY number DESC")
        while !unused.isEmpty, try used.step() { unused.remove(used.integer(0)) }
    }

    /// Deletes the unused rows under the write lock, except those used since the snapshot.
    func remove(on connection: borrowing Connection) throws {
        var unused = unused
        let used = try connection.prepare(
            "SELECT origin FROM history WHERE number > ?1 AND origin NOT NULL")
        try used.bind(newest, at: 1)
        while try used.step() { unused.remove(used.integer(0)) }
        for id in unused { try connection.run("DELETE FROM history_origin WHERE id = ?1", id) }
    }
}
