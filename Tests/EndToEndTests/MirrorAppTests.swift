import Foundation
import Glibc
import TestSupport
import Testing

/// The app as it starts the mirror of its store, on a real terminal.
@Suite(.serialized, .enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct MirrorAppTests {
    let machines: MirroredMachines
    private var a: ClipsProgram { machines.a }
    private var b: ClipsProgram { machines.b }
    private var server: NATSServer { machines.server }

    init() throws { machines = try MirroredMachines() }

    private func app(of machine: ClipsProgram) throws -> TmuxSession {
        try TmuxSession([ClipsProgram.path], columns: 160, rows: 24, environment: machine.environment)
    }

    @Test func `the app runs the mirror while it is open, and shows when it is unreachable`() async throws {
        try machines.pair()
        let terminals = [try app(of: a), try app(of: b)]
        for terminal in terminals { #expect(try await soon { try terminal.shows("live") }) }
        try a.run("add", "--title", "seen on both screens", "--url", "https://one.example")
        #expect(try await soon { try terminals[1].shows("seen on both screens") })

        server.stop()
        #expect(try await soon { try terminals[0].shows("mirror unreachable since") })
        try a.run("add", "--title", "offline", "--url", "https://two.example")
        #expect(try await soon { try terminals[0].shows(", 1 waiting") })
        try server.start()
        #expect(try await soon { try terminals[1].shows("offline") })
        #expect(try await soon { try !terminals[0].shows("unreachable") })

        // A second app of the same store starts no second mirror, and takes over after the first.
        let first = try machines.mirrorProcess(of: a)
        let second = try app(of: a)
        #expect(try await soon { try second.shows("live") })
        #expect(try machines.mirrorProcess(of: a) == first)
        terminals[0].killServer()
        #expect(await soon { kill(first, 0) != 0 })
        #expect(try await soon { try machines.mirrorProcess(of: a) != first })

        let last = try machines.mirrorProcess(of: a)
        try second.send("q")
        #expect(await soon { kill(last, 0) != 0 })
    }

    @Test func `a machine is paired on a terminal, which shows neither the code nor the password`()
        async throws
    {
        let guarded = try MirroredMachines(configuration: MirroredMachines.accounts(password: "geheim"))
        let password = try MirroredMachines.file("geheim", of: guarded.a)
        try guarded.a.run("add", "--title", "one", "--url", "https://one.example")
        let url = guarded.server.url
        let added = try guarded.a.run("mirror", "add", url, "--user", "ann", "--password-file", password)
        let code = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let terminal = try TmuxSession(
            [ClipsProgram.path, "mirror", "pair", url, "--user", "ann"], columns: 120, rows: 24,
            environment: guarded.b.environment)
        #expect(try await soon { try terminal.shows("Password of ann:") })
        try terminal.send("geheim", "Enter")
        #expect(try await soon { try terminal.shows("Pairing code:") })
        try terminal.send("FSN5-0FA1", "Enter")
        #expect(try await soon { try terminal.shows("The pairing code is not valid.") })
        try terminal.send(code.lowercased().replacingOccurrences(of: "-", with: " "), "Enter")
        #expect(try await soon { try terminal.shows("All machines will have 1. Continue? [y/N]") })
        #expect(try !terminal.shows("FSN5") && !terminal.shows(code.lowercased().prefix(4).description))
        #expect(try !terminal.shows("geheim") && guarded.b.sqlite3("SELECT count(*) FROM Clip;") == "0")
        try terminal.send("y", "Enter")
        #expect(try await soon { try terminal.shows("paired.") })
        #expect(try guarded.b.sqlite3("SELECT title FROM Clip;") == "one")
    }

    @Test func `a conflict is shown and resolved with keys`() async throws {
        try a.run("add", "--title", "shared", "--url", "https://one.example")
        try machines.pair()
        _ = try a.sqlite3("UPDATE Clip SET title = 'from a';")
        _ = try b.sqlite3("UPDATE Clip SET title = 'from b';")
        try machines.exchange(a, b, a, b)
        let shown = try a.sqlite3("SELECT title FROM Clip;")
        #expect(try b.sqlite3("SELECT title FROM Clip;") == shown)
        let lost = shown == "from a" ? "from b" : "from a"
        let machine = try #require([a, b].first { try $0.run("mirror", "conflicts").output.contains(lost) })
        let terminal = try app(of: machine)
        #expect(try await soon { try terminal.shows("1 conflict: c") })
        try terminal.send("c")
        #expect(try await soon { try terminal.shows("Edited on two machines: “\(shown)”") })
        #expect(try terminal.shows("now     \(shown)") && terminal.shows("lost    \(lost)"))
        try terminal.send("r")
        #expect(try await soon { try terminal.shows("Restored the title of “\(lost)” · u to undo") })
        #expect(try await soon { try !terminal.shows("1 conflict") })
        for machine in [a, b] {
            #expect(
                try await soon {
                    try machines.exchangeIfIdle(machine)
                    return try machine.sqlite3("SELECT title FROM Clip;") == lost
                })
        }
        #expect(try machine.run("mirror", "conflicts").errors.contains("there are no conflicts"))
    }

    @Test func `problems that the user must solve are shown in a few words`() async throws {
        let quota = try MirroredMachines(configuration: MirroredMachines.accounts(password: "one"))
        let password = try MirroredMachines.file("one", of: quota.a)
        try quota.pair("--user", "ann", "--password-file", password)
        let terminal = try app(of: quota.a)
        #expect(try await soon { try terminal.shows("live") })
        let noise = (0..<60_000).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
        try quota.a.run("add", "--title", "too much", "--url", "https://one.example", input: noise)
        #expect(try await soon { try terminal.shows("mirror: quota full, nothing lost, 1 waiting") })

        quota.server.stop()
        try quota.server.configure(MirroredMachines.accounts(password: "two"))
        try quota.server.start()
        #expect(try await soon { try terminal.shows("mirror: wrong password") })

        // Other machines use the zone of a new server.
        quota.server.stop()
        try FileManager.default.removeItem(atPath: quota.server.dataFolder)
        try quota.server.configure("")
        try quota.server.start()
        let other = try ClipsProgram()
        #expect(try other.run("mirror", "add", quota.server.url).status == 0)
        #expect(try await soon { try terminal.shows("mirror: wrong key, nothing written") })
        #expect(try quota.a.run("doctor").output.contains("wrong key"))
    }
}
