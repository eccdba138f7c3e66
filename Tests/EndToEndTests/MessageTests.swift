import Foundation
import TestSupport
import Testing

/// Every message on the command line, word for word.
@Suite struct MessageTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test(arguments: MessageCase.all)
    func `a command line prints these messages`(message: MessageCase) throws {
        try prepare(message.situation)
        let run = try Shell.run(
            ClipsProgram.path, message.words.map(named), input: message.input, environment: clips.environment)
        #expect(run.errors == message.errors.map { "clips: \(named($0))\n" }.joined())
        #expect(run.status == message.status)
        #expect(message.status == 0 || run.output == "" || message.words[0] == "export")
    }

    @Test func `a save into a read-only store reports the permissions`() throws {
        try clips.run("add", "--title", "a")
        _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        chmod(clips.storePath, 0o444)
        chmod(clips.folder.path, 0o555)
        defer { chmod(clips.folder.path, 0o755) }
        // root can write every file.
        let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        let words = (geteuid() == 0 ? other : []) + [ClipsProgram.path, "star", "1"]
        guard (try? Shell.run(words[0], Array(words[1...].dropLast(2)) + ["--version"]))?.status == 0 else {
            return
        }
        let run = try Shell.run(words[0], Array(words[1...]), environment: clips.environment)
        #expect(
            run.status == 1
                && run.errors == "clips: Cannot write store \(clips.storePath). "
                    + "Check the permissions of the file and its folder.\n"
        )
    }

    /// A store with one clip, which the cases copy.
    private static let oneClip = Result {
        let clips = try ClipsProgram()
        try clips.run("add", "--title", "a", "--url", "https://a.b")
        return clips
    }

    private func named(_ text: String) -> String {
        text.replacing("STORE", with: clips.storePath).replacing("FOLDER", with: clips.folder.path)
    }

    private func prepare(_ situation: MessageCase.Situation) throws {
        switch situation {
        case .noStore: return
        case .text:
            try String(repeating: "no database at all ", count: 300).write(
                toFile: clips.storePath, atomically: true, encoding: .utf8)
            return
        case .otherProgram:
            _ = try clips.sqlite3("CREATE TABLE t (a)")
            return
        default:
            let folder = try Self.oneClip.get().folder
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try FileManager.default.copyItem(
                    atPath: folder.path(of: name), toPath: clips.folder.path(of: name))
            }
        }
        switch situation {
        case .newer: _ = try clips.sqlite3("PRAGMA user_version = 99")
        case .lostTable: _ = try clips.sqlite3("DROP TABLE history_origin")
        case .deletedClip: try clips.run("delete", "1")
        case .tagged: try clips.run("tag", "1", "+rust")
        case .archived: try clips.run("archive", "1")
        case .twoOfPage: try clips.run("add", "--title", "b", "--url", "https://a.b")
        case .twoAlike:
            _ = try clips.sqlite3("UPDATE Clip SET uuid = 'abcd1'; INSERT INTO Clip (uuid) VALUES ('abcd2')")
        case .damagedPage:
            let root = try clips.sqlite3(
                "PRAGMA wal_checkpoint(TRUNCATE); SELECT rootpage FROM sqlite_schema WHERE name = 'Clip'")
            let page = try #require(UInt64(root.split(separator: "\n").last ?? ""))
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: clips.storePath))
            try file.seek(toOffset: (page - 1) * 4096)
            try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
            try file.close()
        default: break
        }
    }
}
