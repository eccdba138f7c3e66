import Foundation
import TestSupport
import Testing

/// `clips add` with URLs, pages, and the command that gets pages.
@Suite struct CaptureTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    private static let page = """
        <html><head><title>The page</title><meta name=description content="About it"><script>evil()</script></head>
        <body><nav>Menu</nav><main><p>Words to read.</p></main></body></html>
        """

    /// Configures a script that gets pages; its arguments end with the URL.
    private func setFetch(_ script: String) throws {
        let folder = clips.folder.path(of: "config/clips")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = clips.folder.path(of: "fetch.sh")
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        try "fetch sh \(path)\n".write(toFile: folder + "/config", atomically: true, encoding: .utf8)
    }

    @Test func `URLs and domains are operands, one clip each`() throws {
        let run = try clips.run("add", "--tag", "t", "example.com/foo", "https://swift.org", "localhost:80/x")
        #expect(run.status == 0 && run.output == "1\n2\n3\n" && run.errors == "", "\(run)")
        #expect(
            try clips.sqlite3("SELECT url || tags || text FROM Clip ORDER BY id")
                == "https://example.com/foot\nhttps://swift.orgt\nhttp://localhost/xt")
        #expect(try clips.run("add", "--url", "example.org").status == 0)
        #expect(try clips.sqlite3("SELECT url FROM Clip WHERE id = 4") == "https://example.org")
        for words in [["notes.txt"], ["a.org", "two words"], ["--title", "t", "a.org", "b.org"]] {
            let run = try Shell.run(ClipsProgram.path, ["add"] + words, environment: clips.environment)
            #expect(run.status == 2, "\(words): \(run)")
        }
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "4")
    }

    @Test func `--json prints the saved clips`() throws {
        let run = try clips.run("add", "--json", "a.org", "b.org")
        let shown = try clips.run("show", "--json", "1", "2").output
        #expect(run.status == 0 && run.output == shown, "\(run)")
        #expect(run.output.contains("\"url\":\"https://b.org\""))
        let lines = try clips.run("extension", "--jsonl", "--json", input: "{\"title\":\"t\"}\n")
        #expect(try clips.run("show", "--json", "3").output == lines.output, "\(lines)")
    }

    @Test func `--ids prints the IDs even with --quiet, which alone prints nothing`() throws {
        let lines = "{\"title\":\"a\"}\n{\"title\":\"b\"}\n"
        let quiet = try clips.run("extension", "--jsonl", "--quiet", input: lines)
        #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty, "\(quiet)")
        let ids = try clips.run("extension", "--jsonl", "--quiet", "--ids", input: lines)
        #expect(ids.status == 0 && ids.output == "3\n4\n" && ids.errors.isEmpty, "\(ids)")
        #expect(try clips.run("add", "--quiet", "--title", "c").output.isEmpty)
        #expect(try clips.run("add", "--quiet", "--ids", "--title", "d").output == "6\n")
    }

    @Test func `HTML that is piped in becomes a title, a note, and readable text`() throws {
        let run = try clips.run("add", "--url", "https://a.org", input: Self.page)
        #expect(run.status == 0, "\(run)")
        #expect(try clips.sqlite3("SELECT title, note, text FROM Clip") == "The page|About it|Words to read.")
        try clips.run("add", "b.org", "--title", "T", "--note", "N", input: Self.page)
        #expect(
            try clips.sqlite3("SELECT url, title, note, text FROM Clip WHERE id = 2")
                == "https://b.org|T|N|Words to read.")
        try clips.run("add", input: "if a < b { return }")
        #expect(try clips.sqlite3("SELECT text FROM Clip WHERE id = 3") == "if a < b { return }")
    }

    @Test func `a piped page without an address says that its relative links are left out`() throws {
        let relative = "<html><body><p>Words, <a href='/x'>link</a>, <a href='#y'>here</a>.</p></body></html>"
        let run = try clips.run("add", input: relative)
        #expect(run.errors.contains("relative links of the page are left out; --url"), "\(run)")
        for address in ["https://a.org/x", "#x"] {
            let run = try clips.run("add", input: relative.replacing("'/x'", with: "'\(address)'"))
            #expect(run.status == 0 && run.errors == "", "\(run)")
        }
        let based = try clips.run("add", "--url", "https://a.org/b", input: relative)
        #expect(based.status == 0 && based.errors == "", "\(based)")
        #expect(try clips.sqlite3("SELECT text FROM Clip WHERE id = 4").contains("https://a.org/x"))
    }

    @Test func `a page is fetched by the configured command, without a shell`() throws {
        try setFetch(
            "printf '%s' \"$#$1\" > '\(clips.folder.path(of: "seen"))'\ncat <<'END'\n\(Self.page)\nEND\n")
        let url = "https://a.org/?a=$(touch%20x)&b=';c"
        let run = try clips.run("add", "--fetch", url, input: "not read")
        #expect(run.status == 0 && run.output == "1\n" && run.errors == "", "\(run)")
        #expect(try clips.sqlite3("SELECT title, text FROM Clip") == "The page|Words to read.")
        let seen = try String(contentsOfFile: clips.folder.path(of: "seen"), encoding: .utf8)
        #expect(seen == "1" + url)
    }

    @Test(arguments: [
        ("exit 22", "ended with status 22"),
        ("echo 'curl: (6) no such host' >&2; exit 6", ": curl: (6) no such host"),
        ("yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "it has more than 16 MB"),
        ("exit 127", "could not be started"),
        ("printf '\\0\\0'", "it is neither HTML nor text"), ("exit 0", "it is empty"),
    ])
    func `a page that is not fetched is saved by its URL, with status 1`(script: String, reason: String)
        throws
    {
        try setFetch(script)
        let run = try clips.run("add", "--fetch", "a.org", "--title", "T")
        #expect(run.status == 1 && run.output == "1\n", "\(run)")
        #expect(
            run.errors.hasPrefix("clips: Clip 1 has no text of its page: ") && run.errors.contains(reason),
            "\(run)")
        #expect(try clips.sqlite3("SELECT url, title FROM Clip") == "https://a.org|T")
    }

    @Test func `only http and https are fetched, also by redirection, in the encoding of the header`() throws
    {
        let file = try clips.run("add", "--fetch", "file:///etc/passwd")
        #expect(file.status == 1 && file.errors.contains("only http and https"), "\(file)")
        #expect(try clips.run("add", "--fetch").status == 2)
        guard (try? Shell.run("curl", ["--version"]))?.status == 0 else { return }
        let server = """
            import http.server
            class Site(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    if self.path == '/away':
                        self.send_response(302); self.send_header('Location', 'file:///etc/passwd'); self.end_headers()
                    elif self.path == '/moved':
                        self.send_response(302); self.send_header('Location', '/page'); self.end_headers()
                    elif self.path == '/folder':
                        self.send_response(301); self.send_header('Location', '/folder/'); self.end_headers()
                    elif self.path == '/folder/':
                        self.send_response(200); self.end_headers()
                        self.wfile.write(b'<html><title>Folder</title><p>See <a href=post>it</a></html>')
                    elif self.path == '/japanese':
                        self.send_response(200)
                        self.send_header('Content-Type', 'text/html;charset=Shift_JIS'); self.end_headers()
                        self.wfile.write('<html><title>日本語</title><p>表示'.encode('shift_jis'))
                    else:
                        self.send_response(200); self.end_headers()
                        self.wfile.write(b'<html><title>Served</title><p>Words</html>')
                def log_message(self, *words): pass
            server = http.server.HTTPServer(('127.0.0.1', 0), Site)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let run = try clips.shell(
            """
            exec 3< <(exec python3 -c "$SERVER"); server=$!
            read -r port <&3
            "$CLIPS" add --fetch "127.0.0.1:$port/moved"
            "$CLIPS" add --fetch "http://127.0.0.1:$port/away"; echo "status $?"
            "$CLIPS" add --fetch "http://127.0.0.1:$port/japanese"
            "$CLIPS" add --fetch "http://127.0.0.1:$port/folder"
            kill $server
            """, ["SERVER": server])
        #expect(run.output == "2\n3\nstatus 1\n4\n5\n", "\(run)")
        #expect(
            try clips.sqlite3("SELECT title || text FROM Clip WHERE id IN (2, 4)") == "ServedWords\n日本語表示",
            "\(run)")
        #expect(run.errors.contains("curl: "), "\(run)")
        // Links are relative to the address after redirections.
        #expect(try clips.sqlite3("SELECT text FROM Clip WHERE id = 5").hasSuffix("/folder/post"))
    }

    @Test func `an interrupted fetch saves the clip and ends the command`() async throws {
        try setFetch("touch '\(clips.folder.path(of: "started"))'; exec tail -f /dev/null")
        let process = try clips.start(["add", "--fetch", "a.org", "b.org"])
        #expect(await soon { FileManager.default.fileExists(atPath: clips.folder.path(of: "started")) })
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(try clips.sqlite3("SELECT group_concat(url) FROM Clip") == "https://a.org,https://b.org")
    }

    @Test(arguments: [
        ("https://example.org/a b", "", "|https://example.org/a b"),
        ("https://example.org/a", "", "https://example.org/a|"),
        ("  example.org/a\n", "", "https://example.org/a|"), ("mailto:ann@a.b\n", "", "mailto:ann@a.b|"),
        ("https://example.org/a\n", "--text -", "|https://example.org/a"),
        ("https://a.org\nhttps://b.org\n", "", "|https://a.org\nhttps://b.org"),
        ("example.org\n", "--url https://a.b", "https://a.b|example.org"), ("word\n", "", "|word"),
        ("notes.txt\n", "", "|notes.txt"),
    ])
    func `one piped line that is an address is saved as a URL`(
        input: String, options: String, expected: String
    ) throws {
        for command in ["add", "extension"] {
            let run = try Shell.run(
                ClipsProgram.path, [command] + options.split(separator: " ").map(String.init), input: input,
                environment: clips.environment)
            #expect(run.status == 0, "\(run)")
            let saved = try clips.sqlite3("SELECT url || '|' || text FROM Clip ORDER BY id DESC LIMIT 1")
            #expect(saved.trimmingCharacters(in: .whitespacesAndNewlines) == expected)
            try clips.run("delete", "--query", "is:unread", "--yes")
        }
    }

    @Test(arguments: [
        ("<body@example.org> wrote\n\n  two  spaces", ""), ("<script>let a = 1</script>", ""),
        ("<html><script>let a = 1</script></html>", ""),
        ("<p>a <b>b</b></p>", "--text -"), ("<!doctype html><title>t</title><p>a", "--text -"),
    ])
    func `a text that is no page, or that --text reads, is saved as it is`(input: String, options: String)
        throws
    {
        for command in ["add", "extension"] {
            let words = [command] + options.split(separator: " ").map(String.init)
            let run = try Shell.run(ClipsProgram.path, words, input: input, environment: clips.environment)
            #expect(run.status == 0, "\(run)")
            let saved = try clips.sqlite3("SELECT text FROM Clip ORDER BY id DESC LIMIT 1")
            #expect(saved == input)
        }
    }

    @Test func `a given title is that of the merged clip, and the other one is in the note`() throws {
        func add(_ title: String) throws -> String {
            try clips.run("add", "https://a.b", "--title", title, "--duplicates", "merge")
            return try clips.sqlite3("SELECT title || '|' || note FROM Clip")
        }
        #expect(try add("A long title of the page") == "A long title of the page|")
        #expect(try add("Mine") == "Mine|title: A long title of the page")
        #expect(try add("Mine") == "Mine|title: A long title of the page")
        #expect(try add("A long title of the page") == "A long title of the page|title: Mine")
    }
}
