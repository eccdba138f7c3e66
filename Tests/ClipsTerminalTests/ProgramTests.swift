import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

/// The user's browser and editor, of which each test brings its own.
@Suite(.serialized) struct ProgramTests {
    @Test func `words of BROWSER may have quotation marks`() {
        let command = Browser.command(for: "http://a/", browser: "'a b' -p \"\":a b c")
        #expect(command == ["a b", "-p", "", "http://a/"])
    }

    @Test func `an editor with an open quotation mark is not started`() {
        #expect(Editor(line: "true 'x").edit("/dev/null", hasTerminal: false) == nil)
        #expect(Editor(line: "true 'x' $HOME").edit("/dev/null", hasTerminal: false) == 0)
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// Reaps none: a child of any other test would be seen too.
    private static func hasUnreapedChild() -> Bool {
        let stats = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return stats.filter { Int($0) != nil }.contains { process in
            let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && fields[0] == "Z" && fields[1] == "\(getpid())"
        }
    }

    @Test func `opening reports success when the browser's command has ended well, and reaps it`()
        async throws
    {
        try await RunningApp.open(clips: 3) { app in
            let opened = app.folder.path(of: "opened")
            try app.use(browser: "echo \"$1\" >> '\(opened)'")
            try app.run("o\n:wait text=Opened https://clip2.example/")
            #expect(Self.text(opened) == "https://clip2.example/\n")
            try app.run("3<Space>o\n:wait text=Opened 3 URLs")
            #expect(Self.text(opened).split(separator: "\n").count == 4)
            #expect(!app.script.runner.hasPrograms && !Self.hasUnreapedChild())
        }
    }

    @Test func `a browser that fails is reported with its status`() async throws {
        try await RunningApp.open(clips: 3) { app in
            try app.use(browser: "exit 7")
            try app.run("o\n:wait text='sh' ended with status 7 on https://")
            #expect(app.state.message?.isError == true)
            try app.use(browser: "case $1 in *clip1*) exit 3; esac")
            try app.run("3<Space>o\n:wait text='sh' ended with status 3 for 1 of 3 URLs.")
            app.script.runner.programs.browser = "/no/such/browser"
            try app.run("<Esc>o\n:wait text='/no/such/browser' could not be started")
        }
    }

    @Test func `a program that fails on one of several clips names it, and the number of the others`()
        async throws
    {
        try await RunningApp.open(clips: 3) { app in
            try app.run("3<Space>:run sh -c 'exit 4'<Enter>\n:wait text='sh' ended with status 4 on “")
            try app.run(":wait text=”; 2 clips were left out.")
        }
    }

    @Test func `a page opens here or in the archive as in the browser, also those of marked clips`() throws {
        var state = AppState.showing(3)
        let clip = try #require(state.list.clips.selectedRow)
        func isHere(_ effect: Effect?, _ urls: [String], _ clips: [Int64], _ subject: String) -> Bool {
            if case .openHere(urls, clips, subject)? = effect { true } else { false }
        }
        #expect(isHere(try state.press("O").last, [clip.url], [clip.id], clip.title))
        for (key, place) in [("o", PagePlace.browser), ("O", .terminal), ("I", .archive)] {
            guard case .gather([1, 2], _, .open(place))? = try state.press("g2<Space>" + key).last else {
                Issue.record("\(key) does not use the marks")
                continue
            }
            try state.press("<Esc><Esc>")
        }
        let layout = StoredObject.Layout(names: ["url"])
        let clips = [2, 1].map {
            Clip(
                StoredObject(
                    id: ClipModel.objectID($0), version: 1, layout: layout,
                    values: [.text("https://a.ex/\($0)")]))
        }
        let urls = ["https://a.ex/2", "https://a.ex/1"]
        let here = state.answer(.gather([1, 2], nil, .open(.terminal)), clips)
        #expect(isHere(here.first, urls, [2, 1], "2 URLs"))
        let archive = state.answer(.gather([1, 2], nil, .open(.archive)), clips)
        guard case .open(let archived, [2, 1])? = archive.first else {
            Issue.record("not opened")
            return
        }
        let host = "https://web.archive.org/"
        #expect(zip(archived, urls).allSatisfy { $0.hasPrefix(host) && $0.hasSuffix($1) })
    }

    @Test func `the advice about a program that cannot be started is its name`() {
        var launches = Launches()
        launches.start(
            [(["/no/such/program"], nil)], on: "“a”", hint: "Check its output.",
            startHint: "Check its name.")
        #expect(
            launches.collect(at: .now).map(\.sentence) == [
                "'/no/such/program' could not be started on “a”. Check its name."
            ])
    }

    @Test func `a program that exists but cannot be started is not misspelled`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 200), clips: 1) { app in
            let script = app.folder.path(of: "script")
            try "echo".write(toFile: script, atomically: true, encoding: .utf8)
            for (program, problem) in [
                (script, "It is not executable."), (app.folder.path, "It is a folder."),
                ("/no/such/program", "Check its name."),
            ] {
                try app.run("!\(program)<Enter>\n:wait text=\(problem)\n:wait idle")
                try app.run("!\(program) &<Enter>\n:wait text=\(problem)\n:wait idle")
            }
            chmod(script, 0o755)
            try app.run("!\(script)<Enter>\n:wait text=that begins with '#!'\n:wait idle")
            try "#!/no/such/shell".write(toFile: script, atomically: false, encoding: .utf8)
            try app.run("!\(script)<Enter>\n:wait text=The interpreter that its first line names")
        }
    }

    @Test func `a clip is read once a browser has its page, and remains unread if that failed`() async throws
    {
        try await RunningApp.open(clips: 3) { app in
            app.script.runner.programs.browser = "/no/such/browser"
            app.script.runner.programs.terminalBrowser = "/no/such/browser"
            for keys in ["o", "O", "3<Space>o"] {
                try app.run("\(keys)\n:wait text='/no/such/browser' could not be started\n:wait idle\n<Esc>")
            }
            #expect(app.state.list.clips.rows.map(\.isUnread) == [true, true, true])
            try app.use(browser: ":")
            app.script.runner.programs.terminalBrowser = "true"
            try app.run("go\n:wait text=Opened")
            #expect(app.wait { $0.list.clips.rows.map(\.isUnread) == [false, true, true] })
            try app.run("jO")
            #expect(app.wait { $0.list.clips.rows.map(\.isUnread) == [false, false, true] })
        }
    }

    @Test func `a text browser in BROWSER has the terminal`() async throws {
        try await RunningApp.open(clips: 2) { app in
            let browser = app.folder.path(of: "w3m")
            let script = "#!/bin/sh\ntest -t 0 && echo \"on a terminal $1\" || echo nowhere"
            try script.write(toFile: browser, atomically: true, encoding: .utf8)
            chmod(browser, 0o755)
            app.script.runner.programs.browser = browser
            try app.run("o\n:wait text=Ran")
            #expect(app.lines[0].hasPrefix("on a terminal https://clip1.example/"), "\(app.lines[0])")
            #expect(app.wait { $0.list.clips.rows.map(\.isUnread) == [false, true] })
        }
    }

    @Test func `the output of a browser for the terminal that ends or fails is read`() async throws {
        try await RunningApp.open(clips: 3) { app in
            let browser = app.folder.path(of: "browser")
            try "echo \"no page $1\" >&2; exit 3".write(toFile: browser, atomically: true, encoding: .utf8)
            app.script.runner.programs.terminalBrowser = "sh \(browser)"
            try app.run("O\n:wait text='sh' ended with status 3 on “Clip 2”. Check the address")
            #expect(app.state.screen == .output && app.lines[0] == "no page https://clip2.example/")
            try app.run("j\n:wait text=Output of sh on “Clip 2”\n<Esc>\n:wait text=Clip 1")
            try "echo a text".write(toFile: browser, atomically: true, encoding: .utf8)
            try app.run("jO\n:wait text=Ran sh on “Clip 1”")
            #expect(app.lines[0] == "a text")
            #expect(app.wait { $0.list.clips.rows.map(\.isUnread) == [true, false, true] })
            // A program that reads keys and ends without one, too.
            let screen = "stty -icanon; sleep 0.5; echo a screen"
            try screen.write(toFile: browser, atomically: true, encoding: .utf8)
            try app.run("<Esc>O\n:wait text=a screen")
            #expect(app.state.screen == .output)
        }
    }

    @Test func `a browser that stays is reported as started, holds no key, and is reaped at its end`()
        async throws
    {
        try await RunningApp.open(clips: 3) { app in
            let (begun, end) = (app.folder.path(of: "begun"), app.folder.path(of: "end"))
            // It reads to the end of a pipe that the test opens and closes.
            #expect(mkfifo(end, 0o600) == 0)
            try app.use(browser: "touch '\(begun)'; cat '\(end)'")
            app.script.runner.handle(.key(.character("o")))
            #expect(app.lines.isEmpty == false && app.state.message?.text.hasPrefix("Opening") == true)
            app.script.runner.handle(.key(.character("j")))
            #expect(app.state.list.clips.selectedIndex == 1)
            try app.run(":wait text=Started sh for https://clip2.example/")
            #expect(app.script.runner.hasPrograms)
            #expect(eventually { FileManager.default.fileExists(atPath: begun) })
            close(Glibc.open(end, O_WRONLY))
            #expect(app.script.wait { !$0.hasPrograms })
            #expect(!Self.hasUnreapedChild())
        }
    }

    @Test func `a program gets the fields of the clip as arguments, and no shell reads them`() async throws {
        try await RunningApp.open { app in
            let out = app.folder.path(of: "out")
            var draft = ClipDraft()
            (draft.title, draft.url) = ("$(touch '\(out)2') \"x\" ; rm", "https://a.example/?a=1&b='c'")
            (draft.text, draft.tags) = (String(repeating: "long text\n", count: 50_000), ["a", "b"])
            let hostile = draft
            _ = try app.other { try await $0.add([hostile]) }
            try app.run(":wait count=1")
            try app.run(
                "::run sh -c 'printf \"%s|\" \"$@\" > \"$0\"' '\(out)' {title} '<lt>{tags}>' {url}<Enter>")
            try app.run(":wait text=Ran sh on")
            #expect(Self.text(out) == "\(hostile.title)|<a,b>|\(hostile.url)|")
            #expect(!FileManager.default.fileExists(atPath: out + "2"))
            try app.run("::pipe sh -c 'cat > \"$0\"' '\(out)'<Enter>\n:wait text=Ran sh on")
            #expect(Self.text(out) == hostile.text)
            try app.run("::run sh -c 'exit 6'<Enter>\n:wait text='sh' ended with status 6 on “")
            // The shell started, even if it could not start the program.
            try app.run("::run sh -c 'exec nosuch'<Enter>\n:wait text='sh' ended with status 127 on “")
            try app.run("<Esc>")
            try app.run("::run sh -c 'exec nosuch' &<Enter>\n:wait text='sh' ended with status 127 on “")
            try app.run("::run sh -c 'exit 7' &<Enter>\n:wait text='sh' ended with status 7 on “")
            try app.run("::run sh -c 'exit 0' &<Enter>\n:wait text=Ran sh on “$(touch")
            try app.run("::run sh -c 'kill -2 $$'<Enter>\n:wait text=Interrupted sh on")
            try app.run("::pipe sh -c 'cat > \"$0\"' '\(out)3' &<Enter>")
            #expect(eventually { Self.text(out + "3") == hostile.text })
        }
    }

    @Test func `a field that a program would read as an option is not passed`() throws {
        let layout = StoredObject.Layout(names: ["title"])
        let clip = Clip(
            StoredObject(id: ClipModel.objectID(1), version: 1, layout: layout, values: [.text("-rf /")]))
        #expect(try ClipCommand("grep -- {title}").words(for: clip) == ["grep", "--", "-rf /"])
        #expect(try ClipCommand("grep -e{title} {id}").words(for: clip) == ["grep", "-e-rf /", "1"])
        #expect(throws: ConfigError.self) { try ClipCommand("grep {title}").words(for: clip) }
        for line in [
            "sh -c 'echo \"$1\"' sh {title}", "bash -lc 'a \"$@\"' sh {url} {title}",
            "sh -o errexit -c 'a $1' sh {url}",
            "sh script.sh {url}", "grep sh {id}", "env bash -c -- 'a' {url}", "bash --norc -c 'a' {url}",
        ] {
            _ = try ClipCommand(line)
        }
        for line in [
            "bash -lc 'a {url}'", "bash -ic {url}", "sh -ec 'a {url}'", "sh -cx 'a {url}'",
            "sh -c -- 'a {url}'",
            "sh -c -x 'a {url}'", "sh -c -o errexit 'a {url}'", "bash -co errexit 'a {url}'",
            "bash +o posix -c {url}",
            "/usr/bin/bash -c {url}", "env A=b bash -lc {url}", "busybox sh -c {url}",
            "nice -n 5 dash -ec {url}",
            "zsh -fc {url}", "fish --command {url}", "fish -C {url}", "fish --command={url}",
            "bash --rcfile {text} x",
            "sudo -u me sh -c {url}", "ssh host 'a {url}'", "ssh host a {url}", "su me -c {url}",
            "watch {url}",
            "sh {text}", "bash -- {text}", "timeout 3 ksh -c {url}", "nu -c {url}", "sh -xvc \"a '{url}'\" b",
        ] {
            #expect(throws: ConfigError.self, "\(line)") { try ClipCommand(line) }
        }
        for line in ["", "&", "sh -c 'echo {title}' &", "bash -c {title}", "a | b", "a > {url}"] {
            #expect(throws: ConfigError.self, "\(line)") { try ClipCommand(line) }
        }
    }

    @Test func `more marked clips than can be opened are counted, with the true limit`() throws {
        var state = AppState.showing(60)
        try state.press("vG")
        let effects = try state.press("o")
        #expect(effects.allSatisfy { if case .gather = $0 { false } else { true } })
        #expect(state.message?.text == "60 clips are marked; mark at most 20 to open them.")
    }

    @Test func `a form is left behind only by an editor that failed after changing it`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 300), clips: 1) { app in
            let path = app.folder.path(of: "path")
            func form() -> String { Self.text(path).trimmingCharacters(in: .newlines) }
            func exists() -> Bool { FileManager.default.fileExists(atPath: form()) }
            let remember = "echo \"$1\" > '\(path)'"
            try app.use(editor: "\(remember); exit 3")
            try app.run("e\n:wait text=ended with status 3; your edit of “Clip 0” was not saved. Check")
            #expect(form().contains("/clip-") && !exists())
            try app.use(editor: remember)
            try app.run("e\n:wait text= is unchanged.")
            #expect(!exists())
            try app.use(editor: "\(remember); sed -i 's/^title: .*/title: Saved/' \"$1\"")
            try app.run("e\n:wait text=Edited")
            #expect(!exists())
            try app.use(editor: "\(remember); sed -i 's/^title: .*/title: Lost/' \"$1\"; exit 3")
            try app.run("e\n:wait idle")
            #expect(app.state.message?.text.contains("Your text is in \(form()).") == true)
            #expect(Self.text(form()).contains("title: Lost"))
            unlink(form())
        }
    }
}
