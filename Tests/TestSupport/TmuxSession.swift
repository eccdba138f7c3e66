import Foundation
import Synchronization

/// A real terminal: tmux, with its own server, which this process controls as a client (CONTROL MODE of tmux(1)).
package final class TmuxSession: Sendable {
    private let environment: [String: String]
    private let client: LineProcess
    private let isAsking = Mutex(())

    /// Runs `command` (a program and its arguments, no shell) in a window of this size.
    package init(_ command: [String], columns: Int, rows: Int, environment: [String: String]) throws {
        self.environment = environment
        let options = ["-L", "clips-" + UUID().uuidString.prefix(8), "-f", "/dev/null", "-C"]
        let session = ["new-session", "-f", "no-output", "-s", "0", "-x", "\(columns)", "-y", "\(rows)"]
        client = try LineProcess(
            "tmux",
            options + ["start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";"] + session
                + Self.words(environment) + command, environment: environment)
        while try !client.answer().hasPrefix("%session-changed") {}
    }

    deinit { killServer() }

    /// Adds a second pane to the right of the first.
    package func splitSideBySide(_ command: [String]) throws {
        try tmux(["split-window", "-h", "-t", "0:0.0"] + Self.words(environment) + command)
    }

    /// Sends keys by tmux's names, such as `Enter` or `C-d`; other text is typed unchanged.
    package func send(_ keys: String..., pane: Int = 0) throws {
        try tmux(["send-keys", "-t", "0:0.\(pane)"] + keys)
    }

    package func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-t", "0:0", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The lines of a pane, as shown.
    package func lines(pane: Int = 0) throws -> [String] {
        try tmux(["capture-pane", "-p", "-t", "0:0.\(pane)"])
    }

    package func shows(_ words: String, pane: Int = 0) throws -> Bool {
        try lines(pane: pane).contains { $0.contains(words) }
    }

    /// The line that the terminal's cursor is on.
    package func cursorLine(pane: Int = 0) throws -> String {
        let row = Int(try format("#{cursor_y}", pane: pane)) ?? 0
        let lines = try lines(pane: pane)
        return row < lines.count ? lines[row] : ""
    }

    /// Returns tmux's value of a format, such as `#{pane_pid}`; see FORMATS in tmux(1).
    package func format(_ format: String, pane: Int = 0) throws -> String {
        try tmux(["display-message", "-p", "-t", "0:0.\(pane)", format]).joined()
    }

    /// Returns the last copied text.
    package func buffer() -> String? { (try? tmux(["show-buffer"]))?.joined(separator: "\n") }

    package func killServer() {
        client.send("kill-server")
        _ = client.waitsForEnd()
    }

    /// Returns the lines of a command's answer.
    @discardableResult
    private func tmux(_ arguments: [String]) throws -> [String] {
        try isAsking.withLock { _ in
            client.send(arguments.map(Self.quoted).joined(separator: " "))
            var begin = ""
            while !begin.hasPrefix("%begin ") || !begin.hasSuffix(" 1") { begin = try client.answer() }
            let number = begin.dropFirst("%begin".count)
            var lines: [String] = []
            while true {
                let line = try client.answer()
                if line == "%end" + number { return lines }
                if line == "%error" + number {
                    throw TmuxError(description: "tmux \(arguments.first ?? ""): \(lines)")
                }
                lines.append(line)
            }
        }
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.replacing("'", with: #"'"'"'"#).replacing("\n", with: #"'"\n"'"#) + "'"
    }

    private static func words(_ environment: [String: String]) -> [String] {
        environment.sorted { $0.key < $1.key }.flatMap { ["-e", "\($0.key)=\($0.value)"] }
    }
}

package struct TmuxError: Error, CustomStringConvertible {
    package let description: String
}
