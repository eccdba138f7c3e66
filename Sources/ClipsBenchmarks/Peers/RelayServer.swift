import Glibc

/// A `nats-server` with JetStream, its counters, and the programs that measure it.
final class RelayServer {
    let url: String
    private let process: ChildProcess
    private let monitor: Int
    private let folder: String
    private let tool: String

    init(_ workspace: Workspace) throws {
        tool = try workspace.neighbor("RelayTool")
        folder = workspace.newPath("nats")
        let port = 20_000 + Int(getpid()) % 20_000
        (url, monitor) = ("nats://127.0.0.1:\(port)", port + 20_000)
        process = try ChildProcess(
            ["nats-server", "-a", "127.0.0.1", "-p", "\(port)", "-m", "\(monitor)", "-js", "-sd", folder],
            hasPipes: false, isQuiet: true)
        // The server listens as soon as a first role succeeds.
        let began = Moment.now
        while (try? run("bare-put", "warm", 1)) == nil {
            guard began.secondsSince < 10 else { throw BenchmarkError("nats-server does not listen") }
        }
    }

    deinit { process.kill() }

    /// The bytes of all files.
    func size() throws -> Double {
        let text = try ChildProcess.output(of: ["du", "-sb", folder])
        return Double(text.prefix { $0.isNumber }) ?? 0
    }

    /// The messages that the server received and sent so far.
    func messages() throws -> Double {
        let request =
            #"exec 3<>/dev/tcp/127.0.0.1/\#(monitor); printf 'GET /varz HTTP/1.0\r\n\r\n' >&3; cat <&3"#
        let text = try ChildProcess.output(of: ["bash", "-c", request])
        let counts = ["in_msgs", "out_msgs"].compactMap { name in
            text.firstRange(of: "\"\(name)\":").flatMap { range in
                Double(text[range.upperBound...].drop { $0 == " " }.prefix { $0.isNumber })
            }
        }
        guard counts.count == 2 else { throw BenchmarkError("nats-server reports no messages") }
        return counts[0] + counts[1]
    }

    /// Runs a role of RelayTool, and returns its seconds.
    func run(_ role: String, _ zone: String, _ count: Int) throws -> [Double] {
        let text = try ChildProcess.output(of: [tool, role, url, zone, "\(count)"])
        let values = text.split(separator: "\n").compactMap { Double($0) }
        guard !values.isEmpty else { throw BenchmarkError("RelayTool \(role) failed") }
        return values
    }

    func start(_ role: String, _ zone: String, _ count: Int) throws -> ChildProcess {
        try ChildProcess([tool, role, url, zone, "\(count)"])
    }
}
