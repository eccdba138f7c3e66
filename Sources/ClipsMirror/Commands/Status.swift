import ClipsCore
import FoundationEssentials
import MirrorRelay
import Mirroring
import Platform

extension Invocation {
    /// Prints the state of the mirror, without the server.
    func status() async throws -> Int32 {
        let path = try storePath()
        guard MirrorFiles(store: path).isConfigured else { throw try await withoutMirror(path) }
        let settings = try MirrorSettings(store: path)
        let store = try await ClipStore.openToRead(path: path, author: "cli")
        let status = try await settings.configuration.status(in: store.container)
        await store.close()
        let report = MirrorReport(store: path).flatMap { $0.isCurrent ? $0 : nil }
        let object = StatusObject(
            server: settings.server.url, zone: settings.zone, running: report != nil,
            state: report?.state.rawValue, since: report?.since.formatted(.iso8601),
            message: report.flatMap { $0.message.isEmpty ? nil : $0.message },
            transfer: report?.transfer,
            waiting: status?.waiting ?? 0, receiving: status?.receiving ?? 0,
            tooLarge: status?.tooLarge ?? 0,
            conflicts: status?.conflicts ?? 0, deletions: status?.removals ?? 0,
            forgotten: status?.forgotten ?? 0,
            older: status?.older ?? 0, olderAt: status?.olderAt?.formatted(.iso8601),
            unreadable: status?.unreadable ?? 0, clockOffset: status?.clockOffset ?? 0,
            retained: status?.retained ?? 0)
        if has("--json") {
            try line(json: object)
        } else {
            for text in object.lines { line(text) }
        }
        return report?.state == .connected && object.conflicts + object.deletions == 0 ? 0 : 1
    }
}

extension Invocation {
    private func withoutMirror(_ path: String) async throws -> Sentence {
        guard FilePath.exists(path) else { return .noMirror(path) }
        let store = try await ClipStore.openToRead(path: path, author: "cli")
        let waiting = try await Self.waiting(in: store.container, zone: Self.zone(in: store.container))
        await store.close()
        return waiting.map {
            Sentence("The store has no mirror. Waiting for 'clips mirror pair': \($0).")
        } ?? .noMirror(path)
    }
}

/// The state of a mirror, and its JSON form.
private struct StatusObject: Encodable {
    let server: String
    let zone: String
    let running: Bool
    let state: String?
    let since: String?
    let message: String?
    let transfer: String?
    let waiting: Int
    let receiving: Int
    let tooLarge: Int
    let conflicts: Int
    let deletions: Int
    let forgotten: Int
    let older: Int
    let olderAt: String?
    let unreadable: Int
    let clockOffset: Int64
    let retained: Int

    var lines: [String] {
        var lines = ["server     \(server), zone \(zone)"]
        lines.append(
            running
                ? "state      \(state ?? "") since \(since ?? "")"
                : "state      not running; the app runs it while it is open, 'clips mirror enable' from each login on"
        )
        if let transfer { lines.append("transfer   \(transfer)") }
        if let message { lines.append("message    \(message)") }
        lines.append(
            "waiting    \(waiting == 0 ? "nothing" : "\(waiting) to be sent; nothing is lost")")
        if receiving > 0 { lines.append("receiving  \(receiving) large clip\(receiving == 1 ? "" : "s")") }
        if retained > 1000 { lines.append("history    retains \(retained) transactions for the mirror") }
        if conflicts > 0 { lines.append("conflicts  \(conflicts). Run 'clips mirror conflicts'.") }
        if deletions > 0 {
            lines.append(
                "deletions  \(deletions) by other machines wait. Run 'clips mirror once', or 'keep'.")
        }
        if forgotten > 0 { lines.append("server     forgot \(forgotten) clips, which were sent again") }
        if older > 0 {
            lines.append(
                "server     presented an older state of \(older) clips, last \(olderAt ?? ""); sent again")
        }
        if tooLarge > 0 { lines.append("too large  \(tooLarge) clips, which the server does not accept") }
        if unreadable > 0 { lines.append("skipped    \(unreadable) records that are not readable") }
        if clockOffset != 0 {
            lines.append(
                "clock      off by \(MirrorReport.seconds(clockOffset)). Set the time of this machine.")
        }
        return lines
    }
}
