import Foundation
import TestSupport

/// A proxy in Python between a machine and a real server, whose first line is its port; deinit kills it.
final class ProxyProcess: Sendable {
    private let folder: TemporaryFolder
    private let process: pid_t
    let url: String

    init(_ script: String, _ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        process = try Shell.spawn(
            ["python3", "-c", script] + arguments, environment: [:], input: "/dev/null",
            output: folder.path(of: "port"), errors: folder.path(of: "errors"))
        func port() -> String {
            (try? String(contentsOfFile: folder.path(of: "port"), encoding: .utf8)) ?? ""
        }
        guard eventually({ port().hasSuffix("\n") }) else {
            throw ShellError(description: "the proxy has no port")
        }
        url = "nats://127.0.0.1:" + port().trimmingCharacters(in: .newlines)
    }

    deinit {
        kill(process, SIGKILL)
        _ = Shell.wait(for: process)
    }
}
