import SQLite

/// Sets right what can be without losing anything; inside the caller's transaction.
struct StoreRepair {
    let model: StoreModel

    func run(_ findings: [StoreFinding], on connection: borrowing Connection) throws {
        var hasGap = false
        for finding in findings {
            switch finding {
            // The connection's SchemaGuard has restored them before this transaction's first statement.
            case .wrongTriggers: break
            case .historyUnlikeData: hasGap = true
            case .strayValues(let name, _): try removeStrayValues(name, connection)
            case .goneConsumer(let name):
                // Another process may have taken the name meanwhile.
                if try ConsumerTable.gone(on: connection).contains(name) {
                    try ConsumerTable.remove(name, on: connection)
                }
            default: break
            }
        }
        if hasGap { try StoreMetadata.expireTokens(on: connection) }
    }

    private func removeStrayValues(_ name: String, _ connection: borrowing Connection) throws {
        guard let id = try connection.integer("SELECT id FROM history_entity WHERE name = ?1", name) else {
            return
        }
        try connection.run(
            """
            DELETE FROM \(StoreSchema.valuesTable(name)) WHERE number NOT IN
            (SELECT number FROM history WHERE entity = ?1)
            """, id)
    }
}
