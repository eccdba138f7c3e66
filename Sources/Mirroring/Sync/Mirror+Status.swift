package import FoundationEssentials
public import PersistentStore

/// The state of a mirror, as of its last commit.
public struct MirrorStatus: Hashable, Sendable {
    /// The number of objects with edits that wait to be put; of more than 1,000 transactions, their number.
    public let waiting: Int
    /// The number of large records that are received in parts.
    package let receiving: Int
    /// The number of records for which the relay accepts too few bytes.
    package let tooLarge: Int
    public let conflicts: Int
    /// The number of objects that other machines deleted, which wait for ``Mirror/allowRemovals(_:)`` or
    /// ``Mirror/keepRemovals(_:)``.
    public let removals: Int
    /// The number of records that the relay forgot and got again.
    package let forgotten: Int
    /// The number of records of which the relay presented an older revision than it had, as after a restored backup,
    /// and the last time.
    package let older: Int
    package let olderAt: Date?
    /// The number of records that cannot be read; they are skipped, and read again with each connection.
    package let unreadable: Int
    /// The milliseconds by which the relay's clock is ahead; 0 below two seconds.
    package let clockOffset: Int64
    /// The number of transactions that the history retains for the mirror.
    package let retained: Int
}

/// The work of a mirror.
package struct MirrorProgress: Hashable, Sendable {
    /// The number of records that were sent.
    package internal(set) var sent = 0
    /// The number of records that were received.
    package internal(set) var received = 0
    /// The share of a large record that was sent or received; nil if there is none.
    package internal(set) var share: Double?
}

extension MirrorConfiguration {
    /// Returns the state of the mirror, without the relay; nil if the store has none.
    nonisolated(nonsending) public func status(in container: PersistentContainer)
        async throws(MirrorError) -> MirrorStatus?
    {
        let consumer = consumer
        return try await read(container) { snapshot throws(StoreError) in
            guard let object = try snapshot.fetch(FetchRequest(MirrorNames.zone)).first else { return nil }
            let zone = MirrorZone(object)
            let record = try snapshot.consumers().first { $0.name == consumer }
            let name = MapRow.name(MirrorNames.older, self.zone)
            let older = try snapshot.mapRows([name])[name]
            return MirrorStatus(
                waiting: try snapshot.count(MapRow.request(.toPut)) + unabsorbed(of: record, in: snapshot),
                receiving: try snapshot.count(MapRow.request(.toRead)),
                tooLarge: try snapshot.count(MapRow.request(.tooLarge)),
                conflicts: try snapshot.count(FetchRequest(MirrorNames.conflict)),
                removals: try snapshot.count(MapRow.request(.held)),
                forgotten: Int(zone[.forgotten]), older: Int(older?.revision ?? 0),
                olderAt: older.map { Date(timeIntervalSince1970: Double($0.stamp) / 1000) },
                unreadable: Int(zone[.unreadable]),
                clockOffset: zone[.offset],
                retained: record?.lag ?? 0)
        }
    }

    /// Returns the number of objects whose edits have no clock yet.
    private func unabsorbed(
        of record: ConsumerStatus?, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Int {
        guard let record, record.lag > 0, record.lag <= 1000 else { return record?.lag ?? 0 }
        return try snapshot.objectsChanged(after: record.token).count { entity($0.entity) != nil }
    }

    /// Ends mirroring: releases the history and deletes the mirror's state. The objects remain, here and on the
    /// relay.
    nonisolated(nonsending) package func remove(from container: PersistentContainer) async throws(MirrorError)
    {
        do throws(StoreError) {
            try await container.removeConsumer(consumer)
            for entity in Self.entities {
                try await container.execute(.delete(entity.name), author: Self.author)
            }
        } catch {
            throw .store(error)
        }
    }

    nonisolated(nonsending) func read<Result: Sendable>(
        _ container: PersistentContainer,
        _ body: @Sendable (inout StoreSnapshot) throws(StoreError) -> Result
    ) async throws(MirrorError) -> Result {
        do throws(StoreError) { return try await container.read(body) } catch { throw .store(error) }
    }
}

extension Mirror {
    /// Returns the numbers of objects that an exchange would merge. Writes nothing, here or on the relay.
    public func preview() async throws(MirrorError) -> (onlyHere: Int, onlyOnRelay: Int, onBoth: Int) {
        try configuration.check(container.model)
        var there = Set(try await engine.list().map(\.key))
        for (entity, uuid) in [
            Self.horizon, Self.machines, (MirrorFormat.entity, MirrorFormat.uuid),
            (MirrorFormat.entity, MirrorFormat.notice),
        ] {
            there.remove(engine.key(entity: entity, uuid: uuid))
        }
        let total = there.count
        var here = 0
        for mirrored in configuration.mirrored {
            var request = FetchRequest(mirrored.name, limit: 5000)
            request.attributes = [mirrored.identifier]
            while true {
                let page = request
                let objects = try await read { snapshot throws(StoreError) in try snapshot.fetch(page) }
                guard let last = objects.last else { break }
                here += objects.count
                for object in objects {
                    let uuid = object[mirrored.identifier].textValue ?? ""
                    there.remove(engine.key(entity: mirrored.name, uuid: uuid))
                }
                request.after = try await read { snapshot throws(StoreError) in
                    snapshot.position(of: last, in: [])
                }
            }
        }
        let both = total - there.count
        return (here - both, there.count, both)
    }
}
