import HistoryTracking
import PersistentStore

/// Noticing that the relay forgot revisions, and restoring them.
extension Mirror {
    /// The record with the newest time of a purged deletion, and its revision in the log of the relay.
    static var horizon: (entity: String, uuid: String) { ("MirrorZone", "horizon") }

    /// Compares the relay with the state of the zone, and reconciles both if they differ.
    func connect() async throws(MirrorError) {
        try await start()
        guard !isConnected || mustRepair else { return }
        ahead = nil
        // A record with an unsent edit must wait before it is compared.
        try await absorbOrRestart()
        let identity = try await engine.identity()
        let isKnown = zone[.cursor] > 0 || zone[.identity] == identity
        if isKnown, zone.reconciliation != .rejoin {
            let horizon = try await horizon(of: identity)
            // The time of an own revision was estimated by the local clock; the number is exact.
            let hasReceived =
                zone[.identity] == identity && horizon.revision > 0 && horizon.revision <= zone[.cursor]
            guard hasReceived || horizon.time <= zone[.cursorTime] else { throw .absentTooLong }
        }
        let isSame = try await isLineageIntact()
        // Revisions of another log have other numbers.
        if zone[.identity] != identity { removals = WaitingRemovals() }
        let isOlder = zone[.identity] == identity && !isSame
        if zone[.identity] != identity || !isSame {
            let isFirst = zone[.identity].isEmpty && zone[.cursor] == 0
            zone[.identity] = identity
            if !isFirst, zone.reconciliation == .none { zone.reconciliation = .compare }
        }
        if zone.reconciliation != .none {
            let mode = zone.reconciliation
            try await save { _ throws(StoreError) in }
            try await reconcile(mode, isOlder: isOlder)
        }
        isConnected = true
    }

    /// Whether the highest known revision is the one that was there. Everything before it is then there too: a
    /// relay loses the end of its log. A revision that was superseded and removed counts as lost, at the cost of
    /// one comparison.
    private func isLineageIntact() async throws(MirrorError) -> Bool {
        let cursor = (number: zone[.cursor], stamp: zone[.cursorStamp])
        let put = (number: zone[.put], stamp: zone[.putStamp])
        let highest = put.number > cursor.number ? put : cursor
        guard highest.number > 0 else { return true }
        guard let revision = try await engine.entry(at: highest.number), revision.stamp == highest.stamp
        else {
            return false
        }
        if highest == put { measureClock(revision) }
        return true
    }

    /// Corrects the clock by that of the relay, if it differs by more than the time of a message.
    private func measureClock(_ revision: MirrorRevision) {
        let offset = revision.time - zone[.putTime]
        zone[.offset] = abs(offset) > 2000 ? offset : 0
    }

    private func horizon(of identity: String) async throws(MirrorError) -> (time: Int64, revision: Int64) {
        let key = engine.key(entity: Self.horizon.entity, uuid: Self.horizon.uuid)
        guard let entry = try await engine.get([key]).first, let form = try? RecordForm(entry.body),
            case .known(.integer(let time))? = form.state.attributes["time"]?.value
        else { return (0, 0) }
        guard case .known(.text(let text))? = form.state.attributes["revision"]?.value,
            text.hasSuffix(" " + identity),
            let revision = text.split(separator: " ").first.flatMap({ Int64($0) })
        else { return (time, 0) }
        return (time, revision)
    }

    /// Compares all records with the relay's, in any order, and puts those that it lacks. Absence is never a
    /// deletion.
    ///
    /// - Parameter isOlder: Whether the log is the known one, and lacks its newest revision.
    private func reconcile(_ mode: MirrorZone.Reconciliation, isOlder: Bool) async throws(MirrorError) {
        let purged = try await horizon(of: zone[.identity]).revision
        let listing = try await engine.list()
        zone[.unreadable] = 0
        var unseen = Dictionary(listing.map { ($0.key, $0) }) { $0.number > $1.number ? $0 : $1 }
        var (differing, older): ([String], Int64) = ([], 0)
        try await forEachPageOfMap { rows throws(MirrorError) in
            var missing: [MapRow] = []
            for row in rows {
                let key = engine.key(entity: row.entity, uuid: row.uuid)
                if let revision = unseen.removeValue(forKey: key) {
                    let isSame = row.revision == revision.number && row.stamp == revision.stamp
                    if isOlder, revision.number < row.revision { older += 1 }
                    if !isSame || mode.comparesValues { differing.append(key) }
                } else if row.revision != 0 {
                    missing.append(row)
                }
            }
            try await restore(missing, mode, purged: purged)
        }
        if older > 0 { try await noteOlder(older) }
        differing += unseen.keys
        var unreadable: [MirrorEntry] = []
        for start in stride(from: 0, to: differing.count, by: 500) {
            let keys = Array(differing[start..<min(start + 500, differing.count)])
            // The mode is not stored with a revision that is received later.
            let entries = mode.comparesValues ? try await wholeEntries(keys) : try await engine.get(keys)
            unreadable += try await take(entries, mode: mode)
        }
        try await repair(unreadable.filter(\.lacksRecord), newest: listing)
        (zone[.put], zone[.cursor], zone[.cursorStamp]) = (0, 0, 0)
        if let last = listing.max(by: { $0.number < $1.number }) { zone.moveCursor(to: last) }
        zone.reconciliation = zone[.unreadable] > 0 ? .compare : .none
        (hasDamage, compared) = (false, now())
        try await save { _ throws(StoreError) in }
    }

    /// Whether records were damaged or requested since the last comparison. A relay that damages without an end costs one
    /// comparison a minute.
    var mustRepair: Bool { hasDamage && now() - compared >= 60_000 }

    /// Lets damaged and requested records wait that this machine has, and requests the other damaged ones: a machine may
    /// have them that received them before they were damaged, or from another copy of a folder.
    private func repair(
        _ unreadable: [MirrorEntry], newest: [MirrorRevision]
    ) async throws(MirrorError) {
        guard !unreadable.isEmpty else { return }
        let newest = Dictionary(newest.map { ($0.key, $0.number) }, uniquingKeysWith: max)
        var missing = Dictionary(unreadable.map { ($0.revision.key, $0) }) {
            $0.revision.number > $1.revision.number ? $0 : $1
        }
        try await forEachPageOfMap { rows throws(MirrorError) in
            var found: [MapRow] = []
            for var row in rows where row.waiting == .none || row.waiting == .toPut {
                let key = engine.key(entity: row.entity, uuid: row.uuid)
                guard missing.removeValue(forKey: key) != nil else { continue }
                (row.revision, row.stamp, row.waiting) = (newest[key] ?? 0, 0, .toPut)
                found.append(row)
            }
            guard !found.isEmpty else { return }
            zone[.unreadable] -= Int64(found.count)
            let waiting = found
            try await save { transaction throws(StoreError) in
                for row in waiting { try row.save(in: &transaction, withState: false) }
            }
        }
        let requests = missing.values.filter(\.body.isEmpty).map {
            MirrorPut(
                key: $0.revision.key, expected: newest[$0.revision.key] ?? 0,
                stamp: Int64.random(in: 1 ... .max), body: MirrorEntry.request)
        }
        if !requests.isEmpty { _ = try await engine.put(requests) }
    }

    /// Adds to the number of records of which the relay presented an older revision than it had.
    private func noteOlder(_ count: Int64) async throws(MirrorError) {
        let (name, now) = (MapRow.name(MirrorNames.older, configuration.zone), now())
        try await save { transaction throws(StoreError) in
            var row = try transaction.snapshot.mapRows([name])[name] ?? MapRow(name: name)
            (row.revision, row.stamp) = (row.revision + count, now)
            try row.save(in: &transaction)
        }
    }

    /// Lets records wait that the relay had and lacks now. After a long absence, they may have been deleted: then
    /// those without unsent edits are deleted here. Deletions up to a revision, which another machine purged, are removed.
    private func restore(
        _ missing: [MapRow], _ mode: MirrorZone.Reconciliation, purged: Int64
    ) async throws(MirrorError) {
        guard !missing.isEmpty else { return }
        let mirrored = Dictionary(configuration.mirrored.map { ($0.name, $0) }) { $1 }
        var (gone, waiting): ([MapRow], [MapRow]) = ([], [])
        for row in missing {
            let isPurged =
                row.revision <= purged && mirrored[row.entity].map { !row.state.isAlive($0) } == true
            let isGone = row.waiting == .none && (mode == .rejoin || isPurged)
            if isGone { gone.append(row) } else { waiting.append(row) }
        }
        let isUncertain = mode.comparesValues
        let records = (isUncertain ? missing : gone).map { ($0.entity, $0.uuid) }
        let (configuration, number) = (configuration, position?.token.number ?? 0)
        let objects = try await read { snapshot throws(StoreError) in
            try snapshot.objects(of: records, configuration)
        }
        // A relay that a detached mirror joins forgot nothing.
        if zone[.cursor] > 0 { zone[.forgotten] += Int64(missing.count - gone.count) }
        var reordered: [(object: StoredObject, changes: [String: AttributeValue])] = []
        var texts = StateTexts()
        for index in waiting.indices {
            (waiting[index].revision, waiting[index].stamp, waiting[index].waiting) = (0, 0, .toPut)
            guard isUncertain, let object = objects[waiting[index].name],
                let values = values[waiting[index].entity]
            else { continue }
            // Nothing to compare with: an edit that the history lost must not have the clock of the value that it
            // replaced.
            let local = LocalTransaction(
                machine: zone.machine, number: number, milliseconds: LocalTransaction.unknownTime)
            waiting[index].state.edit(values.names, members: values.members(of: object), in: local)
            waiting[index].encode(&texts)
            let order = values.order(of: waiting[index].state, in: object)
            if !order.isEmpty { reordered.append((object, order)) }
        }
        let (rows, deleted, updates) = (waiting, gone, reordered)
        try await save(named: Self.confirmed) { transaction throws(StoreError) in
            let deletions = mode == .rejoin ? deleted.compactMap { objects[$0.name] } : []
            try transaction.apply(updates: updates, deletions: deletions)
            for row in deleted { try row.remove(in: &transaction) }
            for row in rows { try row.save(in: &transaction, withState: isUncertain) }
        }
    }
}
