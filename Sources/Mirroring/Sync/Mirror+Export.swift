import FoundationEssentials
import HistoryTracking
import PersistentStore

/// Sending records.
extension Mirror {
    private static var batchSize: Int { 512 }
    /// The size of records at which a batch ends, which bounds the memory.
    private static var batchBytes: Int { 4 << 20 }

    /// Puts all records that wait. One that another machine put since it was read is merged and put again.
    func export() async throws(MirrorError) {
        var failures = 0
        while failures < 100 {
            try await absorb()
            let batch = try await waitingRecords()
            guard !batch.isEmpty else { return }
            let puts = batch.map { row, body in
                MirrorPut(
                    key: engine.key(entity: row.entity, uuid: row.uuid), expected: row.revision,
                    stamp: Int64.random(in: 1 ... .max), body: body)
            }
            // A text that was read in part is not sent.
            let whole = puts.filter { !$0.body.isEmpty }
            var answers = try await engine.put(whole)[...]
            let results = puts.map { $0.body.isEmpty ? .tooLarge : answers.removeFirst() }
            failures = results.allSatisfy { $0 == .outdated } ? failures + 1 : 0
            try await acknowledge(zip(batch.map(\.row), zip(puts, results)).map { ($0, $1.0, $1.1) })
        }
        throw .other("it rejects each put, and returns nothing newer")
    }

    /// Returns the next records to put, and their bodies; no body for one that cannot be read whole. Objects with
    /// edits that have no clock yet are left for the next time.
    private func waitingRecords() async throws(MirrorError) -> [(row: MapRow, body: [UInt8])] {
        guard let position else { return [] }
        let (configuration, model) = (configuration, container.model)
        let query = MapRow.request(.toPut, limit: Self.batchSize)
        return try await read { snapshot throws(StoreError) in
            let rows = try snapshot.fetch(query).map(MapRow.init)
            guard !rows.isEmpty else { return [] }
            let unabsorbed = try snapshot.objectsChanged(after: position.token)
            var (batch, size): ([(row: MapRow, body: [UInt8])], Int) = ([], 0)
            // Few at a time, because objects can be large.
            for start in stride(from: 0, to: rows.count, by: 64) where size < Self.batchBytes {
                let part = rows[start..<min(start + 64, rows.count)]
                let objects = try snapshot.objects(of: part.map { ($0.entity, $0.uuid) }, configuration)
                for row in part {
                    var form = row.form
                    if let values = RecordValues(row.entity, configuration, model) {
                        let object = objects[row.name]
                        if let object, unabsorbed.contains(object.id) { continue }
                        if object == nil, row.state.isAlive(values.mirrored) { continue }
                        if let object, snapshot.hasCut(object.id) {
                            batch.append((row, []))
                            continue
                        }
                        form.state = values.filled(row.state, from: object)
                    }
                    batch.append((row, form.bytes))
                    size += batch[batch.count - 1].body.count
                }
            }
            return batch
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
            case .outdated:
                row.revision = 0
                outdated[put.key] = row
            case .tooLarge:
                row.waiting = .tooLarge
                rows.append(row)
            }
        }
        passOwnPuts(rows)
        let entries = outdated.isEmpty ? [] : try await engine.get(Array(outdated.keys))
        var readable: [MirrorEntry] = []
        for entry in entries {
            if try form(of: entry) != nil {
                readable.append(entry)
                outdated[entry.revision.key] = nil
            } else {
                // A damaged record is as good as a forgotten one: the next put replaces it.
                outdated[entry.revision.key]?.revision = entry.revision.number
            }
        }
        // The relay forgot the expected revisions of the others.
        let saved = rows + outdated.values
        try await write { transaction throws(StoreError) in
            for row in saved { try row.saveAnswer(in: &transaction) }
        }
        if !readable.isEmpty { try await take(readable) }
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
