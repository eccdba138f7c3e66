import Foundation
import TestSupport
import Testing

/// Pairing codes, and machines that are excluded.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct MirrorKeyTests {
    let machines: MirroredMachines
    private var a: ClipsProgram { machines.a }
    private var b: ClipsProgram { machines.b }

    init() throws { machines = try MirroredMachines() }

    private func pair(_ machine: ClipsProgram, _ url: String, _ code: String) throws -> Shell {
        try MirroredMachines.run(machine, ["pair", url, "--yes"], input: code + "\n")
    }

    private func settings(_ machine: ClipsProgram) -> [String] {
        ["-mirror", "-mirror-keys"].filter {
            FileManager.default.fileExists(atPath: machine.storePath + $0)
        }
    }

    @Test func `a pairing code pairs one machine, with a server`() throws {
        try a.run("add", "--title", "one", "--url", "https://one.example")
        let code = try machines.pair()
        let c = try ClipsProgram()
        let again = try pair(c, machines.server.url, code)
        #expect(again.status == 1 && again.errors.contains("The code is not valid here"), "\(again)")
        #expect(settings(c).isEmpty)
        // Any machine of the mirror creates another one.
        #expect(try pair(c, machines.server.url, try machines.code(of: b)).status == 0)
        #expect(try machines.contents(c) == machines.contents(a))
        let mode = try FileManager.default.attributesOfItem(atPath: c.storePath + "-mirror-keys")
        #expect(mode[.posixPermissions] as? Int == 0o600)
        // The code is not the key.
        let secret = try String(contentsOfFile: a.storePath + "-mirror", encoding: .utf8)
        #expect(!secret.contains(code))
        #expect(try a.run("mirror", "remove", "--yes").status == 0 && settings(a).isEmpty)
    }

    @Test func `a pairing code pairs one machine, with a folder`() throws {
        let folder = try TemporaryFolder()
        let url = "folder:\(folder.path(of: ""))"
        try a.run("add", "--title", "one", "--url", "https://one.example")
        let code = try MirroredMachines.run(a, ["add", url]).output
        #expect(try pair(b, url, code).status == 0)
        let c = try ClipsProgram()
        #expect(try pair(c, url, code).errors.contains("The code is not valid here"))
        #expect(try pair(c, url, try machines.code(of: b)).status == 0)
        #expect(try machines.contents(c) == machines.contents(a))
    }

    @Test func `an excluded machine stops with a sentence, and joins again with a new code`() throws {
        try a.run("add", "--title", "one", "--url", "https://one.example")
        let added = try MirroredMachines.run(a, ["add", machines.server.url])
        #expect(added.status == 0, "\(added)")
        // Another host name, for the second machine.
        let options = [
            "--user", "--uts", "--map-root-user", "sh", "-c", "hostname machine-b && exec \"$@\"", "sh",
        ]
        guard try Shell.run("unshare", options + ["true"]).status == 0 else { return }
        func asB(_ words: String..., input: String = "") throws -> Shell {
            try Shell.run(
                "unshare", options + [ClipsProgram.path, "mirror"] + words, input: input,
                environment: b.environment)
        }
        let paired = try asB("pair", machines.server.url, "--yes", input: added.output)
        #expect(paired.status == 0, "\(paired)")
        try machines.exchange(a)
        let unknown = try a.run("mirror", "exclude", "other", "--yes")
        #expect(unknown.status == 1 && unknown.errors.contains("Those that do: machine-b."), "\(unknown)")
        let asked = try a.run("mirror", "exclude", "machine-b")
        #expect(
            asked.status == 1 && asked.errors.contains("Exclude machine-b? Only this machine gets"),
            "\(asked)")
        let unused = try machines.code(of: a)
        let excluded = try a.run("mirror", "exclude", "machine-b", "--yes")
        #expect(excluded.status == 0 && excluded.errors.contains("change it there"), "\(excluded)")
        try a.run("add", "--title", "two", "--url", "https://two.example")
        try machines.exchange(a)
        let refused = try asB("once")
        #expect(
            refused.status == 1 && refused.errors.contains("changed the key without this one"), "\(refused)")
        #expect(try b.sqlite3("SELECT count(*) FROM Clip;") == "1")
        // Codes of the former key ended.
        let c = try ClipsProgram()
        #expect(try pair(c, machines.server.url, unused).errors.contains("The code is not valid here"))
        #expect(try asB("remove", "--yes").status == 0)
        #expect(
            try asB("pair", machines.server.url, "--yes", input: try machines.code(of: a)).status == 0)
        #expect(try b.sqlite3("SELECT count(*) FROM Clip;") == "2")
    }

    @Test(arguments: [false, true])
    func `a running mirror follows a change of the key, and seals its clips again`(usesFolder: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let url = usesFolder ? "folder:\(folder.path(of: ""))" : machines.server.url
        for number in 0..<3 { try a.run("add", "--title", "clip \(number)") }
        let code = try MirroredMachines.run(a, ["add", url]).output
        #expect(try pair(b, url, code).status == 0)
        let running = [try a.start(["mirror", "run"]), try b.start(["mirror", "run"])]
        defer { for process in running { process.terminate() } }
        #expect(
            try await soon {
                try [a, b].allSatisfy { try $0.run("mirror", "status").output.contains("connected") }
            })
        let rotated = try a.run("mirror", "rotate", "--yes")
        #expect(rotated.status == 0 && rotated.errors.contains("the running mirror seals"), "\(rotated)")
        try b.run("add", "--title", "after")
        #expect(try await soon { try a.sqlite3("SELECT count(*) FROM Clip;") == "4" })
        try a.run("add", "--title", "after, too")
        #expect(try await soon { try b.sqlite3("SELECT count(*) FROM Clip;") == "5" })
    }
}
