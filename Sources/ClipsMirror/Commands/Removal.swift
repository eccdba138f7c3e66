import ClipsCore
import FoundationEssentials
import Glibc
import MirrorRelay
import Mirroring
import PersistentStore
import Platform

extension Invocation {
    /// Ends the mirror of this store. The clips remain, here and on the server; what was not sent waits in the store
    /// for the next pairing.
    func remove() async throws -> Int32 {
        let path = try storePath()
        let files = MirrorFiles(store: path)
        guard files.isConfigured else { throw Sentence.noMirror(path) }
        let store = try await openStore()
        // Settings that are not readable must not prevent the end.
        let settings = try? MirrorSettings(store: path)
        let zone = if let settings { settings.zone } else { try await Self.zone(in: store.container) }
        let waiting = try await Self.waiting(in: store.container, zone: zone)
        var question =
            "End the mirror\(settings.map { " with \($0.server.url)" } ?? "")? The clips remain, here and on the server."
        if let waiting {
            question +=
                has("--discard")
                ? " Discarded: \(waiting)." : " Waiting here for 'clips mirror pair': \(waiting)."
        }
        guard try confirms(question) else { return 1 }
        removeUnit()
        try await endRunner(path)
        let engine =
            try settings?.engine()
            ?? JetStreamEngine(ServerAddress("tls://localhost"), zone: zone, secret: MirrorSecret())
        let mirror = Mirror(
            container: store.container, configuration: ClipModel.mirrored(zone: zone), engine: engine)
        try await mirror.detach()
        if has("--discard") { try await ClipModel.mirrored(zone: zone).remove(from: store.container) }
        unlink(files.settings)
        unlink(files.report)
        await store.close()
        remark("the mirror was removed.")
        if let waiting, !has("--discard") {
            remark(
                "waiting here for 'clips mirror pair': \(waiting). 'clips mirror conflicts' shows conflicts.")
        }
        return 0
    }

    /// Waits for the end of the process that mirrors the store.
    private func endRunner(_ path: String) async throws {
        guard let report = MirrorReport(store: path), report.isCurrent else { return }
        kill(report.process, SIGTERM)
        let end = ContinuousClock.now + .seconds(10)
        while report.isCurrent {
            guard ContinuousClock.now < end else {
                throw Sentence(
                    "Process \(report.process) mirrors the store and does not end. End it, then try again.")
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
