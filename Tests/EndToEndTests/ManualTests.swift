import Foundation
import TestSupport
import Testing

/// The manual page and the completions, which are printed from tables.
@Suite struct ManualTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    private func bash(_ script: String) throws -> Shell {
        let text = """
            clips() { "$CLIPS" "$@"; }
            source <("$CLIPS" completions bash)
            complete() { COMP_WORDS=(clips "$@"); COMP_CWORD=$#; _clips; echo "${COMPREPLY[@]}"; }
            \(script)
            """
        return try clips.shell(text)
    }

    @Test func `bash registers the completions`() throws {
        let text = "source <($CLIPS completions bash); complete -p clips"
        let run = try clips.shell(text)
        #expect(run.output == "complete -F _clips clips\n" && run.errors == "")
    }

    @Test func `bash completes commands, options, values, and files`() throws {
        let run = try bash(
            """
            cd '\(clips.folder.path)'; touch 'a file.html'
            complete hist; complete --store x hist; complete history cl; complete history --f
            complete export --format m; complete import --format m; complete completions z
            complete import a; complete import 'a file'; complete backup --fo; complete list --limit ''
            """)
        #expect(
            run.output == """
                history
                history
                clean
                --follow
                markdown
                markdown
                zsh
                a file.html
                a file.html
                --force

                """ + "\n" && run.errors == "", "\(run)")
    }

    @Test func `bash completes the names of fields in capital letters`() throws {
        try clips.run("add", "--title", "a", "--tag", "swift")
        let run = try bash(
            "complete list TAG : sw; complete list IS : un; complete list -Tag : s; complete list ta")
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "swift" && lines.count == 4 && lines[2] == "swift", "\(run)")
        #expect(lines[1].split(separator: " ").contains("unread") && lines[3] == "tag:", "\(run)")
    }

    @Test func `the only candidate for an empty word is not the only one`() throws {
        let words = try bash("complete history ''").output.split(separator: " ")
        #expect(words.contains("clean") && words.contains("--follow"), "\(words)")
        try clips.run("add", "--title", "a", "--tag", "only")
        #expect(try bash("complete tags delete ''").output.hasPrefix("only --"))
        #expect(try bash("complete tags delete o").output == "only\n")
    }

    @Test func `bash completes tags, which it does not expand, and offers no option of another command`()
        throws
    {
        try clips.run("add", "--title", "a", "--tag", "swift", "--tag", "two words", "--tag", "$(touch x)")
        let run = try bash(
            """
            cd '\(clips.folder.path)'
            complete add --tag sw; complete tag 1 -s; complete tag 1 +t; complete tags rename sw
            complete list tag : sw; complete list tag :; complete list is:u; complete add --tag '$'
            complete history --be; complete history clean --be; complete history clean --fol; ls x
            complete mirror pa; complete mcp i; complete browser st; complete star --query is:st; complete mirror A
            """)
        #expect(
            run.output == """
                swift
                -swift
                +two\\ words
                swift
                swift
                \\"\\$\\(touch\\ x\\)\\" swift \\"two\\ words\\"
                is:unread is:unchecked
                \\$\\(touch\\ x\\)

                --before

                pair password
                install
                status
                is:starred


                """, "\(run)")
    }

    private func candidates(_ words: [String], named: [String] = []) throws -> [String] {
        let run = try Shell.run(
            ClipsProgram.path, named + ["completions", "candidates", "--"] + words,
            environment: clips.environment)
        #expect(run.status == 0 && run.errors == "", "\(run)")
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(["words", "files"].contains(lines.first), "\(run)")
        return lines.dropFirst().map { String($0.prefix { $0 != "\t" }) }
            + (lines.first == "files" ? ["FILES"] : [])
    }

    @Test func `every command and option can be completed`() throws {
        let names = try clips.commandNames()
        #expect(try names.count > 10 && Set(candidates([""])).isSuperset(of: names))
        let options = Set(try names.flatMap { try candidates([$0, "--"]) })
        for name in names {
            let text = try clips.run(name, "--help").output
            for option in text.matches(of: /[ (]--([a-z-]+)/).map(\.1) {
                #expect(options.contains("--\(option)"), "\(name) \(option)")
            }
        }
    }

    @Test(arguments: [
        ("list is:un", "is:unread is:unchecked"), ("list -is:st", "-is:starred"),
        ("search site:ex", "site:example.org"),
        ("list author:", "author:cli"), ("check -tag:sw", "-tag:swift"), ("list t", "tag: title: text:"),
        ("list tag:tw", "tag:\"two words\""), ("tags delete tw", "two words"), ("tag 1 -sw", "-swift"),
        ("tag 1 --q", "--query --quiet"), ("tag 1 +tw", "+two words"),
        ("star --query a_is:arch", "a is:archived"),
        ("star --query=is:arch", "--query=is:archived"), ("add --tag sw", "swift"),
        ("history --author c", "cli"), ("history --author ro", "robot"),
        ("undo --author=ro", "--author=robot"),
        ("list author:ro", ""),
        ("--store FOLDER/other.db list tag:", "tag:other"),
        ("--store=FOLDER/other.db tags delete o", "other"),
        ("list --store FOLDER/other.db tag:", "tag:other"), ("list --sort up", "updated"),
        ("hist", "history"), ("cons", ""),
        ("help hist", "history"), ("--quiet hist", "history"), ("tags ren", "rename"),
        ("backup r", "restore FILES"),
        ("import x", "FILES"), ("list --store x", "FILES"), ("completions z", "zsh"), ("frob x", ""),
        ("list -- --", ""),
    ])
    func `a word has these candidates`(line: String, expected: String) throws {
        try clips.run("add", "https://example.org/a", "--tag", "swift", "--tag", "two words")
        try clips.run("add", "https://example.org/b", "--tag", "Swift")
        try clips.run("add", "--store", clips.folder.path(of: "other.db"), "--title", "b", "--tag", "other")
        try clips.run("star", "1", "--author", "robot")
        let words = line.replacing("FOLDER", with: clips.folder.path).split(separator: " ")
            .map { String($0).replacing("a_is", with: "a is") }
        #expect(try candidates(words).joined(separator: " ") == expected)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a Tab in each shell inserts a candidate`(shell: String) async throws {
        guard let found = try? Shell.run("sh", ["-c", "command -v \(shell)"]), found.status == 0 else {
            print("skipped: \(shell) is not installed")
            return
        }
        try clips.run("add", "https://example.org/a", "--tag", "swift", "--tag", "two words")
        try clips.run("add", "https://example.org/b", "--tag", "Swift", "--tag", "travel")
        try "".write(toFile: clips.folder.path(of: "other.db"), atomically: true, encoding: .utf8)
        let command = [
            "bash": ["bash", "--norc", "-i"], "zsh": ["zsh", "-f", "-i"],
            "fish": ["fish", "--no-config", "-i"],
        ]
        let load = [
            "bash": "source <(clips completions bash)",
            "zsh": "autoload -U compinit; compinit -u -D; source <(clips completions zsh)",
            "fish": "function fish_prompt; echo 'shell> '; end; clips completions fish | source",
        ]
        let path = URL(fileURLWithPath: ClipsProgram.path).deletingLastPathComponent().path
        let terminal = try TmuxSession(
            command[shell] ?? [], columns: 120, rows: 24,
            environment: clips.environment.merging([
                "PS1": "shell> ", "PATH": path + ":/usr/bin:/bin",
            ]) { $1 })
        try terminal.send("\(load[shell] ?? ""); echo loa''ded", "Enter")
        #expect(try await soon { try terminal.shows("loaded") })
        for (typed, shown) in [
            ("list is:unr", "list is:unread"), ("list -tag:sw", "list -tag:swift"),
            ("list -tag:two", "list -tag:\\\"two\\ words\\\""), ("tag 1 --que", "tag 1 --query"),
            ("tags delete sw", "tags delete swift"), ("tags delete two", "tags delete two\\ words"),
            ("export --form", "export --format"),
            ("list --store=\(clips.folder.path)/oth", "list --store=\(clips.folder.path)/other.db"),
            ("list tag:Sw", "list tag:Swift"),
            // Within a quote that is not closed yet.
            ("search \"tag:sw", "search \"tag:swift"), ("search 'two tag:sw", "search 'two tag:swift"),
        ] {
            try terminal.send("clips \(typed)", "Tab")
            #expect(try await soon { try terminal.shows("clips \(shown)") }, "\(typed)")
            try terminal.send("C-u")
        }
        // Names with and without quotes share less than was typed, which remains.
        try terminal.send("clips list tag:t", "Tab")
        try terminal.send("r", "Tab")
        #expect(try await soon { try terminal.shows("clips list tag:travel") })
    }

    @Test func `every help fits a screen, except the table of formats`() throws {
        for words in try [["--help"]] + clips.commandNames().map({ [$0, "--help"] }) {
            let run = try Shell.run(ClipsProgram.path, words, environment: clips.environment)
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            // The fields of each format are a table of their own.
            #expect(
                run.status == 0 && lines.count <= (words[0] == "import" ? 74 : 24), "\(words): \(lines.count)"
            )
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(words)")
        }
    }

    @Test func `other installed shells parse their completions`() throws {
        for shell in ["zsh", "fish"] {
            let path = clips.folder.path(of: shell)
            try clips.run("completions", shell).output.write(toFile: path, atomically: true, encoding: .utf8)
            guard let run = try? Shell.run(shell, ["-n", path]) else { continue }
            #expect(run.status == 0 && run.errors == "", "\(run)")
        }
    }

    @Test func `the manual page has every command and key, in ASCII and without a warning`() throws {
        let page = try clips.run("man").output
        #expect(page.unicodeScalars.allSatisfy { $0.isASCII })
        // A line that begins with a dot is a request; the page uses these.
        let requests = Set(
            page.split(separator: "\n").filter { $0.hasPrefix(".") }.map { $0.prefix { $0 != " " } })
        #expect(requests == [".TH", ".SH", ".SS", ".B", ".PP", ".TP", ".nf", ".fi", ".RS", ".RE"])
        let path = clips.folder.path(of: "clips.1")
        try page.write(toFile: path, atomically: true, encoding: .utf8)
        guard let run = try? Shell.run("groff", ["-man", "-Tutf8", "-ww", path]) else { return }
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        let text = run.output.replacing(/\u{1B}\[[0-9;]*m/, with: "").replacing(/.\u{8}/, with: "")
        for words in [
            "clips history clean", "clips tag ID… +NAME… -NAME…", "EXIT STATUS", "k ↑ (up)", "^R",
            "bind KEY ACTION",
        ] {
            #expect(text.contains(words), "\(words)")
        }
    }

    @Test func `every entry of the manual page has a term`() throws {
        let lines = try clips.run("man").output.split(separator: "\n", omittingEmptySubsequences: false)
        let terms = zip(lines, lines.dropFirst()).filter { $0.0 == ".TP" }.map(\.1)
        #expect(terms.count > 30 && !terms.contains { $0.hasPrefix("\\fB\\fR") })
        #expect(
            terms.contains { $0.contains(":set OPTION VALUE") } && terms.contains { $0.contains(":errors") })
    }
}
