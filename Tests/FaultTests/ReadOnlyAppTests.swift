import Foundation
import Glibc
import TestSupport
import Testing

/// The app on a store that its user cannot write.
@Suite(.serialized) struct ReadOnlyAppTests {
    private static let rejection = "The store is read-only. Check its permissions, then restart."

    /// A store of another user, and a folder `tmp` for the files of this one.
    private func foreignStore(
        _ situation: Situation, file: mode_t = 0o444, folder: mode_t = 0o555
    ) throws -> ClipsProgram {
        let clips = try situation.make()
        chmod(clips.folder.path(of: "tmp"), 0o777)
        for end in ["", "-search"] { chmod(clips.storePath + end, file) }
        unlink(clips.storePath + "-doorbell")
        chmod(clips.folder.path, folder)
        return clips
    }

    private func environment(_ clips: ClipsProgram) -> [String: String] {
        clips.environment.merging(["TMPDIR": clips.folder.path(of: "tmp")]) { $1 }
    }

    private func runScript(
        _ clips: ClipsProgram, size: String = "100x24", _ script: String
    ) throws -> Shell {
        let path = clips.folder.path(of: "tmp/script")
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o644)
        let words = UnprivilegedProcess.words(ClipsProgram.path, ["--script", path, "--size", size])
        return try Shell.run(words[0], Array(words[1...]), environment: environment(clips))
    }

    private func dump(_ clips: ClipsProgram, _ name: String) throws -> String {
        try String(contentsOfFile: clips.folder.path(of: "tmp/\(name)"), encoding: .utf8)
    }

    @Test(
        arguments: [Situation.someClips, .indexed],
        [(file: mode_t(0o444), folder: mode_t(0o555)), (0o644, 0o755)])
    func `another user reads, filters, and sees the history, and no file is created or changed`(
        situation: Situation, modes: (file: mode_t, folder: mode_t)
    ) throws {
        let clips = try foreignStore(situation, file: modes.file, folder: modes.folder)
        defer { chmod(clips.folder.path, 0o755) }
        let folder = clips.folder.path(of: "tmp")
        let files = try FileManager.default.contentsOfDirectory(atPath: clips.folder.path).sorted()
        let before = try Shell.run("cksum", [clips.storePath]).output
        let run = try runScript(
            clips,
            """
            :wait text=read only
            :dump \(folder)/list
            j<Enter>
            :dump \(folder)/clip
            <Esc>/clip 17<Enter>
            :wait count=1
            :dump \(folder)/found
            <Esc>H
            :wait text=History
            :dump \(folder)/history
            """)
        #expect(run.status == 0, "\(run.errors)")
        let list = try dump(clips, "list")
        #expect(list.contains("1/60") && list.contains("read only · live"), "\(list)")
        #expect(!list.contains("delete") && list.contains("filter"), "\(list)")
        #expect(try dump(clips, "clip").contains("word59 word59"))
        #expect(try dump(clips, "found").contains("clip 17"))
        #expect(try dump(clips, "history").contains("History · 1/"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: clips.folder.path).sorted() == files)
        #expect(try Shell.run("cksum", [clips.storePath]).output == before)
    }

    @Test func `every action that saves reports why it cannot, and typed text is retained`() throws {
        let clips = try foreignStore(.someClips)
        defer { chmod(clips.folder.path, 0o755) }
        let folder = clips.folder.path(of: "tmp")
        let keys = [
            "a", "<Paste:words>", "e", "t", "*", "r", "d", "u", "<C-r>", ":delete<Enter>", ":tag +new<Enter>",
        ]
        let attempts = keys.enumerated().map { number, keys in
            "\(keys.hasPrefix(":") ? ":" : "")\(keys)\n:dump \(folder)/\(number)\nj"
        }
        let run = try runScript(
            clips, size: "240x24",
            """
            :wait text=read only
            \(attempts.joined(separator: "\n"))
            H
            :wait text=History
            R
            :dump \(folder)/restoring
            H
            ::add typed by hand<Enter>
            :wait text=Your text is in
            :dump \(folder)/adding
            """)
        #expect(run.status == 0, "\(run.errors)")
        for (number, key) in keys.enumerated() {
            let screen = try dump(clips, "\(number)")
            #expect(screen.contains(Self.rejection), "\(key):\n\(screen)")
        }
        #expect(try dump(clips, "restoring").contains(Self.rejection))
        let adding = try dump(clips, "adding")
        #expect(adding.contains(Self.rejection))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasPrefix("clips-unsaved-")
        }
        let texts = try names.map { try dump(clips, $0) }
        #expect(texts.contains { $0.contains("typed by hand") }, "\(names) \(adding)")
    }

    /// If another process has the store open, SQLite opens it for any user, and only a save would fail.
    @Test(arguments: [false, true])
    func `another user's app shows the changes of the owner`(
        isOpenElsewhere: Bool
    ) async throws {
        let clips = try foreignStore(.someClips)
        defer { chmod(clips.folder.path, 0o755) }
        let saved = try clips.ids()
        let owner =
            isOpenElsewhere
            ? try TmuxSession([ClipsProgram.path], columns: 80, rows: 24, environment: clips.environment)
            : nil
        if let owner {
            #expect(try await soon { try owner.shows("live") })
            for end in ["-wal", "-shm", "-doorbell"] { chmod(clips.storePath + end, 0o644) }
        }
        let terminal = try TmuxSession(
            UnprivilegedProcess.words(ClipsProgram.path, []), columns: 100, rows: 24,
            environment: environment(clips))
        #expect(try await soon { try terminal.shows("read only · live") })
        for round in 1...3 {
            try clips.run("extension", "--title", "from the owner \(round)")
            #expect(try await soon { try terminal.shows("from the owner \(round)") })
        }
        try clips.run("delete", "60")
        #expect(try await soon { try terminal.shows("/62") })
        try terminal.send("d")
        #expect(try await soon { try terminal.shows(Self.rejection) })
        try terminal.send("q")
        #expect(try await soon { try terminal.format("#{pane_dead}") == "1" })
        try owner?.send("q")
        #expect(try await soon { try owner?.format("#{pane_dead}") ?? "1" == "1" })
        chmod(clips.folder.path, 0o755)
        for end in ["", "-wal", "-shm"] { chmod(clips.storePath + end, 0o600) }
        let complaints = await Oracle(clips: clips).complaints(saved: saved.subtracting([60]))
        #expect(complaints == [])
    }

    @Test func `on a full disk the app shows the clips and gives advice`() async throws {
        let clips = try Situation.someClips.make()
        let saved = try clips.ids()
        let noRoom = Fault(calls: "wt", kind: .error(ENOSPC), persists: true)
        let app = try AppSession(
            clips,
            with: noRoom.environment(at: 1, path: clips.storePath, note: clips.folder.path(of: "note")))
        #expect(app.shows("read only") && app.shows("1/60"), "\(app.lines)")
        app.type("*")
        #expect(app.shows("its disk was full. Free some space, then restart."), "\(app.lines)")
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }
}
