import SQLite

extension StoreSnapshot {
    /// Returns a digest of the row at the position of a token, which is different in another history that grew to the
    /// same number after an older file was put in the position of the store; nil if cleaning has deleted the row.
    package func digest(at token: HistoryToken) throws(StoreError) -> Int64? {
        try ask { connection in
            let row = try connection.prepare(
                """
                SELECT number, kind, entity, object, columns, at, began, origin, process, session FROM history
                WHERE number = ?1
                """)
            try row.bind(token.number, at: 1)
            guard try row.step() else { return nil }
            // FNV-1a.
            return (0..<row.columnCount).reduce(Int64(bitPattern: 0xCBF2_9CE4_8422_2325)) { digest, column in
                (digest ^ (row.isNull(column) ? .min : row.integer(column))) &* 0x100_0000_01B3
            }
        }
    }
}
