import Foundation
import TestSupport
import Testing

/// The program behind `clips mirror`, its libraries, and its unit of systemd.
@Suite struct MirrorInstallationTests {
    let clips: ClipsProgram
    let folder: TemporaryFolder

    init() throws {
        clips = try ClipsProgram()
        folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: ClipsProgram.path, toPath: folder.path(of: "clips"))
    }

    private func write(_ bytes: Data, as name: String) throws {
        try bytes.write(to: URL(fileURLWithPath: folder.path(of: name)))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(of: name))
    }

    private func run(_ words: String...) throws -> Shell {
        let own = ["PATH": folder.path + ":/usr/bin:/bin"]
        return try Shell.run(
            folder.path(of: "clips"), ["mirror"] + words, environment: clips.environment.merging(own) { $1 })
    }

    @Test func `a missing program is reported`() throws {
        let missing = try run("status")
        #expect(
            missing.status == 1 && missing.errors.contains("Cannot find clips-mirror, a program of its own."),
            "\(missing)")
    }

    /// The dynamic linker fails, because a copy of the program requires a library that does not exist.
    @Test(arguments: [
        ("libnats.so.3.4", "libnats.so.9.9", "libnats9.9"),
        ("libsodium.so.23", "libsodium.so.99", "libsodium99"),
    ])
    func `a missing library is named with its package`(library: String, missing: String, package: String)
        throws
    {
        let built = URL(fileURLWithPath: ClipsProgram.path + "-mirror")
        var bytes = try Data(contentsOf: built)
        let range = try #require(bytes.range(of: Data((library + "\0").utf8)))
        bytes.replaceSubrange(range, with: Data((missing + "\0").utf8))
        try write(bytes, as: "clips-mirror")
        let failed = try run("status")
        #expect(
            failed.status == 1
                && failed.errors
                    == "clips: Cannot start clips-mirror: a library is missing. Run 'sudo apt-get install \(package)'.\n",
            "\(failed)")
    }

    @Test(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
    func `enable starts a user unit, which remove stops and deletes`() throws {
        let server = try NATSServer()
        try FileManager.default.copyItem(
            atPath: ClipsProgram.path + "-mirror", toPath: folder.path(of: "clips-mirror"))
        let log = folder.path(of: "calls")
        try write(Data("#!/bin/sh\necho \"$*\" >>'\(log)'\n".utf8), as: "systemctl")
        #expect(try run("enable").errors.contains("has no mirror"))
        #expect(try run("add", server.url).status == 0)
        let enabled = try run("enable")
        #expect(enabled.status == 0 && enabled.errors.contains("also starts at each login"), "\(enabled)")
        let units = clips.folder.path(of: "config/systemd/user")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: units).first)
        let unit = try String(contentsOfFile: units + "/" + name, encoding: .utf8)
        #expect(unit.contains("ExecStart=\"\(folder.path(of: "clips-mirror"))\" run --quiet --store"))
        #expect(unit.contains("--store \"\(clips.storePath)\""))
        func calls() throws -> [Substring] {
            try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        }
        #expect(try calls() == ["--user daemon-reload", "--user enable --now \(name)"])
        // The unit's own check of its syntax, where systemd is installed.
        let check = """
            command -v systemd-analyze >/dev/null || exit 0
            XDG_RUNTIME_DIR=$2 systemd-analyze verify --user "$1"
            """
        let verified = try Shell.run("sh", ["-c", check, "sh", units + "/" + name, folder.path])
        #expect(verified.status == 0, "\(verified)")

        #expect(try run("remove", "--yes").status == 0)
        #expect(try calls().last == "--user disable --now \(name)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: units).isEmpty)

        // Without a running systemd, the sentence says so.
        #expect(try run("add", server.url, "--zone", "other").status == 0)
        try write(Data("#!/bin/sh\nexit 1\n".utf8), as: "systemctl")
        let failed = try run("enable")
        #expect(failed.status == 1 && failed.errors.contains("systemd did not start"), "\(failed)")
    }
}
