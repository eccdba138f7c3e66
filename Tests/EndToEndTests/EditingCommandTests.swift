import Foundation
import TestSupport
import Testing

/// Commands that change clips: edit, tag, star, restore.
@Suite struct EditingCommandTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    /// Runs `edit` with a shell script of one line as the editor; the file is `$2`.
    private func edit(_ line: String, _ arguments: String...) throws -> Shell {
        let editor = clips.folder.path(of: "my editor")
        try "#!/bin/sh\n\(line)\n".write(toFile: editor, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: editor)
        let variables = ["EDITOR": "'\(editor)' --wait", "VISUAL": "", "TMPDIR": clips.folder.path]
        return try Shell.run(
            ClipsProgram.path, ["edit"] + arguments, environment: clips.environment.merging(variables) { $1 })
    }

    private func leftFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: clips.folder.path).filter {
            $0.hasPrefix("clip-")
        }
    }

    private func value(_ column: String) throws -> String { try clips.sqlite3("SELECT \(column) FROM Clip") }

    @Test func `tag adds and removes tags of several clips in one transaction`() throws {
        try clips.run("add", "--title", "a", "--tag", "b")
        try clips.run("add", "--title", "c")
        let run = try clips.run("tag", "1", "2", "+a tag", "-b", "+c d")
        #expect(
            run.status == 0 && run.errors == "clips: Tagged 2 clips +“a tag” +“c d” -b.\n" && run.output == ""
        )
        #expect(try clips.sqlite3("SELECT group_concat(tags, ';') FROM Clip") == "a tag,c d;a tag,c d")
        #expect(
            try clips.run("history", "--limit", "1").output.contains("tagged clip 1 “a” +“a tag” +“c d” -b, ")
        )
        #expect(
            try clips.run("tag", "1", "-a tag").errors == "clips: Removed the tag “a tag” from clip 1 “a”.\n")
        #expect(try clips.run("tag", "1", "-none").errors == "clips: Clip 1 “a” is unchanged.\n")
        #expect(
            try clips.run("tag", "1", "+c d", "+e", "-none").errors
                == "clips: Tagged clip 1 “a” +e; no tag none to remove.\n")
        #expect(
            try clips.run("tag", "1", "--", "-e", "+e").errors
                == "clips: Removed the tag e from clip 1 “a”.\n")
        #expect(try clips.run("tag", "1", "+c,d").errors.hasPrefix("clips: A tag has no comma."))
    }

    @Test func `a missing clip is reported, and the others are changed`() throws {
        try clips.run("add", "--title", "a")
        let run = try clips.run("star", "9", "1")
        #expect(run.status == 1)
        #expect(
            run.errors
                == "clips: There is no clip 9. 'clips list' shows the IDs.\nclips: Starred clip 1 “a”.\n")
        #expect(try value("starred") == "1")
        #expect(try clips.run("star", "--off", "1").errors == "clips: Unstarred clip 1 “a”.\n")
        #expect(try value("starred") == "0")
    }

    @Test func `the history has the titles of clips that were deleted later`() throws {
        try clips.run("add", "--title", "a")
        try clips.run("star", "1")
        _ = try clips.sqlite3("DELETE FROM Clip")
        #expect(try clips.run("history").output.contains("starred clip 1 “a”\n"))
    }

    @Test func `restore restores a clip unchanged, regardless of who deleted it`() throws {
        try clips.run("add", "--title", "a", "--url", "https://a.b", "--tag", "x", input: "text")
        let before = try clips.run("list", "--json").output
        _ = try clips.sqlite3("DELETE FROM Clip")
        #expect(try clips.run("restore", "1").errors == "clips: Restored clip 1 “a”.\n")
        func withoutVersion(_ line: String) -> Substring {
            line.prefix { $0 != "}" }.split(separator: ",\"version")[0]
        }
        #expect(withoutVersion(try clips.run("list", "--json").output) == withoutVersion(before))
        let again = try clips.run("restore", "1", "9")
        #expect(again.status == 1)
        #expect(
            again.errors == """
                clips: Clip 1 is not deleted.
                clips: The history has no deletion of clip 9. 'clips history' shows what can be restored.

                """)
    }

    @Test func `edit saves only the changed fields`() throws {
        try clips.run("add", "--title", "a", "--url", "https://a.b", input: "one\ntwo\n")
        let run = try edit("test \"$1\" = --wait && sed -i 's/^title: a/title: b/; s/two/three/' \"$2\"", "1")
        #expect(run.status == 0 && run.errors == "clips: Saved clip 1 “b”.\n", "\(run)")
        #expect(try value("title || '|' || text") == "b|one\nthree")
        #expect(
            try clips.run("history", "--limit", "1").output.hasSuffix(
                "changed the title and text of clip 1 “b”\n"))
        #expect(try leftFiles() == [])
    }

    @Test(arguments: ["s/^title:/titel:/", "s/^url:.*/url: not a url/", "/^note:/d"])
    func `a damaged form saves nothing, and the file remains`(change: String) throws {
        try clips.run("add", "--title", "a", "--tag", "b", "--url", "https://a.b", input: "text\n")
        let run = try edit("sed -i '\(change)' \"$2\"", "1")
        #expect(
            run.status == 1 && run.errors.contains("Nothing was saved to clip 1. Your text is in "), "\(run)")
        #expect(try value("title || '|' || url || '|' || tags || '|' || text") == "a|https://a.b|b|text")
        #expect(try leftFiles().count == 1)
    }

    @Test func `only the user can read the edited file, and an unchanged one saves nothing`() throws {
        try clips.run("add", "--title", "a")
        let run = try edit("stat -c %a \"$2\" >&2", "1")
        #expect(run.status == 0 && run.errors == "600\nclips: Clip 1 “a” is unchanged.\n")
        #expect(try value("version") == "1")
        #expect(try leftFiles() == [])
    }

    @Test func `an edit without a change says of a deleted clip that it is`() throws {
        try clips.run("add", "--title", "a")
        let run = try edit("sqlite3 \"$CLIPS_STORE\" 'DELETE FROM Clip'", "1")
        #expect(
            run.status == 1 && run.errors == "clips: Clip 1 “a” is already deleted. Nothing was changed.\n",
            "\(run)")
    }

    @Test func `an edit retains the changes of another process to other fields`() throws {
        try clips.run("add", "--title", "a")
        let update = "sqlite3 '\(clips.storePath)' \"UPDATE Clip SET note = 'theirs'\""
        let run = try edit("\(update); sed -i 's/^title: a/title: mine/' \"$2\"", "1")
        #expect(
            run.errors
                == "clips: Saved clip 1 “mine”, with the note that another process changed during the edit.\n"
        )
        #expect(try value("title || note") == "minetheirs")
    }

    @Test func `an edit in conflict with another process retains its file`() throws {
        try clips.run("add", "--title", "a")
        let update = "sqlite3 '\(clips.storePath)' \"UPDATE Clip SET title = 'theirs'\""
        let run = try edit("\(update); sed -i 's/^title: a/title: mine/' \"$2\"", "1")
        #expect(
            run.status == 1 && run.errors.contains("changed the title of clip 1 during the edit"), "\(run)")
        #expect(try value("title") == "theirs")
        let file = try #require(leftFiles().first)
        #expect(run.errors.contains("Your text is in \(clips.folder.path(of: file))."))
        #expect(try String(contentsOfFile: clips.folder.path(of: file), encoding: .utf8).contains("mine"))
    }

    @Test func `an edit of a clip deleted during the edit retains its file`() throws {
        try clips.run("add", "--title", "a")
        let run = try edit("sqlite3 '\(clips.storePath)' 'DELETE FROM Clip'; echo more >> \"$2\"", "1")
        #expect(run.status == 1 && run.errors.contains("Clip 1 was deleted during the edit"), "\(run)")
        #expect(try leftFiles().count == 1)
    }

    @Test func `an editor that fails saves nothing`() throws {
        try clips.run("add", "--title", "a")
        let run = try edit("exit 3", "1")
        #expect(
            run.status == 1 && run.errors.contains("exited with status 3. Nothing was saved to clip 1.\n"),
            "\(run)")
        #expect(try leftFiles() == [])
        let missing = try Shell.run(
            ClipsProgram.path, ["edit", "1"],
            environment: clips.environment.merging(["VISUAL": "/none/editor"]) { $1 })
        #expect(
            missing.status == 1
                && missing.errors
                    == "clips: Editor '/none/editor' could not be started. Nothing was saved to clip 1.\n"
        )
    }

    @Test func `an editor with shell syntax runs in a shell`() throws {
        try clips.run("add", "--title", "a")
        let run = try Shell.run(
            ClipsProgram.path, ["edit", "1"],
            environment: clips.environment.merging([
                "VISUAL": "f() { sed -i \"s/^title: a/title: $NEW/\" \"$1\"; }; f", "NEW": "shell",
            ]) { $1 })
        #expect(run.status == 0, "\(run)")
        #expect(try value("title") == "shell")
    }
}
