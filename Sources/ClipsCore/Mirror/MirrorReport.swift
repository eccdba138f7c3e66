package import FoundationEssentials
package import Mirroring
package import Platform

/// The state of a store's mirror, which `clips-mirror` writes into a file next to the store.
package struct MirrorReport: Codable, Hashable, Sendable {
    package enum State: String, Codable, Sendable {
        case connecting, connected
        /// Changes wait in the store.
        case unreachable
        case wrongPassword = "wrong password"
        case wrongKey = "wrong key"
        case excluded
        case quotaFull = "quota full"
        case newerFormat = "newer format"
        case absentTooLong = "absent too long"
        /// Another problem, which the message describes.
        case paused

        /// Whether the mirror waits for an answer of the user.
        package var isQuestion: Bool { self == .absentTooLong }

        package init(_ error: MirrorError) {
            self =
                switch error {
                case .unreachable: .unreachable
                case .unauthorized: .wrongPassword
                case .wrongKey: .wrongKey
                case .excluded: .excluded
                case .quotaExceeded: .quotaFull
                case .newerFormat: .newerFormat
                case .absentTooLong: .absentTooLong
                default: .paused
                }
        }
    }

    package var state: State
    /// The start of the state.
    package var since: Date
    /// The number of changes that wait to be sent.
    package var waiting: Int
    package var conflicts: Int
    /// A sentence about the problem; empty if there is none.
    package var message: String
    /// The number of clips that the server forgot and got again, and the time when this was noticed.
    package var forgotten = 0
    package var forgotAt: Date?
    /// The number of clips of which the server presented an older state, and the last time.
    package var older = 0
    package var olderAt: Date?
    /// The number of clips that other machines deleted, which wait for an answer.
    package var removals = 0
    /// The number of clips that the server does not accept because of their size.
    package var tooLarge = 0
    /// The number of records on the server that cannot be read.
    package var unreadable = 0
    /// The milliseconds by which the server's clock is ahead; 0 below two seconds.
    package var clockOffset: Int64 = 0
    /// The number of exchanges that began, or failed, since the process started.
    package var attempts = 0
    /// The number of records that the exchange so far sent and received, and the share of a large one.
    package var sent = 0
    package var received = 0
    package var share: Double?
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
        try ReplacementFile.write(bytes, to: MirrorFiles(store: path).report)
    }

    /// A few words for a status line, without the conflicts; empty if all is well.
    package func summary(timeZone: TimeZone = .current, at now: Date = Date()) -> String {
        let waiting = self.waiting == 0 ? "" : ", \(self.waiting) waiting"
        guard isCurrent else { return "mirror not running\(waiting)" }
        switch state {
        case .connecting: return transfer.map { "mirror: \($0)\(waiting)" } ?? "mirror connecting\(waiting)"
        case .connected: return remarks(at: now).first.map { "mirror: \($0)" } ?? ""
        case .unreachable: return "mirror unreachable since \(Self.time(since, timeZone))\(waiting)"
        case .wrongPassword: return "mirror: wrong password\(waiting)"
        case .wrongKey: return "mirror: wrong key, nothing written\(waiting)"
        case .excluded: return "mirror: excluded, pair again\(waiting)"
        case .quotaFull: return "mirror: quota full, nothing lost\(waiting)"
        case .newerFormat: return "mirror: newer format, update clips\(waiting)"
        case .absentTooLong: return "mirror: absent too long, join with 'clips mirror once'"
        case .paused: return "mirror paused: \(message)"
        }
    }

    /// The progress of an exchange; nil if there is none.
    package var transfer: String? {
        let parts = [
            sent > 0 ? "\(sent) sent" : nil, received > 0 ? "\(received) received" : nil,
            share.map { "a large clip \(Int($0 * 100)) %" },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private func remarks(at now: Date) -> [String] {
        var remarks: [String] = []
        if removals > 0 { remarks.append("\(removals) deletions, confirm with 'clips mirror once'") }
        if clockOffset != 0 { remarks.append("clock off by \(Self.seconds(clockOffset))") }
        if let forgotAt, now.timeIntervalSince(forgotAt) < Self.newsLasts {
            remarks.append("server forgot \(forgotten), sent again")
        }
        if let olderAt, now.timeIntervalSince(olderAt) < Self.newsLasts {
            remarks.append("server presented an older state of \(older), sent again")
        }
        if tooLarge > 0 { remarks.append("\(tooLarge) too large for the server") }
        if unreadable > 0 { remarks.append("\(unreadable) not readable") }
        return remarks
    }

    /// The seconds for which an event is shown that requires no action.
    private static let newsLasts = 600.0

    package static func seconds(_ milliseconds: Int64) -> String {
        let seconds = (abs(milliseconds) + 500) / 1000
        return seconds < 120 ? "\(seconds) s" : seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
    }

    private static func time(_ date: Date, _ zone: TimeZone) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        let minute = parts.minute ?? 0
        return "\(parts.hour ?? 0):\(minute < 10 ? "0" : "")\(minute)"
    }
}
