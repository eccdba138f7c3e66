import Foundation
import TestSupport
import Testing

/// Two home directories and one folder.
@Suite struct MirrorFolderTests {
    private let (a, b): (ClipsProgram, ClipsProgram)
    private let folder: TemporaryFolder

    init() throws { (a, b, folder) = (try ClipsProgram(), try ClipsProgram(), try TemporaryFolder()) }

    private var url: String { "folder:\(folder.path(of: ""))" }
    private var zone: String { folder.path(of: "clips-mirror-clips") }

    private func mirror(_ machine: ClipsProgram, _ words: String..., input: String = "") throws -> Shell {
        try MirroredMachines.run(machine, words, input: input)
    }

    @Test func `machines pair, exchange, and end a mirror through a folder`() async throws {
        try a.run("add", "--title", "of a", "--url", "https://a.example")
        let early = try mirror(b, "pair", url, "--yes", input: "0000-0000-0000-0000-0000-0000-0000\n")
        #expect(early.status == 1 && !FileManager.default.fileExists(atPath: zone), "\(early)")
        #expect(try mirror(a, "add", "folder:/nowhere").errors.contains("The folder /nowhere is missing."))
        let added = try mirror(a, "add", url)
        #expect(added.status == 0 && added.errors.contains("sent 1 clip."), "\(added)")
        #expect(
            try mirror(b, "add", url).errors.contains("The folder has the zone 'clips' of other machines"))
        let paired = try mirror(b, "pair", url, "--yes", input: added.output)
        #expect(
            paired.status == 0 && paired.errors.contains("Clips and quotes in the folder only: 1"),
            "\(paired)")
        #expect(try b.sqlite3("SELECT title FROM Clip;") == "of a")

        let running = try a.start(["mirror", "run"])
        defer { running.terminate() }
        #expect(
            try await soon {
                try a.run("mirror", "status", "--json").output.contains(#""state":"connected""#)
            })
        try b.run("add", "--title", "of b", "--url", "https://b.example")
        #expect(try mirror(b, "once").status == 0)
        #expect(try await soon { try a.sqlite3("SELECT count(*) FROM Clip;") == "2" })

        // A share that is no longer mounted.
        try FileManager.default.moveItem(atPath: zone, toPath: zone + ".away")
        let away = try mirror(b, "once")
        #expect(away.status == 1 && away.errors.contains("has no zone 'clips'; mount it"), "\(away)")
        try FileManager.default.moveItem(atPath: zone + ".away", toPath: zone)

        #expect(try mirror(b, "remove", "--yes").status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: zone).count > 2)
    }
}
