import ClipsCore
import FoundationEssentials
import Glibc
import MirrorRelay
import Mirroring
import PersistentStore
import Platform

extension Invocation {
    /// Ends the mirror of this store. The clips remain, here and on the server; what was not sent waits in the store
    /// for the next pairing. `delete-zone` also deletes the clips of the server.
    func remove() async throws -> Int32 {
        let path = try storePath()
        let files = MirrorFiles(store: path)
        guard files.isConfigured else { throw Sentence.noMirror(path) }
        let store = try await openStore()
        // Settings that are not readable must not prevent the end.
        let settings = try? MirrorSettings(store: path)
        let zone = if let settings { settings.zone } else { try await Self.zone(in: store.container) }
        let waiting = try await Self.waiting(in: store.container, zone: zone)
        let zoneEngine = word == "delete-zone" ? try await reachableEngine(path) : nil
        var question =
            zoneEngine != nil
            ? "Delete the zone '\(zone)' with all its clips from the \(settings?.server.noun ?? "server"), and end the mirror? The clips remain on the machines. One that still mirrors sends its clips again; run 'clips mirror remove' there first."
            : "End the mirror\(settings.map { " with \($0.server.url)" } ?? "")? The clips remain, here and \(settings?.server.folder == nil ? "on the server" : "in the folder")."
        if let waiting {
            question +=
                has("--discard")
                ? " Discarded: \(waiting)." : " Waiting here for 'clips mirror pair': \(waiting)."
        }
        guard try confirms(question) else { return 1 }
        removeUnit()
        // Without settings, no process begins to mirror, and those that wait to do so end.
        unlink(files.settings)
        let engine =
            try settings?.engine(store: path)
            ?? JetStreamEngine(
                ServerAddress("tls://localhost"), zone: zone, KeyRing(secret: MirrorSecret(), zone: zone))
        let configuration = ClipModel.mirrored(zone: zone)
        let mirror = Mirror(container: store.container, configuration: configuration, engine: engine)
        do { try await detach(mirror, named: configuration.consumer, of: store.container) } catch {
            try settings?.write(store: path)
            throw error
        }
        do { try await zoneEngine?.deleteZone() } catch {
            try settings?.write(store: path)
            throw error
        }
        if has("--discard") {
            try await configuration.remove(from: store.container)
            unlink(files.folderState)
        }
        unlink(files.report)
        unlink(files.keys)
        await store.close()
        remark(
            zoneEngine == nil ? "the mirror was removed." : "the zone was deleted, and the mirror removed.")
        if let waiting, !has("--discard") {
            remark(
                "waiting here for 'clips mirror pair': \(waiting). 'clips mirror conflicts' shows conflicts.")
        }
        return 0
    }

    /// The engine of a zone that exists, before anything ends.
    private func reachableEngine(_ path: String) async throws -> any RelayEngine {
        let settings = try MirrorSettings(store: path)
        let engine = try settings.engine(store: path)
        guard try await Self.state(of: engine).get() else {
            throw Sentence(
                "The \(settings.server.noun) has no zone '\(settings.zone)'; nothing was changed. Run 'clips mirror remove'."
            )
        }
        return engine
    }

    /// Deletes old deletions from the server and from this machine.
    func purge() async throws -> Int32 {
        let path = try storePath()
        let settings = try MirrorSettings(store: path)
        let word = operands.first ?? "\(Runner.deletionDays)"
        guard let days = Int(word), (0...100_000).contains(days) else {
            throw UsageError("'\(word)' is not a valid number of days.")
        }
        let engine = try settings.engine(store: path)
        guard engine.purgesDeletions else {
            throw Sentence(
                "A folder stores deletions indefinitely, about 150 bytes each; nothing was changed.")
        }
        if let report = MirrorReport(store: path), report.isCurrent {
            throw Sentence(
                "A running mirror purges deletions after \(Runner.deletionDays) days. To do so now, close the app and end 'clips mirror run' first."
            )
        }
        guard
            try confirms(
                "Purge deletions older than \(days) days? A machine that exchanged nothing since then asks before it deletes clips."
            )
        else { return 1 }
        let store = try await openStore()
        let mirror = Mirror(container: store.container, configuration: settings.configuration, engine: engine)
        let count = try await mirror.purgeDeletions(before: Runner.purgeDate(days: days))
        await engine.close()
        remark("purged \(count) deletion\(count == 1 ? "" : "s").")
        return try await end(store, settings)
    }

    /// Detaches the mirror, and ends the processes that mirror the store, which take over from one another.
    private func detach(
        _ mirror: Mirror, named name: String, of container: PersistentContainer
    ) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            do throws(MirrorError) {
                return try await mirror.detach()
            } catch {
                guard error == .standingBy, ContinuousClock.now < end else { throw error }
            }
            let consumers = try await container.read { try $0.consumers() }
            for consumer in consumers
            where consumer.name == name && consumer.isRunning {
                if let process = consumer.process, process != getpid() { kill(process, SIGTERM) }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The changes and conflicts that a mirror leaves, in words; nil if there are none.
    static func waiting(in container: PersistentContainer, zone: String) async throws -> String? {
        guard let status = try await ClipModel.mirrored(zone: zone).status(in: container) else { return nil }
        let count = { (count: Int, noun: String) in
            count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s")"
        }
        let parts = [count(status.waiting + status.tooLarge, "change"), count(status.conflicts, "conflict")]
        let words = parts.compactMap(\.self).joined(separator: " and ")
        return words.isEmpty ? nil : words
    }

    /// The zone of the mirror's consumer.
    static func zone(in container: PersistentContainer) async throws -> String {
        let names = try await container.read { try $0.consumers() }.map(\.name)
        let prefix = ClipModel.mirrored(zone: "").consumer
        return names.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            ?? ClipsLocation.defaultGroup
    }
}
