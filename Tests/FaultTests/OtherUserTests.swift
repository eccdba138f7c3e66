import Foundation
import TestSupport
import Testing

/// Files next to a store that other users could read, or that they have put there.
@Suite(.serialized) struct OtherUserTests {
    private static let isSuperuser = getuid() == 0

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    /// Runs a command that fails after 5 s.
    private func bounded(_ clips: ClipsProgram, _ words: [String], input: String = "") throws -> Shell {
        let temporary = ["TMPDIR": clips.folder.path(of: "tmp")]
        return try Shell.run(
            "timeout", ["5", ClipsProgram.path] + words, input: input,
            environment: clips.environment.merging(temporary) { $1 })
    }

    @Test func `every file is private from its creation, without a later change of its mode`() throws {
        let clips = try Situation.noStore.make()
        let fault = try FaultShim.environment([
            "FAULT_PATH": "/", "FAULT_CALLS": "m", "FAULT_KIND": "\(EPERM)", "FAULT_AT": "1",
            "FAULT_COUNT": "0",
        ])
        let copy = clips.folder.path(of: "copy.db")
        for words in [
            ["add", "--title", "clip"], ["search", "clip"], ["backup", copy], ["list"],
            ["backup", "restore", copy], ["doctor", "--salvage", copy + "2"],
            ["add", "--store", clips.folder.path(of: "other.db"), "--title", "b"],
        ] {
            let run = try clips.run(words, with: fault)
            #expect(run.status == 0, "\(words): \(run)")
        }
        #expect(mode(copy + "2") != nil)
        let names = try FileManager.default.subpathsOfDirectory(atPath: clips.folder.path)
        #expect(names.contains("clips.db-search") && names.contains("other.db"), "\(names)")
        for name in names {
            let mode = try #require(self.mode(clips.folder.path(of: name)))
            #expect(mode & 0o077 == 0, "\(name): \(String(mode, radix: 8))")
        }
    }

    @Test(.enabled(if: isSuperuser, "needs a second user"), arguments: ["-wal", "-shm", "-journal"])
    func `a file of a user without an account is reported, and the clip is retained`(end: String) throws {
        let clips = try Situation.longLog.make()
        if end == "-journal" { close(creat(clips.storePath + end, 0o600)) }
        chmod(clips.folder.path, 0o777)
        chmod(clips.folder.path(of: "tmp"), 0o777)
        for other in ["", "-wal", "-shm"] { chown(clips.storePath + other, 65534, 65534) }
        chown(clips.storePath + end, 4711, 4711)
        let words = UnprivilegedProcess.words(ClipsProgram.path, ["add", "--title", "clip to retain"])
        let run = try Shell.run(
            words[0], Array(words.dropFirst()),
            environment: clips.environment.merging(["TMPDIR": clips.folder.path(of: "tmp")]) { $1 })
        #expect(run.status == 1 && run.errors.contains("belongs to user 4711"), "\(run)")
        #expect(try clips.unsaved().contains("clip to retain"))
    }

    @Test func `a repair changes no file that a link or another name leads to`() throws {
        let clips = try Situation.indexed.make()
        let (linked, named) = (clips.folder.path(of: "linked"), clips.folder.path(of: "named"))
        for path in [linked, named] {
            try "theirs".write(toFile: path, atomically: true, encoding: .utf8)
            chmod(path, 0o644)
        }
        for end in ["-wal", "-shm"] { unlink(clips.storePath + "-search" + end) }
        symlink(linked, clips.storePath + "-search-wal")
        link(named, clips.storePath + "-search-shm")
        let run = try bounded(clips, ["doctor", "--repair"])
        #expect(run.status != 124, "\(run)")
        for path in [linked, named] {
            #expect(mode(path) == S_IFREG | 0o644, "\(path): \(run)")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "theirs")
        }
        chmod(clips.storePath, 0o644)
        _ = try bounded(clips, ["doctor", "--repair"])
        #expect(mode(clips.storePath) == S_IFREG | 0o600)
    }

    @Test(arguments: ["-journal", "-wal", "-shm"], ["pipe", "link", "socket", "folder"])
    func `a companion that is not a regular file is named, and blocks no command`(
        end: String, kind: String
    ) throws {
        let clips = try Situation.someClips.make()
        let path = clips.storePath + end
        unlink(path)
        switch kind {
        case "pipe": mkfifo(path, 0o600)
        case "link": symlink("/dev/zero", path)
        case "folder": mkdir(path, 0o700)
        default: mknod(path, S_IFSOCK | 0o600, 0)
        }
        for words in [
            ["add", "--title", "clip to retain"], ["list"], ["search", "clip"], ["doctor"],
            ["backup", clips.folder.path(of: "copy.db")],
        ] {
            let run = try bounded(clips, words)
            #expect(
                run.status == 1 && run.errors.contains("clips.db\(end) is not a regular file"),
                "\(words): \(run)")
            #expect(Sentences.fault(in: run.errors) == nil, "\(run)")
        }
        #expect(try clips.unsaved().contains("clip to retain"))
    }

    @Test(arguments: [
        "-search", "-search-journal", "-search-wal", "-search-shm", "-doorbell", "-mirror-status",
    ])
    func `a pipe with the name of a derived file blocks no command`(end: String) throws {
        let clips = try Situation.someClips.make()
        unlink(clips.storePath + end)
        mkfifo(clips.storePath + end, 0o600)
        for words in [["add", "--title", "clip more"], ["list"], ["search", "clip"]] {
            let run = try bounded(clips, words)
            #expect(run.status == 0 && run.output.count > 1, "\(words): \(run)")
        }
        #expect(try bounded(clips, ["doctor"]).status < 2)
    }

    @Test func `an index that other users can write is built again for its owner`() throws {
        let clips = try Situation.someClips.make()
        close(creat(clips.storePath + "-search", 0o666))
        chmod(clips.storePath + "-search", 0o666)
        #expect(
            try clips.run("search", "clip", "--limit", "100").output.split(separator: "\n").count
                == Situation.clips)
        #expect(mode(clips.storePath + "-search") == S_IFREG | 0o600)
    }
}
