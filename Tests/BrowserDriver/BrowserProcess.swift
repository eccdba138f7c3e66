import Foundation
import Glibc
import TestSupport

/// The process of a browser, with those that it starts; deinit kills and reaps it.
final class BrowserProcess: Sendable {
    private let identifier: pid_t
    private let home: String

    init(
        _ words: [String], home: String, environment: [String: String], descriptors: [CInt] = []
    ) throws {
        self.home = home
        let own = ["HOME": home, "MOZ_CRASHREPORTER_DISABLE": "1", "MOZ_HEADLESS": "1", "TMPDIR": home]
        identifier = try Shell.spawn(
            words, environment: environment.merging(own) { $1 }, input: "/dev/null",
            output: home + "/output", errors: home + "/errors", descriptors: descriptors, isGroup: true)
    }

    deinit { end(within: 0) }

    /// Waits until the browser exits by itself, and kills it otherwise.
    func end(within seconds: Double) {
        let hasEnded = eventually(within: seconds) {
            waitpid(identifier, nil, WNOHANG) != 0
        }
        kill(-identifier, SIGKILL)
        if !hasEnded { _ = Shell.wait(for: identifier) }
    }

    /// The last lines that the browser printed, for messages.
    var complaint: String {
        let text = (try? String(contentsOfFile: home + "/errors", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(5).joined(separator: "\n")
    }
}
