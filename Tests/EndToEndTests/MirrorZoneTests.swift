import Foundation
import Glibc
import TestSupport
import Testing

/// The server's copy: its setup, old deletions, and its end.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct MirrorZoneTests {
    @Test func `delete-zone deletes the server's copy, and the clips remain`() throws {
        let machines = try MirroredMachines()
        try machines.pair()
        _ = try machines.a.run("add", "https://example.com/1", "--title", "One")
        try machines.exchange(machines.a, machines.b)
        #expect(try MirroredMachines.run(machines.b, ["remove", "--yes"]).status == 0)
        let asked = try MirroredMachines.run(machines.a, ["delete-zone"])
        #expect(asked.status == 1 && asked.errors.contains("sends its clips again"), "\(asked)")
        let deleted = try MirroredMachines.run(machines.a, ["delete-zone", "--yes"])
        #expect(deleted.status == 0, "\(deleted)")
        #expect(try machines.contents(machines.a).contains("One"))
        let again = try MirroredMachines.run(machines.a, ["delete-zone", "--yes"])
        #expect(again.status == 1 && again.errors.contains("has no mirror"), "\(again)")
        // The server has no zone of another key.
        let added = try MirroredMachines.run(machines.b, ["add", machines.server.url])
        #expect(added.status == 0 && added.errors.contains("sent 1 clip."), "\(added)")
    }

    @Test func `delete-zone deletes the files of a folder, and no others`() throws {
        let (clips, folder) = (try ClipsProgram(), try TemporaryFolder())
        _ = try clips.run("add", "https://example.com/1", "--title", "One")
        let added = try MirroredMachines.run(clips, ["add", "folder:\(folder.path)"])
        #expect(added.status == 0, "\(added)")
        let zone = folder.path(of: "clips-mirror-clips")
        try "mine".write(toFile: zone + "/notes.txt", atomically: true, encoding: .utf8)
        let deleted = try MirroredMachines.run(clips, ["delete-zone", "--yes"])
        #expect(deleted.status == 0, "\(deleted)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: zone) == ["notes.txt"])
    }

    @Test func `purge deletes old deletions only`() throws {
        let machines = try MirroredMachines()
        try machines.pair()
        _ = try machines.a.run("add", "https://example.com/1")
        try machines.exchange(machines.a, machines.b)
        _ = try machines.a.run("delete", "1", "--yes")
        try machines.exchange(machines.a, machines.b)
        let young = try MirroredMachines.run(machines.a, ["purge", "--yes"])
        #expect(young.status == 0 && young.errors.contains("purged 0 deletions."), "\(young)")
        let all = try MirroredMachines.run(machines.a, ["purge", "0", "--yes"])
        #expect(all.status == 0 && all.errors.contains("purged 1 deletion."), "\(all)")
        #expect(try MirroredMachines.run(machines.a, ["purge", "x"]).errors.contains("number of days"))
        try machines.exchange(machines.b)
        #expect(try machines.contents(machines.b) == "")
    }

    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Assets/mirror-server").path

    /// The script of the documentation, with the files of a system in a folder.
    @Test(.enabled(if: getuid() == 0 && getpwnam("nats") != nil, "requires root and the user nats"))
    func `a server that the script sets up works as its own user`() throws {
        let root = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: root.path(of: "etc"), withIntermediateDirectories: true)
        chmod(root.path, 0o711)
        let port = try NATSServer.freePort()
        func setUp(_ password: String) throws -> Shell {
            try Shell.run(
                "bash", [Self.script, "localhost", "ann"], input: password + "\n",
                environment: ["ROOT": root.path, "PORT": "\(port)", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        }
        #expect(try setUp("short").errors.contains("shorter than 8"))
        let done = try setUp("a long password")
        #expect(done.status == 0, "\(done)")
        let server = try Shell.spawn(
            [
                "setpriv", "--reuid", "nats", "--regid", "nats", "--clear-groups", "nats-server", "-c",
                root.path(of: "etc/nats-server.conf"),
            ], environment: [:], input: "/dev/null",
            output: root.path(of: "out"), errors: root.path(of: "log"))
        defer {
            kill(server, SIGKILL)
            _ = Shell.wait(for: server)
        }
        #expect(
            eventually {
                (try? String(contentsOfFile: root.path(of: "log"), encoding: .utf8))?.contains(
                    "Server is ready") == true
            })
        let clips = try ClipsProgram()
        _ = try clips.run("add", "https://example.com/1")
        func add(_ password: String) throws -> Shell {
            try MirroredMachines.run(
                clips,
                [
                    "add", "tls://localhost:\(port)", "--user", "ann", "--ca",
                    root.path(of: "etc/nats/cert.pem"),
                    "--password-file", try MirroredMachines.file(password, of: clips),
                ])
        }
        #expect(try add("wrong").errors.contains("rejected the user or the password"))
        let added = try add("a long password")
        #expect(added.status == 0 && added.errors.contains("sent 1 clip."), "\(added)")
    }
}
