import Foundation
import TestSupport

/// The app in a separate tmux server.
struct AppSession {
    private let terminal: TmuxSession

    init(_ clips: ClipsProgram, columns: Int = 200, with more: [String: String] = [:]) throws {
        let environment = clips.environment.merging(["TMPDIR": "/tmp"]) { $1 }.merging(more) { $1 }
        terminal = try TmuxSession([ClipsProgram.path], columns: columns, rows: 30, environment: environment)
    }

    func shows(_ words: String) -> Bool { eventually { (try? terminal.shows(words)) ?? false } }

    func hides(_ words: String) -> Bool { eventually { !((try? terminal.shows(words)) ?? true) } }

    func type(_ keys: String) { try? terminal.send(keys) }

    var lines: [String] { (try? terminal.lines()) ?? [] }

    var process: pid_t { (try? terminal.format("#{pane_pid}")).flatMap { pid_t($0) } ?? 0 }

    /// The exit status; nil while the app runs.
    var endStatus: Int? {
        // tmux sometimes misses the end of a program until the next signal.
        if let server = (try? terminal.format("#{pid}")).flatMap({ pid_t($0) }) { kill(server, SIGCHLD) }
        return (try? terminal.format("#{pane_dead_status}")).flatMap { Int($0) }
    }
}
