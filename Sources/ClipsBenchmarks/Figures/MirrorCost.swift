import ClipsCore
import Glibc
import Platform

extension Figure {
    static let mirrorCost = Figure(
        name: "F15",
        title: "the mirror: puts, a new machine, another machine's screen, and 200 machines"
    ) { workspace in
        guard PeerFolder.has("nats-server", for: "F15") else { return [] }
        let server = try RelayServer(workspace)
        let records = workspace.count(100_000, quick: 20_000)
        let clips = records.grouped
        let rounds = workspace.count(5, quick: 3)
        func compare(_ role: String) throws -> Comparison {
            var (ours, bare) = (0, 0)
            return try Comparison(
                rounds: rounds,
                ours: {
                    ours += 1
                    return try server.run(role, "ours\(ours)", records)
                },
                reference: {
                    bare += 1
                    return try server.run("bare-" + role, "bare\(bare)", records)
                })
        }
        let (puts, reads) = (try compare("put"), try compare("read"))
        return [
            Measurement(
                "\(clips) sealed records put", .time, puts, reference: "libnats alone", goal: .atMost(2),
                headline: "Mirror, \(clips) sealed records put"),
            Measurement(
                "\(clips) records read and opened", .time, reads, reference: "libnats alone",
                goal: .atMost(2), headline: "Mirror, \(clips) records read and opened"),
        ]
            + (try MirroredMachines(workspace, server, clips: records).measure(puts, reads))
            + (try manyMachines(server, workspace.count(200, quick: 20)))
    }

    /// Machines with one clip each, which all others must get.
    private static func manyMachines(_ server: RelayServer, _ count: Int) throws -> [Measurement] {
        let machines = try server.start("machines", "many", count)
        _ = try machines.receive()
        let before = try server.messages()
        try machines.send([1])
        let nanoseconds = try machines.receive()
        let messages = try server.messages() - before
        let kind = "\(count) machines, one clip each"
        return [
            Measurement("\(kind): until all have all", .time, [Double(nanoseconds) / 1e9]),
            Measurement("\(kind): messages per machine and clip", .count, [messages / Double(count * count)]),
        ]
    }
}

/// Two stores with a `clips-mirror` each, and the app on the second.
private struct MirroredMachines {
    private let workspace: Workspace
    private let server: RelayServer
    private let clips: Int
    private let program: String
    private let (first, second): (String, String)

    init(_ workspace: Workspace, _ server: RelayServer, clips: Int) throws {
        (self.workspace, self.server, self.clips) = (workspace, server, clips)
        program = try workspace.neighbor("clips-mirror")
        (first, second) = try (workspace.newStore(clips: clips), workspace.newPath("second.db"))
    }

    /// - Parameters:
    ///   - puts: The puts of libnats alone.
    ///   - reads: Its reads.
    func measure(_ puts: Comparison, _ reads: Comparison) throws -> [Measurement] {
        let before = try server.size()
        let (added, paired) = try exchange()
        let size = try server.size() - before
        let text = clips.grouped
        let bare = "libnats alone"
        return [
            Measurement("\(text) clips sent by clips-mirror", .time, [added.seconds])
                .next(to: bare, puts.reference),
            Measurement("\(text) clips received by a new machine", .time, [paired.seconds])
                .next(to: bare, reads.reference),
            Measurement("peak memory of clips-mirror, sending", .memory, [added.peakMemory]),
            Measurement("peak memory of clips-mirror, receiving", .memory, [paired.peakMemory]),
            Measurement("bytes per clip on the server", .count, [size / Double(clips)]),
        ] + (try screen())
    }

    /// The first exchanges of two machines.
    private func exchange() throws -> (added: ChildProcess.Exit, paired: ChildProcess.Exit) {
        let adding = try ChildProcess([program, "add", server.url, "--store", first], isQuiet: true)
        let added = adding.wait(measuringMemory: true)
        let code = adding.readAll()
        let pairing = try ChildProcess(
            [program, "pair", server.url, "--yes", "--store", second], isQuiet: true)
        try pairing.send(code)
        let paired = pairing.wait(measuringMemory: true)
        guard added.status == 0, paired.status == 0 else { throw BenchmarkError("clips-mirror failed") }
        return (added, paired)
    }

    private func screen() throws -> [Measurement] {
        let mirrors = try [first, second].map { store in
            try ChildProcess([program, "run", "--store", store], hasPipes: false, isQuiet: true)
        }
        defer { for mirror in mirrors { mirror.kill() } }
        try [first, second].forEach(waitForConnection)
        let commits = try PaintedCommits(
            workspace.app(second), showing: SampleClip.title(clips - 1), .writer(store: first))
        try commits.measure(5)
        let times = try commits.measure(workspace.count(300, quick: 60))
        let memory = mirrors.map { ProcessUsage(process: $0.id).memory }
        return [
            Measurement(
                "commit until painted on another machine", .time, times, goal: .atMost(0.01),
                headline: "Mirror, commit to another machine's screen"),
            Measurement("memory of clips-mirror, connected", .memory, memory),
        ]
    }

    /// The first exchange of a machine reads back what it has put.
    private func waitForConnection(_ store: String) throws {
        let clock = ContinuousClock()
        let limit = clock.now + .seconds(300)
        while MirrorReport(store: store)?.state != .connected {
            guard clock.now < limit else { throw BenchmarkError("clips-mirror does not connect") }
            usleep(10_000)
        }
    }
}
