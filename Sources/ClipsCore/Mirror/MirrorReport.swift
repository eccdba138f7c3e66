package import FoundationEssentials
package import Platform

/// The state of a store's mirror, which `clips-mirror` writes into a file next to the store.
package struct MirrorReport: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable {
        case connecting, connected
        /// Changes wait in the store.
        case unreachable
        /// A problem that the user must solve.
        case paused
    }

    package var state: State
    /// The start of the state.
    package var since: Date
    /// The number of changes that wait to be sent.
    package var waiting: Int
    package var conflicts: Int
    /// A sentence about the problem or the event; empty if there is none.
    package var message: String
    /// The writing process and its start time: a report outlives a process that is killed.
    package var process: Int32
    package var started: Int64

    package init(_ state: State, since: Date, waiting: Int = 0, conflicts: Int = 0, message: String = "") {
        self.state = state
        self.since = since
        self.waiting = waiting
        self.conflicts = conflicts
        self.message = message
        process = ProcessIdentity.current.process
        started = ProcessIdentity.current.start ?? 0
    }

    /// Whether the process that wrote the report is running.
    package var isCurrent: Bool { ProcessIdentity.isAlive(process, start: started) }

    /// Returns the report of a store's mirror; nil if there is none, or it is not readable.
    package init?(store path: String) {
        guard let text = TextFile.read(MirrorFiles(store: path).report),
            let report = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
        else { return nil }
        self = report
    }

    package func write(store path: String) throws(Errno) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let bytes = try? encoder.encode(self) else { return }
        let file = try ReplacementFile(of: MirrorFiles(store: path).report)
        try DescriptorIO.write(bytes, to: file.descriptor)
        try file.commit()
    }

    /// A few words for a status line; empty if all is well.
    package func summary(timeZone: TimeZone = .current) -> String {
        let waiting = self.waiting == 0 ? "" : ", \(self.waiting) waiting"
        guard isCurrent else { return "mirror stopped\(waiting)" }
        switch state {
        case .connecting: return "mirror connecting\(waiting)"
        case .connected:
            return conflicts == 0 ? "" : "mirror: \(conflicts) conflict\(conflicts == 1 ? "" : "s")"
        case .unreachable: return "mirror unreachable since \(Self.time(since, timeZone))\(waiting)"
        case .paused: return "mirror paused: \(message)"
        }
    }

    private static func time(_ date: Date, _ zone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        let minute = parts.minute ?? 0
        return "\(parts.hour ?? 0):\(minute < 10 ? "0" : "")\(minute)"
    }
}

/// The files of a store's mirror, next to the store.
package struct MirrorFiles: Sendable {
    private let path: String

    package init(store path: String) { self.path = FilePath.resolved(path) }

    /// The server, the zone, and the secret.
    package var settings: String { path + "-mirror" }
    /// The ``MirrorReport``.
    package var report: String { path + "-mirror-status" }

    package var isConfigured: Bool { FilePath.exists(settings) }
}
