import SQLite

/// The history's share of the store, in bytes of used pages.
struct HistoryShare {
    let history: Double
    let others: Double

    /// Creates nil without `dbstat` (sqlite.org/dbstat.html), which Debian's library has.
    init?(on connection: borrowing Connection) throws {
        guard try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") == 1 else {
            return nil
        }
        var tables = ["history"]
        let entities = try connection.prepare("SELECT name FROM history_entity")
        while try entities.step() { tables.append("history_values_\(entities.text(0))") }
        var bytes: Int64 = 0
        for table in tables {
            bytes +=
                try connection.integer("SELECT pgsize FROM dbstat WHERE aggregate = 1 AND name = ?1", table)
                ?? 0
        }
        let pages =
            (try connection.integer("PRAGMA page_count") ?? 0)
            - (try connection.integer("PRAGMA freelist_count") ?? 0)
        history = Double(bytes)
        others = max(0, Double(pages * (try connection.integer("PRAGMA page_size") ?? 0) - bytes))
    }

    /// Returns the part of the history to retain for it to be at most a given share of the store.
    func part(within share: Double) -> Double {
        guard share < 1, history > 0 else { return 1 }
        return min(1, max(0, share) * others / (1 - max(0, share)) / history)
    }
}
