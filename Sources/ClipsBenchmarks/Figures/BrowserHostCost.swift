import FoundationEssentials
import Glibc

extension Figure {
    static let browserHost = Figure(
        name: "F13", title: "the browser extension's host: start, answers, and saves, next to a C host"
    ) { workspace in
        let hosts = try HostCommands(workspace, workspace.clipsProgram())
        defer { hosts.end() }
        let (ours, probe) = (hosts.ours, hosts.probe)
        func starts(_ command: [String]) throws -> [Double] {
            try (0..<10).map { _ in
                let began = Moment.now
                let host = try HostClient(command)
                try host.save(1)
                return began.secondsSince
            }
        }
        let rounds = workspace.count(20, quick: 6)
        let start = try Comparison(
            rounds: rounds, warmsUp: true, ours: { try starts(ours) },
            reference: { try starts(probe) })
        let (host, bare) = (try HostClient(ours), try HostClient(probe))
        let single = try Comparison(
            rounds: rounds, warmsUp: true, ours: { try host.times(of: 50) },
            reference: { try bare.times(of: 50) })
        let many = try Comparison(
            rounds: rounds, warmsUp: true, ours: { [try host.save(200)] },
            reference: { [try bare.save(200)] })
        return [
            Measurement(
                "host from its start to the first saved clip", .time, start, reference: "C host",
                headline: "Browser host, start to the first saved clip"),
            Measurement(
                "a save, from the message to the answer", .time, single, reference: "C host",
                goal: .atMost(1.5), headline: "Browser host, a save until its answer"),
            Measurement(
                "a save, 200 messages at once", .time, many, reference: "C host",
                headline: "Browser host, each of 200 saves"),
        ]
    }
}

/// The command lines of our host and of one in C, each on a separate store.
struct HostCommands {
    let ours: [String]
    let probe: [String]

    init(_ workspace: Workspace, _ clips: String, own: String = "/proc/self/exe") throws {
        let stores = try [true, false].map { try workspace.newStore(clips: 1000, isTracked: $0) }
        // A browser passes no store.
        setenv("CLIPS_STORE", stores[0], 1)
        ours = [clips, HostClient.origin]
        probe = try Role.probeHost(store: stores[1]).commandLine(of: own)
    }

    func end() { unsetenv("CLIPS_STORE") }
}

/// The browser's end of a host.
final class HostClient {
    static let origin = "chrome-extension://ojgnjidhnielonpdmepdmlikfmjbkfjp/"
    private let process: ChildProcess
    private var number = 0

    init(_ command: [String]) throws { process = try ChildProcess(command) }

    /// Closes the host's input and returns when it has exited.
    func close() { _ = process.wait() }

    private func request() -> [UInt8] {
        number += 1
        let clip = """
            {"uuid":"\(UUID().uuidString.lowercased())","url":"\(SampleClip.url(number))",\
            "title":"\(SampleClip.title(number))","text":"\(SampleClip.text(number))"}
            """
        let message = Array("{\"id\":\(number),\"type\":\"save\",\"clips\":[\(clip)]}".utf8)
        return withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message
    }

    private func receive() throws {
        let header = try process.receive(4)
        let length = header.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
        let answer = String(decoding: try process.receive(length), as: UTF8.self)
        guard !answer.contains("\"error\"") else { throw BenchmarkError("the host answered \(answer)") }
    }

    /// Sends requests, then reads all answers; returns the time for each.
    @discardableResult
    func save(_ count: Int) throws -> Double {
        let requests = (0..<count).map { _ in request() }
        let began = Moment.now
        for request in requests { try process.send(request) }
        for _ in 0..<count { try receive() }
        return began.secondsSince / Double(count)
    }

    /// Returns the time of each of several saves, one after the other.
    func times(of count: Int) throws -> [Double] { try (0..<count).map { _ in try save(1) } }
}
