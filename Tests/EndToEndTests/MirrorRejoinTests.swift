import Foundation
import Glibc
import TestSupport
import Testing

/// Machines that leave a mirror with changes that were not sent, and join again.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct MirrorRejoinTests {
    let machines: MirroredMachines
    private var a: ClipsProgram { machines.a }
    private var b: ClipsProgram { machines.b }
    private let options: [String]

    init() throws {
        machines = try MirroredMachines(configuration: MirroredMachines.accounts(password: "one"))
        options = ["--user", "ann", "--password-file", try MirroredMachines.file("one", of: machines.a)]
    }

    private func pair() throws -> String { try machines.pair(options[0], options[1], options[2], options[3]) }

    private func changePassword() throws {
        machines.server.stop()
        try machines.server.configure(MirroredMachines.accounts(password: "two"))
        try machines.server.start()
    }

    private func add(_ count: Int) throws {
        try a.run(
            "add", "--jsonl",
            input: (1...count).map { "{\"title\":\"clip \($0)\",\"url\":\"https://\($0).example\"}\n" }
                .joined())
    }

    @Test func `unsent edits and deletions, and conflicts, survive remove and pair`() throws {
        try add(4)
        _ = try pair()
        // A conflict that is not resolved.
        _ = try a.sqlite3("UPDATE Clip SET note = 'a' WHERE title = 'clip 4';")
        _ = try b.sqlite3("UPDATE Clip SET note = 'b' WHERE title = 'clip 4';")
        try machines.exchange(a, b, a)
        let conflicts = try b.run("mirror", "conflicts", "--json").output
        #expect(!conflicts.isEmpty)
        try changePassword()
        _ = try b.sqlite3("UPDATE Clip SET note = 'unsent' WHERE title = 'clip 1';")
        _ = try b.sqlite3("DELETE FROM Clip WHERE title = 'clip 2';")
        _ = try b.sqlite3("UPDATE Clip SET note = 'edited offline' WHERE title = 'clip 3';")
        _ = try a.sqlite3("DELETE FROM Clip WHERE title = 'clip 3';")

        let asked = try b.run("mirror", "remove")
        #expect(
            asked.errors.contains("Waiting here for 'clips mirror pair': 3 changes and 1 conflict."),
            "\(asked)")
        #expect(try b.run("mirror", "remove", "--yes").status == 0)
        #expect(
            try b.run("mirror", "status").errors.contains(
                "Waiting for 'clips mirror pair': 3 changes and 1 conflict."))
        #expect(try b.run("mirror", "conflicts", "--json").output == conflicts)
        let two = ["--user", "ann", "--password-file", try MirroredMachines.file("two", of: a)]
        for machine in [a, b] {
            if machine.storePath == a.storePath {
                #expect(try MirroredMachines.run(a, ["password"] + two).status == 0)
                try machines.exchange(a)
            } else {
                let paired = try MirroredMachines.run(
                    b, ["pair", machines.server.url, "--yes"] + two, input: try machines.code(of: a))
                #expect(paired.status == 0, "\(paired)")
            }
        }
        try machines.exchange(a, b, a)
        #expect(try machines.contents(a) == machines.contents(b))
        let notes = try a.sqlite3("SELECT title || ' ' || note FROM Clip ORDER BY title;").split(
            separator: "\n")
        #expect(notes.count == 3 && notes.prefix(2) == ["clip 1 unsent", "clip 3 edited offline"])
        #expect(try b.run("mirror", "conflicts", "--json").output == conflicts)
    }

    @Test func `a new password is checked, and a running mirror uses it`() async throws {
        try add(1)
        _ = try pair()
        let process = try b.start(["mirror", "run"])
        defer { process.terminate() }
        func state() throws -> String { try b.run("mirror", "status").output }
        #expect(try await soon { try state().contains("connected") })
        try changePassword()
        #expect(try await soon { try state().contains("wrong password") })
        let one = try MirroredMachines.run(b, ["password"] + options)
        #expect(one.status == 1 && one.errors.contains("the settings remain as they were"), "\(one)")
        let two = try MirroredMachines.run(
            b, ["password", "--user", "ann", "--password-file", try MirroredMachines.file("two", of: b)])
        #expect(two.status == 0, "\(two)")
        #expect(try await soon { try state().contains("connected") })
    }

    @Test func `remove ends all processes that mirror the store, or wait to`() async throws {
        try add(1)
        _ = try pair()
        let running = try (0..<3).map { _ in try b.start(["mirror", "run", "--quiet"]) }
        defer { for process in running { process.terminate() } }
        #expect(try await soon { try b.run("mirror", "status").output.contains("connected") })
        // A process that takes over has not reported yet.
        try FileManager.default.removeItem(atPath: b.storePath + "-mirror-status")
        let removed = try b.run("mirror", "remove", "--yes")
        #expect(removed.status == 0, "\(removed)")
        let consumers = try b.run("consumers", "--json").output.split(separator: "\n")
        #expect(consumers.filter { $0.contains("mirror:clips") && $0.contains(#""running":true"#) }.isEmpty)
        #expect(await soon { running.allSatisfy { !$0.isRunning } })
        #expect(try b.run("mirror", "status").errors.contains("has no mirror"))
    }

    @Test func `remove discards what was not sent only when it is told to`() throws {
        try add(1)
        let code = try pair()
        try changePassword()
        _ = try b.sqlite3("UPDATE Clip SET note = 'unsent';")
        let removed = try b.run("mirror", "remove", "--discard")
        #expect(removed.errors.contains("Discarded: 1 change."), "\(removed)")
        #expect(try b.run("mirror", "remove", "--discard", "--yes").status == 0)
        #expect(try !b.run("mirror", "status").errors.contains("Waiting"))
        #expect(try b.run("consumers").output.contains("mirror") == false)
        #expect(!code.isEmpty)
    }

    @Test func `settings that are not readable do not prevent removal`() throws {
        try add(1)
        _ = try pair()
        _ = try b.sqlite3("UPDATE Clip SET note = 'unsent';")
        try "{".write(toFile: b.storePath + "-mirror", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: b.storePath + "-mirror")
        #expect(try b.run("mirror", "once").errors.contains("Run 'clips mirror remove'"))
        let removed = try b.run("mirror", "remove", "--yes")
        #expect(removed.status == 0 && removed.errors.contains("1 change"), "\(removed)")
        let paired = try MirroredMachines.run(
            b, ["pair", machines.server.url, "--yes"] + options, input: try machines.code(of: a))
        #expect(paired.status == 0, "\(paired)")
        try machines.exchange(a)
        #expect(try a.sqlite3("SELECT note FROM Clip;") == "unsent")
    }

    @Test func `the pairing code is printed before anything is sent, and another one later`() throws {
        let noise = (0..<60_000).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
        try a.run("add", "--title", "too much", "--url", "https://one.example", input: noise)
        let added = try MirroredMachines.run(a, ["add", machines.server.url] + options)
        #expect(added.status == 1 && added.errors.contains("quota on the server is full"), "\(added)")
        let code = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(code.split(separator: "-").count == 7)
        let again = try a.run("mirror", "code")
        #expect(again.output != added.output && again.errors.contains("--user ann"), "\(again)")
        let paired = try MirroredMachines.run(
            b, ["pair", machines.server.url, "--yes"] + options, input: code + "\n")
        #expect(paired.status == 0, "\(paired)")
        #expect(
            try MirroredMachines.run(a, ["add", machines.server.url] + options).errors.contains(
                "has a mirror"))
    }

    @Test func `of two machines that add a zone at once, one is told to pair`() throws {
        let started = try [a, b].map { try $0.start(["mirror", "add", machines.server.url] + options) }
        for process in started { process.waitUntilExit() }
        #expect(started.map(\.terminationStatus).sorted() == [0, 1])
        let configured = [a, b].filter { FileManager.default.fileExists(atPath: $0.storePath + "-mirror") }
        #expect(configured.count == 1)
    }

    @Test func `an open app shows a mirror that is added and removed`() async throws {
        try add(1)
        let terminal = try TmuxSession(
            [ClipsProgram.path], columns: 100, rows: 24, environment: a.environment)
        #expect(try await soon { try terminal.shows("live") })
        _ = try pair()
        try b.run("add", "--title", "from b", "--url", "https://b.example")
        try machines.exchange(b)
        #expect(try await soon { try terminal.shows("from b") })
        try changePassword()
        #expect(try await soon { try terminal.shows("mirror: wrong password") })
        #expect(try a.run("mirror", "remove", "--yes").status == 0)
        #expect(try await soon { try !terminal.shows("mirror: wrong") && !terminal.shows("not running") })
    }
}
