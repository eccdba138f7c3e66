import HistoryTracking
import PersistentStore

/// Sending records.
extension Mirror {
    /// The size of records at which a batch ends, which bounds the memory.
    private static var batchBytes: Int { 4 << 20 }
    /// The number of records that are encoded while as many are read.
    private static var partSize: Int { 32 }
    private static var smallPartSize: Int { 256 }
    /// The average size of small records.
    private static var smallSize: Int { 2048 }
    /// A batch that needs longer delays an edit that follows.
    private static var batchTime: Duration { .seconds(1) }

    /// Puts records that wait, except large ones. One that another machine put since it was read is merged and put again.
    ///
    /// - Returns: Whether there were any.
    func exportSome() async throws(MirrorError) -> Bool {
        try await absorb()
        var batch = prepared.machine == zone.machine ? prepared.records : []
        prepared = PreparedRecords()
        if batch.isEmpty { batch = try await waitingRecords() }
        guard !batch.isEmpty else {
            rejections = 0
            return false
        }
        let (began, machine, records) = (ContinuousClock.now, zone.machine, batch)
        // Only on a fast line: an edit that follows waits for the records that are read.
        async let next = batchSize == putSizes.upperBound ? recordsAhead(of: records) : []
        try await put(batch)
        // Two steps up and one down, so that a line that is slow at times is used.
        batchSize =
            ContinuousClock.now - began < Self.batchTime / 2
            ? min(batchSize * 2, putSizes.upperBound) : max(batchSize / 2, putSizes.lowerBound)
        prepared = PreparedRecords(machine: machine, records: await next)
        return true
    }

    /// Sends a part of a large record, and puts it after the last one.
    ///
    /// - Returns: Whether there was one.
    func exportPart() async throws(MirrorError) -> Bool {
        guard let name = large.first else { return false }
        let request = FetchRequest(MirrorNames.record, where: .equal("name", .text(name)))
        let current = try await read { snapshot throws(StoreError) in try snapshot.fetch(request).first }
        if largePut?.row.isSame(as: current.map(MapRow.init)) != true {
            largePut = nil
            if let current, MapRow.Waiting(current) == .toPut {
                largePut = try await puts(of: [current]).first
            }
        }
        guard let largePut else {
            large.remove(name)
            return true
        }
        let share = try await engine.parts?.sendPart(of: largePut.put) ?? 1
        note { $0.share = share }
        guard share >= 1 else { return true }
        (self.largePut, large) = (nil, large.subtracting([name]))
        try await put([largePut])
        note { $0.share = nil }
        return true
    }

    private func put(_ batch: [(row: MapRow, put: MirrorPut)]) async throws(MirrorError) {
        // A text that was read in part is not sent.
        let whole = batch.map(\.put).filter { !$0.body.isEmpty }
        var answers = try await engine.put(whole)[...]
        let results = batch.map { $0.put.body.isEmpty ? .tooLarge : answers.removeFirst() }
        rejections = results.allSatisfy { $0 == .outdated } ? rejections + 1 : 0
        try await acknowledge(zip(batch, results).map { ($0.row, $0.put, $1) })
        for case .failed(let error) in results { throw error }
        guard rejections < 100 else {
            throw .other("it rejects each put, and returns nothing newer")
        }
    }

    /// Puts all records that wait.
    func export() async throws(MirrorError) {
        while true {
            if try await exportSome() { continue }
            guard try await exportPart() else { return }
        }
    }

    /// Returns the next records to put, and notes those that are sent in parts.
    ///
    /// - Parameter others: Waiting records that are put before.
    private func waitingRecords(
        after others: [(row: MapRow, put: MirrorPut)] = []
    ) async throws(MirrorError) -> [(row: MapRow, put: MirrorPut)] {
        let known = Set(others.map(\.row.name))
        while true {
            var query = MapRow.request(.toPut, limit: batchSize + large.count)
            query.offset = known.count
            let request = query
            let rows = try await read { snapshot throws(StoreError) in try snapshot.fetch(request) }
            let waiting = rows.filter { row in
                let name = row["name"].textValue ?? ""
                return !large.contains(name) && !known.contains(name)
            }
            let puts = try await puts(of: Array(waiting.prefix(batchSize)))
            let largestWhole = engine.parts?.largestWhole ?? .max
            let whole = puts.filter { $0.put.body.count <= largestWhole }
            large.formUnion(puts.filter { $0.put.body.count > largestWhole }.map(\.row.name))
            if !whole.isEmpty || puts.isEmpty { return whole }
        }
    }

    /// Reads the records after those that are put now. After an error, the next call reads again.
    private func recordsAhead(
        of batch: [(row: MapRow, put: MirrorPut)]
    ) async -> [(row: MapRow, put: MirrorPut)] {
        (try? await waitingRecords(after: batch)) ?? []
    }

    /// Returns the puts of records, up to a number of bytes, without the rows' states; no body for one that cannot be read
    /// whole. Objects with edits that have no clock yet are left for the next time.
    private func puts(of rows: [StoredObject]) async throws(MirrorError) -> [(row: MapRow, put: MirrorPut)] {
        guard let position else { return [] }
        return try await puts(of: rows, absorbed: position.token, by: zone.machine)
    }

    /// Encodes a few records at a time, because objects can be large, while the next ones are read.
    private nonisolated func puts(
        of rows: [StoredObject], absorbed token: HistoryToken, by machine: UInt64
    ) async throws(MirrorError) -> [(row: MapRow, put: MirrorPut)] {
        var (batch, size): ([(row: MapRow, put: MirrorPut)], Int) = ([], 0)
        let stamp = Int64.random(in: 0 ... .max / 2)
        var (rest, count) = (rows[...], Self.partSize)
        var part = try await contents(of: rest.prefix(count), absorbed: token).get()
        repeat {
            rest = rest.dropFirst(count)
            count = size < batch.count * Self.smallSize ? Self.smallPartSize : Self.partSize
            let (present, following) = (part, rest.prefix(count))
            async let next = contents(of: following, absorbed: token)
            for (row, object, isWhole) in present {
                var (row, form) = (row, row.form)
                form.machine = machine
                if let values = values[form.entity] { form.state = values.filled(row.state, from: object) }
                row.discardState()
                let put = MirrorPut(
                    key: engine.key(entity: form.entity, uuid: form.uuid), expected: row.revision,
                    stamp: stamp + Int64(batch.count) + 1, body: isWhole ? form.bytes : [])
                batch.append((row, put))
                size += put.body.count
            }
            part = try await next.get()
        } while !rest.isEmpty && size < Self.batchBytes
        return batch
    }

    /// Returns the records that can be put, with their objects and whether these were read whole.
    private nonisolated func contents(
        of rows: ArraySlice<StoredObject>, absorbed token: HistoryToken
    ) async -> Result<[(row: MapRow, object: StoredObject?, isWhole: Bool)], MirrorError> {
        guard !rows.isEmpty else { return .success([]) }
        return await result { snapshot throws(StoreError) in
            let unabsorbed = try snapshot.objectsChanged(after: token)
            let rows = MapRow.rows(of: rows)
            let objects = try snapshot.objects(of: rows.map { ($0.entity, $0.uuid) }, configuration)
            return rows.compactMap { row in
                guard let values = values[row.entity] else { return (row, nil, true) }
                guard let object = objects[row.name] else {
                    return row.state.isAlive(values.mirrored) ? nil : (row, nil, true)
                }
                return unabsorbed.contains(object.id) ? nil : (row, object, !snapshot.hasCut(object.id))
            }
        }
    }

    private func acknowledge(
        _ results: [(row: MapRow, put: MirrorPut, result: MirrorPutResult)]
    ) async throws(MirrorError) {
        var rows: [MapRow] = []
        var outdated: [String: MapRow] = [:]
        var sent = 0
        for (row, put, result) in results {
            var row = row
            switch result {
            case .stored(let number):
                (row.revision, row.stamp, row.waiting) = (number, put.stamp, .none)
                if put.body.count > engine.parts?.largestWhole ?? .max { largePuts[number] = put.stamp }
                rows.append(row)
                sent += 1
                if number > zone[.put] {
                    (zone[.put], zone[.putStamp], zone[.putTime]) = (number, put.stamp, now())
                }
            case .outdated:
                row.revision = 0
                outdated[put.key] = row
            case .tooLarge:
                row.waiting = .tooLarge
                rows.append(row)
            case .failed: break
            }
        }
        note { $0.sent += sent }
        passOwnPuts(rows)
        // First, since large records of other machines may arrive for minutes.
        if !rows.isEmpty { try await saveAnswers(rows) }
        guard !outdated.isEmpty else { return }
        let entries = try await wholeEntries(Array(outdated.keys))
        var readable: [MirrorEntry] = []
        for entry in entries where try engine.form(of: entry) != nil { readable.append(entry) }
        if !readable.isEmpty { try await take(readable) }
        for (key, entries) in Dictionary(grouping: entries, by: \.revision.key) {
            guard let newest = entries.max(by: { $0.revision.number < $1.revision.number }) else { continue }
            // A damaged record is as good as a forgotten one: the next put replaces it.
            outdated[key]?.revision = newest.revision.number
            if readable.contains(newest) { outdated[key] = nil }
        }
        // The relay forgot the expected revisions of the others.
        if !outdated.isEmpty { try await saveAnswers(Array(outdated.values)) }
    }

    private func saveAnswers(_ rows: [MapRow]) async throws(MirrorError) {
        try await save { transaction throws(StoreError) in
            try MapRow.saveAnswers(rows, in: &transaction)
        }
    }

    /// Returns the newest revisions of keys, each with its body.
    func wholeEntries(_ keys: [String]) async throws(MirrorError) -> [MirrorEntry] {
        let entries = try await engine.get(keys)
        let deferred = entries.filter(\.isDeferred).map(\.revision.key)
        guard !deferred.isEmpty else { return entries }
        for key in deferred { while try await engine.parts?.receivePart(of: key) ?? 1 < 1 {} }
        return entries.filter { !$0.isDeferred } + (try await wholeEntries(deferred))
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

/// Records that were read before they can be put, with the machine that puts them.
struct PreparedRecords {
    var machine: UInt64 = 0
    var records: [(row: MapRow, put: MirrorPut)] = []
}
