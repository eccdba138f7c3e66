import Foundation
import TestSupport
import Testing

/// The commands that change many clips, and those that find some.
@Suite struct ManyClipsTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    private func fill(_ count: Int, _ tags: String = "x") throws {
        let lines = (1...count).map {
            "{\"title\":\"title \($0)\",\"url\":\"https://a.b/\($0)\",\"tags\":\"\(tags)\"}\n"
        }
        #expect(try clips.run("add", "--jsonl", "--quiet", input: lines.joined()).status == 0)
    }

    private func value(_ column: String) throws -> String {
        try clips.sqlite3("SELECT group_concat(\(column), ';') FROM (SELECT * FROM Clip ORDER BY id)")
    }

    private func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: [
        "", " ", "\"\"", "\"", "tag:", "tag:\"\"", "site:", "url:", "-tag:", "NOT", "OR", "AND", "-", "*",
        "tag: is:unread", "\"\" is:unread",
    ])
    func `a query of a script with an empty variable changes nothing`(query: String) throws {
        try clips.run("add", "--title", "a")
        let run = try clips.run("delete", "--yes", "--query", query)
        #expect(run.status == 2 && run.errors.hasPrefix("clips: The "), "\(run)")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "1")
    }

    @Test func `undo without a change prints what it would do, and omits clips that others deleted`()
        throws
    {
        try clips.run("add", "--title", "a")
        try clips.run("add", "--title", "b")
        try clips.run("star", "1")
        #expect(try clips.run("undo", "--dry-run").output == "starred “a”\n")
        #expect(try clips.sqlite3("SELECT starred FROM Clip WHERE id = 1") == "1")
        _ = try clips.sqlite3("DELETE FROM Clip WHERE id = 1")
        #expect(try clips.run("undo", "--dry-run").output == "saved “b”\n")
        let run = try clips.run("undo")
        #expect(
            run.status == 0 && run.errors.hasPrefix("clips: Nothing is left to undo of: starred "), "\(run)")
        #expect(run.errors.hasSuffix("\nclips: Undid: saved “b”.\n"), "\(run)")
    }

    @Test(arguments: ["list", "search", "export --format json --query", "open", "random", "star --query"])
    func `a query of another language that matches nothing gets a hint`(words: String) throws {
        try clips.run("add", "--title", "one", "--tag", "go")
        let run = try clips.shell("$CLIPS \(words) tags:go")
        #expect(run.status == 1 && run.errors.contains("Did you mean 'tag:'?"), "\(run)")
    }

    @Test func `a query selects the clips of a change, in one transaction`() throws {
        try fill(3)
        try clips.run("add", "--title", "other")
        #expect(
            try clips.run("tag", "4", "--query", "title", "+y", "-x").errors
                == "clips: Tagged 4 clips +y -x.\n")
        #expect(try value("tags") == "y;y;y;y")
        #expect(try clips.run("read", "--query", "tag:y").errors == "clips: Marked 4 clips as read.\n")
        #expect(try clips.run("unread", "2").status == 0)
        #expect(try value("unread") == "0;1;0;0")
        #expect(try clips.run("star", "--query", "is:unread").status == 0)
        #expect(try value("starred") == "0;1;0;0")
        #expect(try clips.run("history", "--json").output.split(separator: "\n").count == 6)
        #expect(
            try clips.run("archive", "--query", "is:starred").errors == "clips: Archived clip 2 “title 2”.\n")
        #expect(try clips.run("list", "--json").output.split(separator: "\n").count == 3)
        #expect(try clips.run("unarchive", "--query", "is:archived").status == 0)
        #expect(try clips.run("delete", "--query", "title").errors == "clips: Deleted 3 clips.\n")
        #expect(try clips.run("undo").errors.hasPrefix("clips: Undid: deleted"))
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "4")
    }

    @Test func `more than a few clips need --yes without a terminal`() throws {
        try fill(11)
        let asked = try clips.run("delete", "--query", "title")
        #expect(asked.status == 1)
        #expect(asked.errors == "clips: 11 clips match. Nothing was changed; use --yes to change them.\n")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "11")
        #expect(try clips.run("delete", "--query", "title", "--yes").status == 0)
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "0")
    }

    @Test func `a change refuses a query with an invalid date, which would match more`() throws {
        try fill(2)
        for words in [["delete", "--yes"], ["star"], ["tag", "+a"], ["export", "--format", "csv"]] {
            let run = try Shell.run(
                ClipsProgram.path, words + ["--query", "title after:soonish"],
                environment: clips.environment)
            #expect(run.status == 2 && run.output == "", "\(run)")
        }
        #expect(try value("starred") == "0;0")
    }

    @Test func `a question on the terminal protects many clips`() async throws {
        try fill(11)
        let terminal = try TmuxSession(
            ["bash", "--norc", "-i"], columns: 80, rows: 24,
            environment: clips.environment.merging(["PS1": "shell> "]) { $1 })
        for (answer, left) in [("n", "11"), ("y", "0")] {
            // Without the question before.
            try terminal.send("clear", "Enter")
            #expect(try await soon { try terminal.shows("shell>") && !terminal.shows("status") })
            try terminal.send("\(ClipsProgram.path) delete --query title; echo status $?", "Enter")
            #expect(try await soon { try terminal.shows("clips: Delete 11 clips? [y/N]") })
            try terminal.send(answer, "Enter")
            #expect(try await soon { try terminal.shows(answer == "y" ? "status 0" : "status 1") })
            #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == left)
        }
    }

    @Test func `JSON of every change has the keys of list`() throws {
        try fill(2, "x,y")
        let keys = Set(try objects(clips.run("list", "--json").output)[0].keys)
        for words in [
            "star 1", "read --query title", "unread 1 2", "tag 1 +z", "tags rename z w", "tags delete w",
            "open 1",
            "random", "random title --limit 2", "search title", "show 1", "edit 1", "delete 2", "restore 2",
            "export",
        ] {
            let run = try Shell.run(
                ClipsProgram.path, words.split(separator: " ").map(String.init) + ["--json"],
                environment: clips.environment)
            let found = try objects(run.output)
            #expect(run.status == 0 && !found.isEmpty, "\(words): \(run)")
            #expect(found.allSatisfy { Set($0.keys) == keys }, "\(words): \(run)")
        }
    }

    @Test func `tags are counted, renamed, merged, and deleted in all clips`() throws {
        try fill(3, "js,web")
        try clips.run("add", "--title", "b", "--tag", "javascript", "--tag", "js")
        try clips.run("add", "--title", "c", "--tag", "jsx")
        #expect(try clips.run("tags").output == "4  js\n3  web\n1  javascript\n1  jsx\n")
        #expect(try clips.run("tags", "--json", "--limit", "1").output == "{\"count\":4,\"tag\":\"js\"}\n")
        let taken = try clips.run("tags", "rename", "js", "javascript")
        #expect(taken.status == 1 && taken.errors.contains("Run 'clips tags merge' to merge both."))
        #expect(
            try clips.run("tags", "merge", "js", "none", "javascript").errors
                == "clips: No clip has the tag 'none'. 'clips tags' prints the tags.\n"
                + "clips: Merged the tag 'js' of 4 clips into 'javascript'.\n")
        #expect(
            try clips.run("tags", "rename", "web", "www").errors
                == "clips: Renamed the tag 'web' of 3 clips to 'www'.\n")
        let names = "javascript,www"
        #expect(try value("tags") == "\(names);\(names);\(names);javascript;jsx")
        #expect(
            try clips.run("tags", "delete", "javascript", "www").errors
                == "clips: Removed the tags 'javascript', 'www' from 4 clips.\n")
        #expect(try value("tags") == ";;;;jsx")
        for _ in 1...3 { #expect(try clips.run("undo").status == 0) }
        #expect(try clips.run("tags").output == "4  js\n3  web\n1  javascript\n1  jsx\n")
        #expect(try clips.run("undo", "--redo").status == 0)
        #expect(try value("tags") == "javascript,web;javascript,web;javascript,web;javascript;jsx")
    }

    @Test func `ten spellings of a URL are one clip with --duplicates skip, and dedupe merges others`() throws
    {
        let urls = [
            "https://example.org/a", "http://example.org/a", "https://www.example.org/a",
            "https://example.org/a/",
            "HTTPS://EXAMPLE.org/a", "https://example.org:443/a", "https://example.org/a?utm_source=x",
            "https://example.org/a#top", "https://example.org/%61", "http://www.example.org/a/?fbclid=1#b",
        ]
        for url in urls { try clips.run("add", "--url", url, "--title", "t", "--duplicates", "skip") }
        #expect(try value("url") == "https://example.org/a")
        for url in urls.dropFirst() { try clips.run("add", "--url", url, "--title", "t") }
        let preview = try clips.run("dedupe")
        #expect(preview.status == 1 && preview.output.split(separator: "\n").count == 10)
        #expect(preview.errors.contains("Found 9 duplicates of 1 clip. Nothing was changed"))
        #expect(
            try clips.run("dedupe", "--dry-run", "--json").output.contains(
                "\"duplicates\":[2,3,4,5,6,7,8,9,10],\"id\":1,\"url\":\"https://example.org/a\""))
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "10")
        #expect(try clips.run("dedupe", "--yes").errors == "clips: Merged 9 duplicates into clip 1 “t”.\n")
        #expect(try value("id || url") == "1https://example.org/a")
        #expect(try clips.run("undo").status == 0)
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "10")
    }

    @Test func `undo concerns the last command, an import, too, but no other program`() throws {
        try clips.run("add", "--title", "first")
        try clips.run("tag", "1", "+x")
        let script =
            "printf 'https://a.example/\\nhttps://b.example/\\n' >$TMPDIR/links.txt && $CLIPS import $TMPDIR/links.txt"
        #expect(try clips.shell(script).status == 0)
        try clips.run("extension", "--title", "from a program")
        let run = try clips.run("undo")
        #expect(run.errors == "clips: Undid: saved 2 clips.\n")
        #expect(try clips.sqlite3("SELECT group_concat(title) FROM Clip") == "first,from a program", "\(run)")
        #expect(try clips.run("undo", "--redo").status == 0)
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "4")
        #expect(try clips.run("undo", "--since", "1h").status == 0)
        #expect(try clips.sqlite3("SELECT group_concat(title) FROM Clip") == "from a program")
        #expect(
            try clips.run("undo").errors
                == "clips: There is nothing to undo; --author NAME undoes changes of another author.\n")
        #expect(try clips.run("undo", "--author", "extension").status == 0)
    }

    @Test func `all files of one import are one step of undo`() throws {
        try clips.run("add", "--title", "first")
        let script =
            "for name in a b; do printf 'https://%s.example/\\n' $name >$TMPDIR/$name.txt; done; "
            + "$CLIPS import $TMPDIR/a.txt $TMPDIR/b.txt"
        #expect(try clips.shell(script).status == 0)
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "3")
        #expect(try clips.run("undo").errors == "clips: Undid: saved 2 clips.\n")
        #expect(try clips.sqlite3("SELECT group_concat(title) FROM Clip") == "first")
    }

    @Test func `undo asks before it overwrites the change of another author`() throws {
        try clips.run("add", "--title", "a")
        _ = try clips.shell("EDITOR=\"sed -i 's/^title: a/title: mine/'\" $CLIPS edit 1")
        #expect(try value("title") == "mine")
        _ = try clips.sqlite3("UPDATE Clip SET title = 'theirs'")
        let run = try clips.run("undo")
        #expect(run.status == 1 && run.errors.contains("use --force to overwrite"), "\(run)")
        #expect(try value("title") == "theirs")
        #expect(try clips.run("undo", "--force").status == 0)
        #expect(try value("title") == "a")
    }

    @Test func `a refused undo names its change, and says that --force deletes the clip`() throws {
        try clips.run("add", "--title", "A1")
        try clips.run("tag", "1", "+x")
        _ = try clips.sqlite3("UPDATE Clip SET tags = 'y'")
        #expect(
            try clips.run("undo").errors
                == "clips: Nothing is left to undo of: tagged “A1” +x.\nclips: Cannot undo: saved “A1”. Another program has changed clip 1 “A1” since then. Nothing was changed; use --force to undo it anyway, which deletes this clip with this change.\n"
        )
        #expect(
            try clips.run("undo", "--since", "1h").errors.contains(
                "to delete the clips that the changes saved"))
        _ = try clips.sqlite3("UPDATE Clip SET updated = updated + 5")
        #expect(
            try clips.run("history", "--limit", "1").output.hasSuffix(
                "changed the edit time of clip 1 “A1”\n"))
        #expect(try clips.run("undo", "--author", "another program").status == 0)
        #expect(try clips.run("undo", "--author", "another program", "--redo").status == 0)
        #expect(try clips.run("undo", "--force").status == 0)
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "0")
    }

    @Test func `an undo counts and names what it changed, and one clip of several is named`() throws {
        try fill(3)
        #expect(try clips.run("star", "1").status == 0)
        #expect(try clips.run("star", "1", "2").errors == "clips: Starred clip 2 “title 2”.\n")
        #expect(try clips.run("tag", "1", "2", "3", "+y").errors == "clips: Tagged 3 clips +y.\n")
        #expect(try clips.run("undo").errors.hasSuffix("Undid: tagged 3 clips +y.\n"))
        try clips.run("tag", "1", "2", "3", "+y")
        _ = try clips.sqlite3("UPDATE Clip SET tags = '' WHERE id = 1")
        #expect(try clips.run("undo").errors.contains("2 clips"))
        try clips.run("add", "--title", "mine")
        try clips.run("add", "--title", "later")
        _ = try clips.sqlite3("UPDATE Clip SET title = 'theirs' WHERE title = 'mine'")
        let run = try clips.run("undo", "--since", "1h", "--dry-run")
        #expect(run.output.contains("saved"), "\(run)")
        let undo = try clips.run("undo", "--since", "1h").errors
        #expect(undo.contains("Undid: saved “later”") && !undo.contains("“theirs”"), "\(undo)")
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip WHERE title = 'theirs'") == "1")
    }

    @Test func `open opens the best match, and marks it as read`() throws {
        try fill(2)
        #expect(try clips.run("open", "title", "2").errors == "clips: Opening clip 2: title 2\n")
        #expect(clips.opened == "https://a.b/2\n")
        #expect(try value("unread") == "1;0")
        #expect(try clips.run("open", "1", "9", "--keep-unread").status == 1)
        #expect(try value("unread") == "1;0")
        #expect(clips.opened == "https://a.b/2\nhttps://a.b/1\n")
        _ = try clips.sqlite3("INSERT INTO Clip (title, url) VALUES ('script', 'javascript:1')")
        let rejection =
            "clips: Clip 3 is not opened: Only URLs such as https, file, mailto, and tel are opened.\n"
        #expect(try clips.run("open", "3").errors == rejection)
        try clips.run("add", "--title", "text")
        #expect(try clips.run("open", "4").errors == "clips: Clip 4 has no URL.\n")
        _ = try clips.shell(
            "mkdir -p $XDG_CONFIG_HOME/clips && echo set read-on-open off > $XDG_CONFIG_HOME/clips/config")
        #expect(try clips.run("open", "1").status == 0)
        #expect(try clips.sqlite3("SELECT unread FROM Clip WHERE id = 1") == "1")
    }

    @Test func `a terminal shows aligned columns in color, and local times`() async throws {
        try fill(11)
        try clips.run("add", "--title", "漢字", "--tag", "kanji", "--url", "https://example.org/kanji")
        var environment = clips.environment.merging(["TZ": "Asia/Kolkata", "PS1": "shell> "]) { $1 }
        environment["NO_COLOR"] = nil
        let terminal = try TmuxSession(
            ["bash", "--norc", "-i"], columns: 120, rows: 24, environment: environment)
        try terminal.send("unset NO_COLOR; \(ClipsProgram.path) list --limit 3", "Enter")
        #expect(try await soon { try terminal.shows("title 10") })
        let lines = try terminal.lines().filter { $0.contains(" cli ") }
        #expect(lines.count == 3 && lines[0].hasPrefix("12 •  漢字") && lines[2].hasPrefix("10 •  title 10"))
        #expect(lines[0].contains(" example.org") && lines[0].contains("#kanji"))
        func column(_ line: String) -> Int? {
            let wide = line.unicodeScalars.prefix { $0 != "c" }.count { $0.value > 0x2000 }
            return line.range(of: " cli ").map {
                line.distance(from: line.startIndex, to: $0.lowerBound) + wide
            }
        }
        #expect(column(lines[0]) == column(lines[1]), "\(lines)")
        let script = "script -qec '\(ClipsProgram.path) %' /dev/null < /dev/null"
        func inTerminal(_ words: String) throws -> String {
            try clips.shell("unset NO_COLOR; " + script.replacing("%", with: words)).output
        }
        #expect(try inTerminal("list --limit 1").contains("\u{1B}[1m"))
        #expect(try !inTerminal("list --limit 1 --color never").contains("\u{1B}["))
        // Without a site and tags, their columns are the title's.
        try clips.run("add", "--title", String(repeating: "word ", count: 30))
        let cut = try inTerminal("list --limit 1 --color never").prefix { $0 != "…" }
        #expect(cut.count > 60, "\(cut)")
        _ = try clips.sqlite3("UPDATE Clip SET created = 1763686800000 WHERE id = 1")
        let page = try clips.shell("$CLIPS show 1", ["TZ": "Asia/Kolkata"]).output
        #expect(page.contains("saved: 2025-11-21 06:30:00 +0530\n"), "\(page)")
    }

    @Test(arguments: [
        ("merge", "use --yes to merge them.", "Merged 2 duplicates into clip 1 “one”.", "one"),
        ("skip", "use --yes to delete them.", "Deleted 2 duplicates of clip 1 “one”.", "one"),
        (
            "replace", "use --yes to replace the clips by them.",
            "Replaced clip 1 “one” by the newest of 2 duplicates.", "3"
        ),
    ])
    func `dedupe says what it did with each policy`(
        policy: String, question: String, result: String, title: String
    ) throws {
        for title in ["one", "2", "3"] { try clips.run("add", "https://a.b", "--title", title) }
        #expect(try clips.run("dedupe", "--duplicates", policy).errors.hasSuffix("\(question)\n"))
        #expect(try clips.run("dedupe", "--duplicates", policy, "--yes").errors == "clips: \(result)\n")
        #expect(try clips.sqlite3("SELECT title FROM Clip") == title)
    }

    @Test(arguments: [40, 80, 200])
    func `a search on a terminal has aligned rows, and wraps at words`(columns: Int) async throws {
        let text =
            "Some words before a needle, and more words, " + String(repeating: "again and again ", count: 9)
        for index in 1...11 {
            try clips.run(
                "add", "https://example.org/\(index)", "--title", "title \(index)", "--text", text, "--tag",
                "t")
        }
        let terminal = try TmuxSession(
            ["bash", "--norc", "-i"], columns: columns, rows: 60,
            environment: clips.environment.merging(["PS1": "shell> ", "CLIPS": ClipsProgram.path]) { $1 })
        try terminal.send("$CLIPS search needle --sort newest --limit 5; echo en''d", "Enter")
        #expect(try await soon { try terminal.shows("end") })
        let lines = try terminal.lines().drop { !$0.contains("•") }.prefix {
            $0 != "end" && !$0.hasPrefix("clips:")
        }
        let rows = lines.filter { $0.contains("•") }
        #expect(
            rows.count == 5 && rows.allSatisfy { $0.hasPrefix($0.hasPrefix("1") ? "1" : " ") }, "\(lines)")
        #expect(
            rows.first?.hasPrefix("11 •  title 11 ") == true && rows.last?.hasPrefix(" 7 •  title 7 ") == true
        )
        let others = lines.filter { !$0.contains("•") }
        #expect(others.allSatisfy { $0.hasPrefix("      ") && $0.dropFirst(6).first != " " }, "\(lines)")
        // The excerpt ends within the text, between words.
        let words = Set(text.split(separator: " ").map(String.init))
        let shown = others.flatMap { $0.replacing("…", with: "").split(separator: " ") }
        #expect(shown.allSatisfy { words.contains(String($0)) }, "\(lines)")
        #expect(others.count == (columns == 40 ? 5 : columns == 80 ? 3 : 1) * 5, "\(lines)")
    }
}
