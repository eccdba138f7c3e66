import SQLite

/// Up to where consumers have come, and so what may go.
///
/// A consumer whose cursor has expired, or is of another generation, has to read everything anew and needs
/// nothing of what is left.
struct ConsumerHolds {
    private struct Hold {
        let name: String
        let position: Int64
        let isAlways: Bool
    }

    private var holds: [Hold] = []

    /// - Parameter ignored: authors whose consumers are not waited for, unless they keep history always.
    init(_ ends: HistoryEnds, ignoring ignored: Set<String> = [], on connection: borrowing Connection) throws
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

    /// What everybody has passed; nil when nobody is waited for.
    var passed: Int64? { holds.map(\.position).min() }

    /// What may go at most, whatever the reason; nil without a limit.
    var limit: Int64? { holds.filter(\.isAlways).map(\.position).min() }

    /// Who has not passed a number.
    func names(before number: Int64, always: Bool = false) -> [String] {
        holds.filter { $0.position < number && ($0.isAlways || !always) }.map(\.name)
    }
}
