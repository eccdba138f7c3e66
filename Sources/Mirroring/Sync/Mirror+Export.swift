import FoundationEssentials
import HistoryTracking
import PersistentStore

/// Sending records.
extension Mirror {
    private static var batchSize: Int { 256 }

    /// Puts all records that wait. One that another machine put since it was read is merged and put again.
    func export() async throws(MirrorError) {
        while true {
            try await absorb()
            let batch = try await waitingRecords()
            guard !batch.isEmpty else { return }
            let puts = batch.map { row, body in
                MirrorPut(
                    key: engine.key(entity: row.entity, uuid: row.uuid), expected: row.revision,
                    stamp: Int64.random(in: 1 ... .max), body: body)
            }
            let results = try await engine.put(puts)
            try await acknowledge(zip(batch.map(\.row), zip(puts, results)).map { ($0, $1.0, $1.1) })
        }
    }

    /// Returns the next records to put, and their bodies. Objects with edits that have no clock yet are left for
    /// the next time.
    private func waitingRecords() async throws(MirrorError) -> [(row: MapRow, body: [UInt8])] {
        guard let position else { return [] }
        let (configuration, model) = (configuration, container.model)
        let query = MapRow.request(.toPut, limit: Self.batchSize)
        return try await read { snapshot throws(StoreError) in
            let rows = try snapshot.fetch(query).map(MapRow.init)
            guard !rows.isEmpty else { return [] }
            let objects = try snapshot.objects(of: rows.map { ($0.entity, $0.uuid) }, configuration)
            let unabsorbed = try snapshot.objectsChanged(after: position.token)
            return rows.compactMap { row in
                var form = row.form
                if let values = RecordValues(row.entity, configuration, model) {
                    let object = objects[row.name]
                    if let object, unabsorbed.contains(object.id) { return nil }
                    if object == nil, row.state.isAlive(values.mirrored) { return nil }
                    form.state = values.filled(row.state, from: object)
                }
                return (row, form.bytes)
            }
        }
    }

    private func acknowledge(
        _ results: [(row: MapRow, put: MirrorPut, result: MirrorPutResult)]
    ) async throws(MirrorError) {
        var rows: [MapRow] = []
        var outdated: [String: MapRow] = [:]
        for (row, put, result) in results {
            var row = row
            switch result {
            case .stored(let number):
                (row.revision, row.stamp, row.waiting) = (number, put.stamp, .none)
                rows.append(row)
                if number > zone[.put] {
                    (zone[.put], zone[.putStamp], zone[.putTime]) = (number, put.stamp, now())
                }
            case .outdated: outdated[put.key] = row
            case .tooLarge:
                row.waiting = .tooLarge
                rows.append(row)
            }
        }
        passOwnPuts(rows)
        let entries = outdated.isEmpty ? [] : try await engine.get(Array(outdated.keys))
        // The relay forgot the revision that was expected.
        for entry in entries { outdated[entry.revision.key] = nil }
        for var row in outdated.values {
            row.revision = 0
            rows.append(row)
        }
        let saved = rows
        try await save { context throws(StoreError) in
            for row in saved { try await row.save(in: context, withState: false) }
        }
        if !entries.isEmpty { try await take(entries) }
    }

    /// Moves the import cursor past revisions that directly follow it, so that they are not received.
    private func passOwnPuts(_ rows: [MapRow]) {
        for row in rows.sorted(by: { $0.revision < $1.revision }) where row.revision == zone[.cursor] + 1 {
            // The relay's time is that of the acknowledgment, as far as this clock is right.
            let time = max(zone[.cursorTime], now() + zone[.offset])
            (zone[.cursor], zone[.cursorStamp], zone[.cursorTime]) = (row.revision, row.stamp, time)
        }
    }
}
