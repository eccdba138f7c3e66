import SQLite

/// The positions of all consumers, which limit a purge.
///
/// A consumer whose cursor has expired, or belongs to another generation, must do a full refresh and needs
/// none of the remaining history.
struct ConsumerHolds {
    private struct Hold {
        let name: String
        let position: Int64
        let isAlways: Bool
    }

    private var holds: [Hold] = []

    /// Creates the positions.
    ///
    /// - Parameter ignored: The authors whose consumers are ignored, unless they retain history always.
    init(_ ends: HistoryExtent, ignoring ignored: Set<String> = [], on connection: borrowing Connection)
        throws
    {
        let rows = try connection.prepare(
            """
            SELECT name, position, retention, author FROM history_consumer
            WHERE generation = ?1 AND position >= ?2 ORDER BY name
            """)
        try rows.bind(ends.generation, at: 1)
        try rows.bind(ends.expiry, at: 2)
        while try rows.step() {
            let isAlways = rows.integer(2) == Int64(ConsumerRetention.always.rawValue)
            if !isAlways, let author = rows.optionalText(3), ignored.contains(author) { continue }
            holds.append(Hold(name: rows.text(0), position: rows.integer(1), isAlways: isAlways))
        }
    }

    /// The position that all consumers have passed; nil if no consumer is respected.
    var passed: Int64? { holds.map(\.position).min() }

    /// The position beyond which nothing may be purged for any reason; nil without a limit.
    var limit: Int64? { holds.filter(\.isAlways).map(\.position).min() }

    /// Returns the names of the consumers that have not passed a number.
    func names(before number: Int64, always: Bool = false) -> [String] {
        holds.filter { $0.position < number && ($0.isAlways || !always) }.map(\.name)
    }
}
