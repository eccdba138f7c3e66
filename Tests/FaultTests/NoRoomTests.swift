import Foundation
import TestSupport
import Testing

/// A full disk, and a limit of the file size.
@Suite(.serialized) struct NoRoomTests {
    @Test(arguments: [40, 120, 200, 240])
    func `a file size limit is reported as a full disk, the clip is retained, and clips are read`(
        kilobytes: Int
    ) async throws {
        let clips = try Situation.someClips.make()
        let saved = try clips.ids()
        func limited(_ words: [String], input: String = "") throws -> Shell {
            try Shell.run(
                "bash", ["-c", "ulimit -f \(kilobytes); exec \"$@\"", "bash", ClipsProgram.path] + words,
                input: input,
                environment: clips.environment.merging(["TMPDIR": clips.folder.path(of: "tmp")]) { $1 })
        }
        let text = String(repeating: "hard to come by ", count: 20_000)
        let run = try limited(["extension", "--title", "clip too long"], input: text)
        #expect(run.status == 1 && Sentences.fault(in: run.errors) == nil, "\(run)")
        #expect(run.errors.contains("Nothing was saved; free some space and try again."))
        // The clip exceeds the limit, too, so it is printed instead of retained in a file.
        #expect(try !run.errors.contains("retained in") && clips.unsaved() == "")
        // Standard error is a file under the limit, too.
        #expect(run.errors.contains("\"text\":\"hard to come by hard to come by"))
        for words in [["list"], ["search", "clip", "--limit", "1000"], ["export", "--format", "json"]] {
            let read = try limited(words)
            #expect(read.status == 0, "\(words): \(read.errors)")
            #expect(read.output.split(separator: "\n").count >= Situation.clips, "\(words)")
        }
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }

    @Test(arguments: [["import", "FILE"], ["extension", "--jsonl"]])
    func `a disk that fills after some batches does not report that nothing was saved`(words: [String])
        throws
    {
        let clips = try Situation.someClips.make()
        let text = String(repeating: "x", count: 500)
        let lines = (0..<6000).map { "{\"url\":\"https://a.b/\($0)\",\"text\":\"\(text)\"}\n" }.joined()
        let file = clips.folder.path(of: "lines.jsonl")
        try lines.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try Shell.run(
            "bash",
            ["-c", "ulimit -f 2000; exec \"$@\" < \"$0\"", file, ClipsProgram.path]
                + words.map { $0 == "FILE" ? file : $0 },
            environment: clips.environment.merging(["TMPDIR": clips.folder.path(of: "tmp")]) { $1 })
        let saved = try clips.ids().count - Situation.clips
        #expect(run.status == 1 && (500..<6000).contains(saved), "\(saved): \(run.errors.prefix(500))")
        #expect(run.errors.contains("Nothing more was saved"), "\(run.errors.prefix(500))")
        #expect(!run.errors.contains("Nothing was saved"), "\(run.errors.prefix(500))")
    }

    @Test func `a clip that does not fit next to the store is retained on another disk`() throws {
        let clips = try Situation.someClips.make()
        let tmp = clips.folder.path(of: "tmp")
        mkdir(tmp, 0o700)
        let script = """
            mkdir "$D" && mount -t tmpfs -o size=2m none "$D" || exit 77
            cp "$S" "$D/clips.db" && dd if=/dev/zero of="$D/filler" bs=4k 2>/dev/null
            # A file can be created, and a small one written.
            truncate -s -8192 "$D/filler"
            seq 100000 | CLIPS_STORE="$D/clips.db" $C add --title T
            ls "$D"
            """
        let run = try Shell.run(
            "unshare", (geteuid() == 0 ? ["-m"] : ["-Urm"]) + ["sh", "-c", script],
            environment: clips.environment.merging([
                "D": clips.folder.path(of: "disk"), "S": clips.storePath, "C": ClipsProgram.path,
                "TMPDIR": tmp,
            ]) { $1 })
        guard run.status != 77, !run.errors.contains("unshare") else {
            print("skipped: nothing may be mounted here")
            return
        }
        let path = try #require(run.errors.firstMatch(of: /retained in ([^;\n]+\.jsonl)/)?.1, "\(run)")
        #expect(path.hasPrefix(tmp) && !run.output.contains("unsaved"), "\(run)")
        let lines = try String(contentsOfFile: String(path), encoding: .utf8)
        #expect(lines.utf8.count > 500_000 && lines.contains(#"99999\n100000\n""#))
    }

    @Test func `on a full disk clips are read, a new one is retained elsewhere, and saved with free space`()
        async throws
    {
        let clips = try Situation.indexed.make()
        let saved = try clips.ids()
        let disk = clips.folder.path(of: "disk")
        let script = """
            mkdir "$D" && mount -t tmpfs -o size=2m none "$D" || exit 77
            cp "$S"* "$D" && dd if=/dev/zero of="$D/filler" bs=4k 2>/dev/null
            export CLIPS_STORE="$D/clips.db"
            for words in list 'search clip' 'export --format csv' history doctor "backup $O/b.db"; do
              $C $words > "$O/out" 2> "$O/err"; echo "$words: $? $(wc -l < "$O/out") $(cat "$O/err")"
            done
            $C extension --title 'clip retained' 2> "$O/err"; echo "full: $? $(cat "$O/err")"
            rm "$D/filler"
            $C extension --title 'clip saved'; echo "room: $?"
            cp "$D"/clips.db* "$O"
            """
        let copied = clips.folder.path(of: "copied")
        mkdir(copied, 0o700)
        let isRoot = geteuid() == 0
        let run = try Shell.run(
            "unshare", (isRoot ? ["-m"] : ["-Urm"]) + ["sh", "-c", script],
            environment: clips.environment.merging([
                "D": disk, "S": clips.storePath, "C": ClipsProgram.path, "O": copied,
                "TMPDIR": clips.folder.path(of: "tmp"),
            ]) { $1 })
        // Where mounting is not permitted, only the limit above is tested.
        guard run.status != 77, !run.errors.contains("unshare") else { return }
        for words in ["list", "export --format csv", "history"] {
            #expect(run.output.contains("\(words): 0 "), "\(run.output)")
        }
        #expect(run.output.contains("backup \(copied)/b.db: 0 "), "\(run.output)")
        #expect(run.output.contains("search clip: 0 20"), "\(run.output)")
        #expect(run.output.contains("full: 1 clips: No space left for \(disk)/clips.db."), "\(run.output)")
        #expect(run.output.contains("room: 0"), "\(run.output)")
        #expect(try clips.unsaved().contains("clip retained"))
        for end in ["", "-wal", "-shm"] {
            unlink(clips.storePath + end)
            rename(copied + "/clips.db" + end, clips.storePath + end)
        }
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }
}
