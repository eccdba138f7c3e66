package import ClipsCore
import FoundationEssentials
import Platform

/// A check of the links of clips: several hosts at a time, and each with one request at a time and a pause.
///
/// Answers are saved as they arrive, so that the next run continues after the last saved one. A link whose answer is
/// not too old is not asked again.
///
/// - Complexity: Eight bytes for each clip, and an entry for each host.
package struct LinkCheckRun {
    package struct Pace: Sendable {
        package var parallel = 16
        /// The pause between two requests to a host.
        package var pause = Duration.seconds(1)
        /// The longest pause that a host may ask for in a run.
        package var maxWait = Duration.seconds(300)

        /// The time that a request may take.
        package var timeout = Duration.seconds(20)

        package init() {}
    }

    package struct Counts: Hashable, Sendable {
        /// The clips with a link to check, and those of them that have an answer that is not too old.
        package fileprivate(set) var total = 0
        package fileprivate(set) var known = 0
        package fileprivate(set) var checked = 0
        /// Whether no host answered, not even one that did before.
        package fileprivate(set) var isOffline = false
        package fileprivate(set) var isInterrupted = false

        package var left: Int { total - known - checked }
    }

    package struct NoCurl: Error, CustomStringConvertible {
        package let description = "curl could not be started; install it to check links."
    }

    /// The links of one host that wait.
    private struct Host {
        /// Clips, the next one last.
        var clips: [Int64] = []
        /// The request to repeat before them.
        var again: (url: String, isHead: Bool)?
        var waits = 0
    }

    /// The time at which a host may be asked again; the earliest is the greatest.
    private struct Turn: Comparable, Sendable {
        let time: ContinuousClock.Instant
        let host: String

        static func < (one: Turn, other: Turn) -> Bool { one.time > other.time }
    }

    package private(set) var counts = Counts()
    private let store: ClipStore
    private let pace: Pace
    private var hosts: [String: Host] = [:]
    private var turns = Heap<Turn>()
    private var running: [(host: String, probe: LinkProbe)] = []
    private var answers: [String: LinkAnswer] = [:]
    /// Failures that may be those of the network.
    private var suspects: [String: LinkAnswer] = [:]
    private var saved = ContinuousClock.now

    private static let maxSuspects = 20
    private static let maxWaits = 3
    private static let saveInterval = Duration.seconds(2)
    private static let maxUnsaved = 100

    package init(_ store: ClipStore, pace: Pace = Pace()) { (self.store, self.pace) = (store, pace) }

    /// Checks the links of clips.
    ///
    /// - Parameters:
    ///   - report: A closure called with each group of saved links, and often without any.
    ///   - isInterrupted: A closure checked ten times per second.
    package mutating func run(
        _ clips: [Int64], report: (Counts, [CheckedLink]) -> Void, isInterrupted: () -> Bool = { false }
    ) async throws {
        try await collect(clips)
        defer { for (_, probe) in running { probe.cancel() } }
        while !running.isEmpty || turns.max != nil {
            if isInterrupted() {
                counts.isInterrupted = true
                break
            }
            while running.count < pace.parallel, let turn = turns.max, turn.time <= .now {
                turns.removeMax()
                try await ask(turn.host)
            }
            wait()
            if suspects.count >= Self.maxSuspects || running.isEmpty && turns.max == nil {
                try await save(report)
                let isOnline = try await isOnline(unless: isInterrupted)
                counts.isInterrupted = isInterrupted()
                counts.isOffline = !isOnline && !counts.isInterrupted
                if !isOnline { break }
            }
            if answers.count >= Self.maxUnsaved || .now - saved >= Self.saveInterval {
                try await save(report)
            }
            report(counts, [])
        }
        try await save(report)
    }

    /// Finds the links to check, by host.
    private mutating func collect(_ clips: [Int64]) async throws {
        var busy: Set<String> = []
        for start in stride(from: 0, to: clips.count, by: 500) {
            let part = Array(clips[start..<min(clips.count, start + 500)])
            let links = try await store.links(of: part)
            counts.total += links.count
            for link in links {
                let host = ClipRow.site(of: link.url).lowercased()
                if link.mustWait { busy.insert(host) }
                if link.isDue {
                    hosts[host, default: Host()].clips.append(link.clip)
                } else {
                    counts.known += 1
                }
            }
        }
        for host in busy { hosts[host] = nil }
        for host in hosts.keys { hosts[host]?.clips.reverse() }
        turns = Heap(hosts.keys.map { Turn(time: .now, host: $0) })
    }

    /// Sends the next request to a host.
    private mutating func ask(_ host: String) async throws {
        var next = hosts[host]?.again
        hosts[host]?.again = nil
        while next == nil, let id = hosts[host]?.clips.popLast() {
            // The clip may have changed, and another one may have had the same address.
            guard let link = try await store.links(of: [id]).first, link.isDue else {
                counts.checked += 1
                continue
            }
            if answers[link.url] == nil, suspects[link.url] == nil {
                next = (link.url, true)
            } else {
                counts.checked += 1
            }
        }
        guard let next else {
            hosts[host] = nil
            return
        }
        guard let probe = LinkProbe(next.url, isHead: next.isHead, timeout: pace.timeout) else {
            throw NoCurl()
        }
        running.append((host, probe))
    }

    /// Waits for an answer, or for the turn of a host, and processes the answers.
    private mutating func wait() {
        var pause = Duration.milliseconds(100)
        if running.count < pace.parallel, let turn = turns.max {
            pause = min(pause, max(.zero, turn.time - .now))
        }
        let ready = DescriptorIO.poll(running.map(\.probe.descriptor), for: pause)
        for index in running.indices.reversed() where ready[index].hasEvent {
            guard let response = running[index].probe.read() else { continue }
            let (host, probe) = running.remove(at: index)
            apply(response, to: probe, of: host)
        }
    }

    private mutating func apply(_ response: LinkResponse, to probe: LinkProbe, of host: String) {
        if response.isFromHost {
            answers.merge(suspects) { first, _ in first }
            suspects = [:]
        }
        var pause = pace.pause
        switch response.verdict(on: probe.url, isHead: probe.isHead) {
        case .get: hosts[host]?.again = (probe.url, false)
        case .answer(let answer, let isOfNetwork):
            counts.checked += 1
            if isOfNetwork, !response.isFromHost {
                suspects[probe.url] = answer
            } else {
                answers[probe.url] = answer
            }
        case .wait(let text, let status):
            let wait = Self.duration(text)
            if wait <= pace.maxWait, hosts[host]?.waits ?? Self.maxWaits < Self.maxWaits {
                hosts[host]?.again = (probe.url, probe.isHead)
                hosts[host]?.waits += 1
                pause = max(pause, wait)
            } else {
                counts.checked += 1
                answers[probe.url] = .unclear(
                    "HTTP status \(status)", wait: Int64(wait.components.seconds) * 1000)
                // The others remain for a later run.
                hosts[host]?.clips = []
            }
        }
        turns.insert(Turn(time: .now + pause, host: host))
    }

    /// Returns the duration of `Retry-After` (RFC 9110, 10.2.3), at most a week.
    private static func duration(_ text: String) -> Duration {
        let seconds =
            Int64(text)
            ?? FileDate.milliseconds(text).map { ($0 - Date().milliseconds) / 1000 } ?? 60
        return .seconds(min(max(1, seconds), 7 * 86_400))
    }

    private mutating func save(_ report: (Counts, [CheckedLink]) -> Void) async throws {
        saved = .now
        guard !answers.isEmpty else { return }
        let links = try await store.record(answers)
        answers = [:]
        report(counts, links)
    }

    /// Decides, with addresses that were live, whether failures are those of the network, and adds them otherwise.
    private mutating func isOnline(unless isInterrupted: () -> Bool) async throws -> Bool {
        guard !suspects.isEmpty else { return true }
        urls: for url in try await store.liveAddresses(limit: 3) {
            guard var probe = LinkProbe(url, isHead: true, timeout: pace.timeout) else { throw NoCurl() }
            while true {
                guard !isInterrupted() else {
                    probe.cancel()
                    break urls
                }
                let ready = DescriptorIO.poll([probe.descriptor], for: .milliseconds(100))
                guard ready[0].hasEvent, let response = probe.read() else { continue }
                guard response.isFromHost else { break }
                answers.merge(suspects) { first, _ in first }
                suspects = [:]
                return true
            }
        }
        counts.checked -= suspects.count
        suspects = [:]
        return false
    }
}
