import SQLite

/// Facts that a program stores with the history of an attached database.
package struct AttachmentNotes: Sendable {
    /// The age beyond which its followers delete history.
    package var retention: Duration?
    /// The transactions that a consumer could not process, oldest first, by the consumer's name.
    package var parked: [String: [Int64]] = [:]
}

extension PersistentContainer {
    private static let retentionKey = "attached_retention"
    private static let parkedKey = "attached_parked_"
    private static let maxParked = 1000

    /// Whether a database is in WAL mode, so that recording need not switch it.
    package static func isInWALMode(_ path: String) throws(StoreError) -> Bool {
        do {
            return try Connection(path: path, access: .readWrite, trustsSchema: true).texts(
                "PRAGMA journal_mode") == ["wal"]
        } catch {
            throw StoreError(error, path: path)
        }
    }

    package nonisolated(nonsending) func notes() async throws(StoreError) -> AttachmentNotes {
        try await reader.read { snapshot throws(StoreError) in
            try snapshot.ask { connection in
                var notes = AttachmentNotes()
                let rows = try connection.prepare(
                    "SELECT key, value FROM store_metadata WHERE key GLOB 'attached_*'")
                while try rows.step() {
                    let key = rows.text(0)
                    if key == Self.retentionKey {
                        notes.retention = .seconds(min(max(0, rows.integer(1)), 1 << 40))
                    }
                    if key.hasPrefix(Self.parkedKey) {
                        notes.parked[String(key.dropFirst(Self.parkedKey.count))] =
                            rows.text(1).split(separator: ",").compactMap { Int64($0) }
                    }
                }
                return notes
            }
        }
    }

    package nonisolated(nonsending) func setRetention(_ retention: Duration) async throws(StoreError) {
        try await writer.write { connection in
            try connection.run(
                "INSERT INTO store_metadata VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2",
                Self.retentionKey, retention.components.seconds)
        }
    }

    /// Records that a consumer could not process a transaction, and moves its cursor past it in the same commit.
    package nonisolated(nonsending) func park(_ token: HistoryToken, of consumer: String)
        async throws(StoreError)
    {
        let now = options.clock()
        try await writer.write { connection in
            let key = Self.parkedKey + consumer
            let known =
                try connection.texts("SELECT value FROM store_metadata WHERE key = ?1", key).first ?? ""
            let all =
                known.split(separator: ",").suffix(Self.maxParked - 1).map(String.init) + ["\(token.number)"]
            try connection.run(
                "INSERT INTO store_metadata VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2", key,
                all.joined(separator: ","))
            try ConsumerTable.move(consumer, to: token, now: now, on: connection)
        }
    }
}
