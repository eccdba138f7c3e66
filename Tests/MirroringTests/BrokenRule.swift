import MirrorTesting
import PersistentStore
import Synchronization

@testable import Mirroring

/// A rule of the merge that a machine breaks, because its relay or its store is replaced.
enum BrokenRule: CaseIterable {
    /// The revision at the highest known number is taken for the one that was there.
    case lineageIsTrusted
    /// The same, for its own puts only.
    case ownPutsAreTrusted
    /// An import replaces the local state instead of joining with it.
    case importsReplace
    /// A record that the relay lacks is deleted.
    case absenceIsDeletion
    /// Local edits are imported over, without clocks.
    case editsGetNoClocks
    /// The import cursor is saved before the objects.
    case cursorPrecedesObjects
    /// A reconciliation that was interrupted does not begin again.
    case reconciliationIsDiscarded

    /// The first history in which the violation is noticed.
    var seed: UInt64 {
        switch self {
        case .lineageIsTrusted, .ownPutsAreTrusted, .absenceIsDeletion: 11
        case .importsReplace: 8
        case .editsGetNoClocks: 1
        case .cursorPrecedesObjects: 60
        case .reconciliationIsDiscarded: 114
        }
    }

    var defect: MirrorDefect {
        var defect = MirrorDefect()
        let known = KnownRevisions()
        switch self {
        case .lineageIsTrusted, .ownPutsAreTrusted:
            let includesReceived = self == .lineageIsTrusted
            defect.engine = { engine in
                var engine = RewritingEngine(engine)
                engine.stored = { puts, numbers in
                    for (put, number) in zip(puts, numbers) {
                        guard case .stored(let number) = number else { continue }
                        known.add(MirrorRevision(key: put.key, number: number, stamp: put.stamp, time: 0))
                    }
                }
                engine.received = { entries in
                    if includesReceived { for entry in entries { known.add(entry.revision) } }
                    return entries
                }
                engine.checked = { number, revision in known.revision(number) ?? revision }
                return engine
            }
        case .importsReplace:
            defect.engine = { engine in
                var engine = RewritingEngine(engine)
                engine.received = { $0.map(\.withGreatestClocks) }
                return engine
            }
        case .absenceIsDeletion:
            defect.damage = {
                try await $0.setZone([.reconciling: MirrorZone.Reconciliation.rejoin.rawValue])
            }
        case .editsGetNoClocks:
            defect.damage = { container in
                let token = try await container.currentToken()
                do {
                    try await container.resetCursor(of: Book.configuration.consumer, to: token)
                } catch StoreError.unknownConsumer { return false }
                return true
            }
        case .cursorPrecedesObjects:
            defect.engine = { engine in
                var engine = RewritingEngine(engine)
                engine.received = { entries in
                    for entry in entries { known.add(entry.revision) }
                    return entries
                }
                return engine
            }
            defect.damage = { container in
                guard let newest = known.takeNewest() else { return false }
                return try await container.setZone([
                    .cursor: newest.number, .cursorStamp: newest.stamp, .cursorTime: newest.time,
                ])
            }
        case .reconciliationIsDiscarded:
            defect.damage = { try await $0.setZone([.reconciling: 0]) }
        }
        return defect
    }
}

/// The revisions that a machine has put or received.
private final class KnownRevisions: Sendable {
    private let revisions = Mutex<[Int64: MirrorRevision]>([:])

    func add(_ revision: MirrorRevision) { revisions.withLock { $0[revision.number] = revision } }

    func revision(_ number: Int64) -> MirrorRevision? { revisions.withLock { $0[number] } }

    func takeNewest() -> MirrorRevision? {
        revisions.withLock { revisions in
            defer { revisions.removeAll() }
            return revisions.values.max { $0.number < $1.number }
        }
    }
}

extension PersistentContainer {
    /// Sets values of the mirror's state; does nothing before the mirror has one.
    fileprivate func setZone(_ values: [MirrorZone.Number: Int64]) async throws -> Bool {
        guard let zone = try await fetch(FetchRequest(MirrorNames.zone)).first else { return false }
        let context = makeContext(author: MirrorConfiguration.author)
        try await context.update(
            zone.id, Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, .integer($0.value)) }))
        try await context.save()
        return true
    }
}

extension MirrorEntry {
    /// The record with clocks that win on each machine that receives it.
    fileprivate var withGreatestClocks: MirrorEntry {
        guard var form = try? RecordForm(body) else { return self }
        for name in form.state.attributes.keys {
            form.state.attributes[name]?.clock.milliseconds += 1_000_000
            form.state.attributes[name]?.seen = VersionVector()
        }
        return MirrorEntry(revision: revision, body: form.bytes)
    }
}
