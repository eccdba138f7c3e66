import Glibc
import Platform

extension Figure {
    static let mirrorCost = Figure(
        name: "F15",
        title: "the mirror: puts, a new machine, and a commit until another machine's list has it"
    ) { workspace in
        guard PeerFolder.has("nats-server", for: "F15") else { return [] }
        let tool = try workspace.neighbor("RelayTool")
        let port = 20_000 + Int(getpid()) % 20_000
        let server = try ChildProcess(
            ["nats-server", "-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", workspace.newPath("nats")],
            hasPipes: false, isQuiet: true)
        defer { server.kill() }
        let records = workspace.count(100_000, quick: 20_000)
        let rounds = workspace.count(5, quick: 3)
        var zones = 0
        func run(_ role: String, _ zone: String, _ count: Int) throws -> [Double] {
            let text = try ChildProcess.output(of: [tool, role, "nats://127.0.0.1:\(port)", zone, "\(count)"])
            let values = text.split(separator: "\n").compactMap { Double($0) }
            guard !values.isEmpty else { throw BenchmarkError("RelayTool \(role) failed") }
            return values
        }
        // The server listens as soon as a first role succeeds.
        let began = Moment.now
        while (try? run("bare-put", "warm", 1)) == nil {
            guard began.secondsSince < 10 else { throw BenchmarkError("nats-server does not listen") }
        }
        func both(_ prefix: String) -> String {
            zones += 1
            return "\(prefix)\(zones)"
        }
        var (written, bareWritten): ([String], [String]) = ([], [])
        let puts = try Comparison(
            rounds: rounds,
            ours: {
                written.append(both("ours"))
                return try run("put", written[written.count - 1], records)
            },
            reference: {
                bareWritten.append(both("bare"))
                return try run("bare-put", bareWritten[bareWritten.count - 1], records)
            })
        var (next, nextBare) = (0, 0)
        let reads = try Comparison(
            rounds: rounds,
            ours: {
                defer { next += 1 }
                return try run("read", written[next], records)
            },
            reference: {
                defer { nextBare += 1 }
                return try run("bare-read", bareWritten[nextBare], records)
            })
        let clips = Quantity.grouped(records)
        let latency = try run("latency", "latency", workspace.count(300, quick: 60))
        return [
            Measurement(
                "\(clips) sealed records put", .time, puts, reference: "libnats alone", goal: .atMost(2)),
            Measurement(
                "\(clips) records read and opened", .time, reads, reference: "libnats alone", goal: .atMost(2)
            ),
            Measurement("commit until another machine's list has it", .time, latency, goal: .atMost(0.01)),
        ]
    }
}
