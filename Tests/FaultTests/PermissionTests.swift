import Foundation
import TestSupport
import Testing

/// Files and folders that the user cannot write, or not even read.
@Suite(.serialized) struct PermissionTests {
    private func unprivileged(_ clips: ClipsProgram, _ words: String...) throws -> Shell {
        let all = UnprivilegedProcess.words(ClipsProgram.path, words)
        return try Shell.run(
            all[0], Array(all.dropFirst()),
            environment: clips.environment.merging(["TMPDIR": clips.folder.path(of: "tmp")]) { $1 })
    }

    @Test(arguments: [
        (file: mode_t(0o444), folder: mode_t(0o555)), (0o644, 0o555), (0o666, 0o555), (0o444, 0o777),
    ])
    func `a read-only store is read anyway, and a save reports advice`(
        file: mode_t, folder: mode_t
    ) async throws {
        let clips = try Situation.someClips.make()
        let saved = try clips.ids()
        chmod(clips.folder.path(of: "tmp"), 0o777)
        chmod(clips.storePath, file)
        unlink(clips.storePath + "-doorbell")
        chmod(clips.folder.path, folder)
        let before = try Shell.run("cksum", [clips.storePath]).output
        for words in ["list", "search clip --limit 1000", "export --format csv", "history", "show 1"] {
            let all = UnprivilegedProcess.words(
                ClipsProgram.path, words.split(separator: " ").map(String.init))
            let run = try Shell.run(all[0], Array(all.dropFirst()), environment: clips.environment)
            #expect(run.status == 0 && !run.output.isEmpty, "\(words): \(run.errors)")
        }
        let run = try unprivileged(clips, "extension", "--title", "clip to retain")
        #expect(run.status == 1 && Sentences.fault(in: run.errors) == nil, "\(run)")
        #expect(try clips.unsaved().contains("clip to retain"))
        #expect(try unprivileged(clips, "doctor").status == 1)
        #expect(try Shell.run("cksum", [clips.storePath]).output == before)
        chmod(clips.folder.path, 0o755)
        chmod(clips.storePath, 0o600)
        for end in ["-wal", "-shm", "-doorbell", "-search", "-search-wal", "-search-shm"] {
            unlink(clips.storePath + end)
        }
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }

    @Test func `on a disk that is mounted for reading only, all that reads succeeds, and the doctor says so`()
        throws
    {
        let clips = try Situation.indexed.make()
        let script = """
            mount --bind "$D" "$D" && mount -o remount,ro,bind "$D" || exit 77
            for words in list 'search clip' 'export --format csv' history doctor 'doctor --repair'; do
              $C $words > /dev/null 2>&1; echo "$words: $?"
            done
            $C doctor
            """
        let run = try Shell.run(
            "unshare", (geteuid() == 0 ? ["-m"] : ["-Urm"]) + ["sh", "-c", script],
            environment: clips.environment.merging(["D": clips.folder.path, "C": ClipsProgram.path]) { $1 })
        guard run.status != 77, !run.errors.contains("unshare") else {
            print("skipped: nothing may be mounted here")
            return
        }
        let statuses =
            "list: 0\nsearch clip: 0\nexport --format csv: 0\nhistory: 0\ndoctor: 0\ndoctor --repair: 1\n"
        #expect(run.output.hasPrefix(statuses) && run.output.contains("nothing can be saved"), "\(run)")
        #expect(run.errors == "", "\(run)")
    }

    @Test(arguments: ["", "-wal", "-shm"])
    func `a file of the store that cannot be opened is reported with advice`(end: String) async throws {
        let clips = try Situation.longLog.make()
        let saved = try clips.idsOfCopy()
        chmod(clips.folder.path(of: "tmp"), 0o777)
        chmod(clips.folder.path, 0o777)
        for other in ["", "-wal", "-shm"] { chmod(clips.storePath + other, other == end ? 0 : 0o666) }
        for words in [["list"], ["extension", "--title", "clip to retain"]] {
            let all = UnprivilegedProcess.words(ClipsProgram.path, words)
            let run = try Shell.run(
                all[0], Array(all.dropFirst()),
                environment: clips.environment.merging(["TMPDIR": clips.folder.path(of: "tmp")]) { $1 })
            #expect(run.status == 1 && Sentences.fault(in: run.errors) == nil, "\(words): \(run)")
            #expect(run.errors.contains("Check the "), "\(words): \(run.errors)")
        }
        chmod(clips.folder.path, 0o755)
        for other in ["", "-wal", "-shm"] { chmod(clips.storePath + other, 0o600) }
        unlink(clips.storePath + "-doorbell")
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }
}
