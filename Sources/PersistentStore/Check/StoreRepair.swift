import SQLite

/// Sets right what can be without losing anything; inside the caller's transaction.
struct StoreRepair {
    let model: StoreModel

    func run(_ findings: [StoreFinding], on connection: borrowing Connection) throws {
        var hasGap = false
        for finding in findings {
            switch finding {
            case .wrongTriggers(let name): hasGap = try makeTriggers(name, connection) || hasGap
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
        if hasGap { try expireTokens(connection) }
    }

    /// False when somebody else was quicker.
    private func makeTriggers(_ name: String, _ connection: borrowing Connection) throws -> Bool {
        guard let entity = model.entity(name), let triggers = try HistoryTriggers(of: entity, on: connection),
            try !StoreCheck(model: model).hasItsTriggers(entity, connection)
        else { return false }
        for trigger in triggers.all {
            try connection.execute("DROP TRIGGER IF EXISTS \"\(trigger.name)\"")
            try connection.execute(trigger.sql)
        }
        return true
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

    /// Changes went unrecorded: whoever relies on the history so far reads everything anew.
    private func expireTokens(_ connection: borrowing Connection) throws {
        let newest = try HistoryBoundary.newest(on: connection)
        let generation = try StoreMetadata.integer(.generation, on: connection) ?? 1
        try StoreMetadata.set(.generation, .integer(generation + 1), on: connection)
        try StoreMetadata.set(.historyExpiry, .integer(newest), on: connection)
    }
}
