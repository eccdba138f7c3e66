import Foundation
import TestSupport
import Testing

/// Two home directories and one server.
struct MirroredMachines {
    let server: NATSServer
    let (a, b): (ClipsProgram, ClipsProgram)

    init(configuration: String = "") throws {
        server = try NATSServer(configuration: configuration)
        (a, b) = (try ClipsProgram(), try ClipsProgram())
    }

    /// Starts a mirror on the first machine, and joins it on the second.
    ///
    /// - Returns: The pairing code.
    @discardableResult
    func pair(_ options: String...) throws -> String {
        let added = try Self.run(a, ["add", server.url] + options)
        #expect(added.status == 0, "\(added)")
        let code = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let paired = try Self.run(b, ["pair", server.url, "--yes"] + options, input: code + "\n")
        #expect(paired.status == 0, "\(paired)")
        return code
    }

    /// Returns a new pairing code of a machine.
    func code(of machine: ClipsProgram) throws -> String { try machine.run("mirror", "code").output }

    func exchange(_ machines: ClipsProgram...) throws {
        for machine in machines {
            let run = try Self.run(machine, ["once"])
            #expect(run.status == 0, "\(run)")
        }
    }

    /// Exchanges changes, unless a mirror is running.
    func exchangeIfIdle(_ machine: ClipsProgram) throws {
        _ = try Self.run(machine, ["once"])
    }

    func contents(_ machine: ClipsProgram) throws -> String {
        try machine.sqlite3("SELECT uuid, title, note, tags, starred FROM Clip ORDER BY uuid;")
    }

    /// The process that wrote the state of the mirror.
    func mirrorProcess(of machine: ClipsProgram) throws -> pid_t {
        let report = try String(contentsOfFile: machine.storePath + "-mirror-status", encoding: .utf8)
        let number = try #require(report.firstMatch(of: /"process":(\d+)/)?.1)
        return try #require(pid_t(number))
    }

    /// The configuration of a server with one user, `ann`.
    static func accounts(password: String) -> String {
        """
        accounts {
          ann { jetstream { max_file: 300KB }, users: [{ user: ann, password: "\(password)" }] }
        }
        """
    }

    /// A file with a password, which only its owner can read.
    static func file(_ password: String, of machine: ClipsProgram) throws -> String {
        let path = machine.folder.path(of: "password-" + password)
        try (password + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    static func run(_ machine: ClipsProgram, _ words: [String], input: String = "") throws -> Shell {
        try Shell.run(ClipsProgram.path, ["mirror"] + words, input: input, environment: machine.environment)
    }
}
