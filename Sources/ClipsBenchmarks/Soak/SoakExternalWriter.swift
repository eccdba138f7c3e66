import SQLite

/// An external writer of a soak: plain SQL, one commit per statement, on several connections in turn.
final class SoakExternalWriter {
    private let first: Connection
    private let second: Connection
    private let third: Connection
    private let number: Int
    private var random: SampleRandom

    init(_ path: String, _ number: Int) throws {
        first = try Self.connect(path)
        second = try Self.connect(path)
        third = try Self.connect(path)
        self.number = number
        random = SampleRandom(seed: UInt64(7000 + number))
    }

    private static func connect(_ path: String) throws -> Connection {
        let connection = try Connection(path: path, access: .readWrite, busyTimeoutMilliseconds: 20_000)
        try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
        return connection
    }

    /// Makes three commits in quick succession, in a random order of the connections.
    func work() throws {
        for _ in 0..<3 {
            let sql = statement()
            switch random.below(3) {
            case 0: try first.execute(sql)
            case 1: try second.execute(sql)
            default: try third.execute(sql)
            }
        }
    }

    private func statement() -> String {
        let some = "(SELECT id FROM Clip ORDER BY id DESC LIMIT 1 OFFSET \(random.below(60)))"
        let title = "'external \(number)-\(random.below(1_000_000))'"
        // Deletes more than it inserts, so that the windows of the apps have space for all clips.
        switch random.below(10) {
        case 0, 1: return "INSERT INTO Clip (title) VALUES (\(title))"
        case 2: return "INSERT INTO Clip (title) VALUES (\(title)), (\(title) || 'b')"
        case 3: return "UPDATE Clip SET title = \(title) WHERE id = \(some)"
        case 4: return "UPDATE Clip SET starred = NOT starred WHERE id >= \(some) - 2 AND id <= \(some)"
        case 5:
            return "INSERT OR REPLACE INTO Clip (id, title) SELECT \(some), \(title) WHERE \(some) NOT NULL"
        case 6:
            return
                "INSERT INTO Clip (id, title) SELECT \(some), 'x' WHERE \(some) NOT NULL ON CONFLICT (id) DO UPDATE SET title = \(title)"
        default: return "DELETE FROM Clip WHERE id >= \(some) - 1 AND id <= \(some)"
        }
    }
}
