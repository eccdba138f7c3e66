import SQLite

/// Who-wrote-it rows that no transaction uses any more.
struct HistoryOrigins: Sendable {
    private let newest: Int64
    private(set) var unused: Set<Int64> = []

    /// Looks for them on a snapshot, from the newest row back, until every other one has been met.
    init(on connection: borrowing Connection) throws {
        newest = try HistoryBoundary.newest(on: connection)
        let all = try connection.prepare("SELECT id FROM history_origin")
        while try all.step() { unused.insert(all.integer(0)) }
        let used = try connection.prepare(
            "SELECT origin FROM history WHERE origin NOT NULL ORDER BY number DESC")
        while !unused.isEmpty, try used.step() { unused.remove(used.integer(0)) }
    }

    /// Removes them under the lock, save those that somebody has used since the snapshot.
    func remove(on connection: borrowing Connection) throws {
        var unused = unused
        let used = try connection.prepare(
            "SELECT origin FROM history WHERE number > ?1 AND origin NOT NULL")
        try used.bind(newest, at: 1)
        while try used.step() { unused.remove(used.integer(0)) }
        for id in unused { try connection.run("DELETE FROM history_origin WHERE id = ?1", id) }
    }
}
