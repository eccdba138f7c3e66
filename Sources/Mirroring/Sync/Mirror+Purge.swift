public import FoundationEssentials
import HistoryTracking
import PersistentStore

extension Mirror {
    /// Removes deletions from the relay and from this machine.
    ///
    /// A machine that was absent since then cannot distinguish a deleted object from a new one: it gets
    /// ``MirrorError/absentTooLong`` and must join again with ``rejoin()``.
    ///
    /// - Parameter date: The relay's time before which deletions are removed.
    /// - Returns: The number of removed deletions.
    /// - Throws: ``MirrorError/other(_:)`` if the engine cannot remove them.
    @discardableResult
    public func purgeDeletions(before date: Date) async throws(MirrorError) -> Int {
        guard engine.purgesDeletions else { throw .other("it stores deletions indefinitely") }
        try await sync()
        return try await exchange { () throws(MirrorError) in try await purge(before: date) }
    }

    /// Returns the relay's time of the oldest deletion; nil if there is none. Asks the relay only for a deletion that this
    /// machine knows, so that an idle machine that has none sends nothing.
    ///
    /// - Returns: The distant past for one that another machine purged.
    package func oldestDeletion() async throws(MirrorError) -> Date? {
        guard engine.purgesDeletions else { return nil }
        return try await exchange { () throws(MirrorError) in
            var oldest = Int64.max
            try await forEachDeletion { row in oldest = min(oldest, row.revision) }
            guard oldest < .max else { return nil }
            guard let revision = try await engine.entry(at: oldest) else { return .distantPast }
            return Date(timeIntervalSince1970: Double(revision.time) / 1000)
        }
    }

    private func forEachDeletion(_ body: (MapRow) -> Void) async throws(MirrorError) {
        try await forEachPageOfMap { rows throws(MirrorError) in
            for row in rows where row.waiting == .none && row.revision > 0 {
                guard let mirrored = configuration.entity(row.entity), !row.state.isAlive(mirrored) else {
                    continue
                }
                body(row)
            }
        }
    }

    private func purge(before date: Date) async throws(MirrorError) -> Int {
        let limit = Int64((date.timeIntervalSince1970 * 1000).rounded(.down))
        let revisions = try await engine.list()
        let (listing, keys) = (
            Dictionary(revisions.map { ($0.number, $0) }) { $1 }, Set(revisions.map(\.key))
        )
        var purged: [(row: MapRow, revision: MirrorRevision)] = []
        // The relay lost nothing, and newer revisions were received: another machine purged these.
        var others: [MapRow] = []
        try await forEachDeletion { row in
            if let revision = listing[row.revision] {
                if revision.stamp == row.stamp, revision.time < limit { purged.append((row, revision)) }
            } else if !keys.contains(engine.key(entity: row.entity, uuid: row.uuid)) {
                others.append(row)
            }
        }
        if !others.isEmpty { try await remove(others) }
        guard let newest = purged.map(\.revision).max(by: { $0.number < $1.number }) else { return 0 }
        let time = purged.map(\.revision.time).max() ?? newest.time
        zone[.cursorTime] = max(zone[.cursorTime], time)
        // First, so that a machine that misses a deletion always finds the reason.
        try await putHorizon(time, revision: newest.number)
        for (row, revision) in purged { try await engine.remove(revision.key, upTo: row.revision) }
        try await remove(purged.map(\.row))
        return purged.count
    }

    private func remove(_ rows: [MapRow]) async throws(MirrorError) {
        try await save { transaction throws(StoreError) in
            for row in rows { try row.remove(in: &transaction) }
        }
    }

    private func putHorizon(_ time: Int64, revision: Int64) async throws(MirrorError) {
        let name = MapRow.name(Self.horizon.entity, Self.horizon.uuid)
        var row =
            try await read { snapshot throws(StoreError) in try snapshot.mapRows([name])[name] }
            ?? MapRow(name: name)
        let previous = row.state.attributes["time"]
        if case .known(.integer(let known))? = previous?.value, known >= time { return }
        let local = LocalTransaction(
            machine: zone.machine, number: position?.token.number ?? 0, milliseconds: time)
        guard let clock = local.clock(after: previous?.clock, seen: nil) else { return }
        row.state.attributes["time"] = .init(clock: clock, value: .known(.integer(time)))
        row.state.attributes["revision"] = .init(
            clock: clock, value: .known(.text("\(revision) \(zone[.identity])")))
        row.waiting = .toPut
        let changed = row
        try await save { transaction throws(StoreError) in try changed.save(in: &transaction) }
        try await export()
    }

    /// Joins again after a long absence: objects that the relay had and lacks now were deleted, and are deleted
    /// here, except those with edits that were never sent.
    public func rejoin() async throws(MirrorError) {
        try await exchange { () throws(MirrorError) in
            try await start()
            zone.reconciliation = .rejoin
            try await save { _ throws(StoreError) in }
        }
        try await sync()
    }
}
