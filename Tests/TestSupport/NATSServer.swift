import Foundation
import Glibc
import Synchronization

/// A `nats-server` with JetStream on a free port, with its own folder; deinit kills it.
package final class NATSServer: Sendable {
    /// The reason that tests with a server are skipped.
    package static let missing: String = "nats-server is not installed. Run: apt-get install nats-server"
    package static let isInstalled: Bool =
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            access("\($0)/nats-server", X_OK) == 0
        }

    package let folder: TemporaryFolder
    package let port: Int
    private let process = Mutex<pid_t>(0)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - configuration: Lines for its configuration file.
    ///   - folder: The folder for its files.
    package init(configuration: String = "", in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        port = try Self.freePort()
        try configure(configuration)
        try start()
    }

    /// Replaces the configuration, for the next start.
    package func configure(_ configuration: String) throws {
        let text = """
            listen: 127.0.0.1:\(port)
            http: 127.0.0.1:-1
            ports_file_dir: "\(folder.path)"
            jetstream { store_dir: "\(folder.path(of: "data"))" }
            \(configuration)
            """
        try text.write(toFile: folder.path(of: "conf"), atomically: true, encoding: .utf8)
    }

    deinit { stop() }

    package var url: String { "nats://127.0.0.1:\(port)" }
    /// For a server with a certificate.
    package var secureURL: String { "tls://localhost:\(port)" }
    package var dataFolder: String { folder.path(of: "data") }

    /// Starts the server, with the data of an earlier start, and waits until it listens.
    package func start() throws {
        let started = try Shell.spawn(
            ["nats-server", "-c", folder.path(of: "conf")], environment: [:], input: "/dev/null",
            output: folder.path(of: "out-\(UUID().uuidString)"),
            errors: folder.path(of: "log-\(UUID().uuidString)"))
        process.withLock { $0 = started }
        guard eventually({ Self.isListening(port) }) else {
            throw ShellError(description: "nats-server: no port")
        }
    }

    /// Ends the server with a signal, SIGKILL by default, and waits until it has exited.
    package func stop(_ signal: Int32 = SIGKILL) {
        let running = process.withLock { process in
            defer { process = 0 }
            return process
        }
        guard running > 0 else { return }
        kill(running, signal)
        _ = Shell.wait(for: running)
    }

    /// The messages that the server received from its clients so far.
    package func receivedMessages() throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let current = process.withLock { $0 }
        guard let name = names.first(where: { $0.hasSuffix("_\(current).ports") }),
            let json = try JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: folder.path(of: name)))) as? [String: Any],
            let address = (json["monitoring"] as? [String])?.first
        else { throw ShellError(description: "nats-server: no ports file") }
        let answer = try Shell.run("python3", ["-c", Self.fetch, address + "/varz"])
        guard answer.status == 0 else {
            throw ShellError(description: "nats-server: \(answer.errors.suffix(200))\n\(log.suffix(2000))")
        }
        let values = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
        return values?["in_msgs"] as? Int ?? -1
    }

    /// What the server printed since its first start.
    package var log: String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix("log-") }
            .map { (try? String(contentsOfFile: folder.path(of: $0), encoding: .utf8)) ?? "" }.joined()
    }

    private static let fetch =
        "import sys,urllib.request;print(urllib.request.urlopen(sys.argv[1]).read().decode())"

    /// The ports below those that the kernel assigns to clients: any connection of another process could take one of
    /// those between this check and the start of the server.
    private static let ports = 20_000..<32_000
    private static let assigned = Mutex<Set<Int>>([])

    /// Returns a port on which nothing listens, another one with each call.
    package static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: ports)
            if assigned.withLock({ $0.insert(port).inserted }), isFree(port) { return port }
        }
        throw ShellError(description: "no free port")
    }

    private static func isFree(_ port: Int) -> Bool { withSocket(port, bind) }
    private static func isListening(_ port: Int) -> Bool { withSocket(port, connect) }

    /// Calls bind(2) or connect(2) for a port of this machine, and returns whether it succeeded.
    private static func withSocket(
        _ port: Int, _ call: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt
    ) -> Bool {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
