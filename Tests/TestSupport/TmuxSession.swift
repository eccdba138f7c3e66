import Foundation

/// A real terminal: tmux, with its own server.
package final class TmuxSession: Sendable {
    private let socket: String
    private let environment: [String: String]

    /// Runs `command` (a program and its arguments, no shell) in a window of this size.
    package init(_ command: [String], columns: Int, rows: Int, environment: [String: String]) throws {
        socket = "clips-" + UUID().uuidString.prefix(8)
        self.environment = environment
        try tmux(
            ["-f", "/dev/null", "new-session", "-d", "-s", "0", "-x", "\(columns)", "-y", "\(rows)"]
                + Self.words(environment) + command)
        try tmux(["set-option", "-g", "remain-on-exit", "on"])
    }

    deinit { _ = try? tmux(["kill-server"]) }

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
        try tmux(["capture-pane", "-p", "-t", "0:0.\(pane)"]).split(
            separator: "\n", omittingEmptySubsequences: false
        )
        .map(String.init)
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
        try tmux(["display-message", "-p", "-t", "0:0.\(pane)", format]).trimmingCharacters(in: .newlines)
    }

    /// Returns the last copied text.
    package func buffer() -> String? { try? tmux(["show-buffer"]) }

    package func killServer() throws { try tmux(["kill-server"]) }

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> String {
        let result = try Shell.run("tmux", ["-L", socket] + arguments, environment: environment)
        guard result.status == 0 else {
            throw TmuxError(description: "tmux \(arguments.first ?? ""): \(result.errors)")
        }
        return result.output
    }

    private static func words(_ environment: [String: String]) -> [String] {
        environment.sorted { $0.key < $1.key }.flatMap { ["-e", "\($0.key)=\($0.value)"] }
    }
}

package struct TmuxError: Error, CustomStringConvertible {
    package let description: String
}
