import Foundation
import TestSupport
import Testing

/// Two home directories and one server.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct MirrorCommandTests {
    let machines: MirroredMachines
    private var a: ClipsProgram { machines.a }
    private var b: ClipsProgram { machines.b }
    private var server: NATSServer { machines.server }

    init() throws { machines = try MirroredMachines() }

    @Test func `a conflict keeps both values, and an emptied server loses nothing`() throws {
        try a.run("add", "--title", "shared", "--tag", "old", "--url", "https://a.example")
        try b.run("add", "--title", "of b", "--url", "https://b.example")
        try machines.pair()
        try machines.exchange(a)
        #expect(try machines.contents(a) == machines.contents(b))
        #expect(try a.sqlite3("SELECT count(*) FROM Clip;") == "2")

        // Both edit without the server.
        _ = try a.sqlite3("UPDATE Clip SET title = 'from a', tags = 'old,red' WHERE title = 'shared';")
        _ = try b.sqlite3("UPDATE Clip SET title = 'from b', tags = 'old,blue' WHERE title = 'shared';")
        try machines.exchange(a, b, a, b)
        #expect(try machines.contents(a) == machines.contents(b))
        let tags = try a.sqlite3("SELECT tags FROM Clip WHERE url = 'https://a.example';").split(
            separator: ",")
        #expect(Set(tags) == ["old", "red", "blue"])
        let title = try a.sqlite3("SELECT title FROM Clip WHERE url = 'https://a.example';")
        let lost = title == "from a" ? "from b" : "from a"
        let machine = try #require([a, b].first { try $0.run("mirror", "conflicts").output.contains(lost) })
        let restored = try machine.run("mirror", "conflicts", "--restore", "1")
        #expect(restored.status == 0, "\(restored)")
        try machines.exchange(machine, a, b)
        for machine in [a, b] {
            #expect(try machine.sqlite3("SELECT title FROM Clip WHERE url = 'https://a.example';") == lost)
            #expect(try machine.run("mirror", "conflicts").errors.contains("there are no conflicts"))
        }

        // The server is created again, empty; a third machine joins.
        server.stop()
        try FileManager.default.removeItem(atPath: server.dataFolder)
        try server.start()
        try machines.exchange(a, b)
        let c = try ClipsProgram()
        let paired = try c.run("mirror", "pair", server.url, "--yes", input: try machines.code(of: a))
        #expect(paired.status == 0, "\(paired)")
        #expect(try machines.contents(c) == machines.contents(a))
        #expect(try machines.contents(a) == machines.contents(b))
        #expect(try a.sqlite3("SELECT count(*) FROM Clip;") == "2")
    }

    @Test func `running mirrors exchange each commit, survive kill -9, and are silent when idle`()
        async throws
    {
        try machines.pair()
        var running = [try a.start(["mirror", "run"]), try b.start(["mirror", "run"])]
        defer { for process in running { process.terminate() } }
        func isConnected(_ machine: ClipsProgram) throws -> Bool {
            try machine.run("mirror", "status", "--json").output.contains(#""state":"connected""#)
        }
        #expect(try await soon { try isConnected(a) && isConnected(b) })
        try a.run("add", "--title", "one", "--url", "https://one.example")
        #expect(try await soon { try b.sqlite3("SELECT title FROM Clip;") == "one" })
        try b.run("delete", "1")
        #expect(try await soon { try a.sqlite3("SELECT count(*) FROM Clip;") == "0" })
        // Superseded messages are removed right after the acknowledgement.
        func isSilent(for seconds: Double) async throws -> Bool {
            let count = try server.receivedMessages()
            return try await !soon(within: seconds) { try server.receivedMessages() != count }
        }
        #expect(try await soon { try await isSilent(for: 1) })
        #expect(try await isSilent(for: 3))

        server.stop()
        try a.run("add", "--title", "offline", "--url", "https://two.example")
        #expect(
            try await soon {
                try a.run("mirror", "status", "--json").output.contains(#""state":"unreachable""#)
            })
        #expect(try a.run("mirror", "status").output.contains("waiting"))
        try server.start()
        #expect(try await soon { try b.sqlite3("SELECT title FROM Clip;") == "offline" })

        for machine in [a, b] {
            kill(try machines.mirrorProcess(of: machine), SIGKILL)
        }
        running += [try a.start(["mirror", "run"]), try b.start(["mirror", "run"])]
        try b.run("add", "--title", "after", "--url", "https://three.example")
        #expect(try await soon { try a.sqlite3("SELECT count(*) FROM Clip;") == "2" })
    }

    @Test func `a wrong code, a second add, and an unknown zone are refused`() throws {
        try machines.pair()
        let c = try ClipsProgram()
        try c.run("add", "--title", "of c", "--url", "https://c.example")
        for (arguments, input, status, sentence) in [
            (
                ["pair", server.url], "0000-0000-0000-0000-0000-0000-0001\n", Int32(1),
                "The pairing code is not valid."
            ),
            (["pair", server.url], "0000-0000-0000-0000-0000-0000-0000\n", 1, "not valid"),
            (["pair", server.url, "--zone", "x"], "", 1, "Nothing was entered"),
            (["add", server.url], "", 1, "other machines"),
            (["add", "nats://example.org"], "", 2, "Use tls://example.org"),
            (["add", "tls://ann:secret@example.org"], "", 2, "would be visible"),
            (["add"], "", 2, "Missing operand: URL."),
            (["status"], "", 1, "has no mirror"), (["frob"], "", 2, "Unknown operand"),
        ] {
            let run = try Shell.run(
                ClipsProgram.path, ["mirror"] + arguments, input: input, environment: c.environment)
            #expect(
                run.status == status && run.errors.contains(sentence) && run.output.isEmpty,
                "\(arguments) \(run)")
        }
        #expect(!FileManager.default.fileExists(atPath: c.storePath + "-mirror"))
        try machines.exchange(a)
        #expect(try a.sqlite3("SELECT count(*) FROM Clip;") == "0")
    }

    @Test func `pairing shows the counts first, and the secret is private`() throws {
        try a.run("add", "--title", "one", "--url", "https://one.example")
        let code = try a.run("mirror", "add", server.url).output
        try b.run("add", "--title", "two", "--url", "https://two.example")
        let refused = try b.run("mirror", "pair", server.url, input: code)
        #expect(
            refused.status == 1
                && refused.errors.contains("Clips and quotes on the server only: 1, here only"),
            "\(refused)")
        #expect(try b.sqlite3("SELECT count(*) FROM Clip;") == "1")
        #expect(!FileManager.default.fileExists(atPath: b.storePath + "-mirror"))
        let mode = try FileManager.default.attributesOfItem(atPath: a.storePath + "-mirror")[
            .posixPermissions]
        #expect(mode as? Int == 0o600)
        let password = b.folder.path(of: "password")
        try "secret".write(toFile: password, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: password)
        let open = try b.run("mirror", "pair", server.url, "--password-file", password, input: code)
        #expect(open.status == 1 && open.errors.contains("Other users can read"), "\(open)")
    }
}
