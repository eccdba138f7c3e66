import Foundation
import TestSupport
import Testing

/// `clips check`, with curl and servers.
@Suite struct CheckCommandTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    /// Answers all paths, and prints each; `/gone…` is missing, and `/moved…` leads to `/new…`.
    private func server() throws -> (server: LineProcess, port: String) {
        let server = try LineProcess(
            "python3",
            [
                "-u", "-c",
                """
                import http.server
                class Site(http.server.BaseHTTPRequestHandler):
                    def do_HEAD(self):
                        # One write, since the threads of other requests print between two.
                        print(self.path + "\\n", end="", flush=True)
                        moves = self.path.startswith('/moved')
                        self.send_response(301 if moves else 404 if self.path.startswith('/gone') else 200)
                        if moves: self.send_header('Location', self.path.replace('moved', 'new'))
                        self.end_headers()
                    do_GET = do_HEAD
                    def log_message(self, *words): pass
                server = http.server.ThreadingHTTPServer(('', 0), Site)
                server.daemon_threads = True
                print(server.server_port, flush=True)
                server.serve_forever()
                """,
            ])
        return (server, try server.answer())
    }

    /// Moves the last checks of all links to another day.
    private func pass(days: Int) throws {
        let earlier = days * 86_400_000
        _ = try clips.sqlite3(
            "UPDATE LinkCheck SET checked = checked - \(earlier), failed = failed - \(earlier)")
    }

    @Test func `dead and moved links are printed, listed, and repaired, without a change of the history`()
        throws
    {
        let (server, port) = try server()
        defer { server.killNow() }
        let host = "http://127.0.0.1:\(port)"
        try clips.run("add", "\(host)/gone", "http://127.0.0.2:\(port)/moved", "http://127.0.0.3:\(port)/ok")
        try clips.run("add", "--text", "no link")
        let first = try clips.run("check")
        #expect(
            first.status == 0 && first.output == ""
                && first.errors == "clips: Checked 3 links; 0 dead, 0 moved.\n",
            "\(first)")
        let end = try clips.sqlite3("SELECT max(number) FROM history")
        let again = try clips.run("check")
        #expect(
            again.errors
                == "clips: Checked 0 links; 0 dead, 0 moved. 3 have an answer of the last 20 hours.\n")
        try pass(days: 1)
        #expect(
            try clips.run("check").output
                == "2  moved  http://127.0.0.2:\(port)/moved  http://127.0.0.2:\(port)/new\n")
        try pass(days: 1)
        let last = try clips.run("check", "-is:moved")
        #expect(
            last.output.hasPrefix("1  dead  \(host)/gone  HTTP status 404; https://web.archive.org/web/2"),
            "\(last)")
        // Two changes in two transactions; the other answers leave no trace.
        let rows = try clips.sqlite3(
            "SELECT count(object), count(*) FILTER (WHERE kind = 3) FROM history WHERE number > \(end)")
        #expect(rows == "2|2")
        #expect(try clips.run("list", "is:dead").output.contains("✗ http://127.0.0.1"))
        #expect(try clips.run("show", "2").output.contains("link: moved\n"))
        #expect(try clips.run("history", "--limit", "1").output.hasSuffix("checked clip 1 “\(host)/gone”\n"))

        #expect(
            try clips.run("check", "--fix-moved").errors.hasPrefix("clips: Replaced the address of clip 2 “"))
        #expect(try clips.sqlite3("SELECT url FROM Clip WHERE id = 2") == "http://127.0.0.2:\(port)/new")
        #expect(try clips.run("undo").status == 0)
        #expect(try clips.run("list", "is:moved").output.contains("/moved"))
        #expect(try clips.run("check", "is:nothing").status == 2)
    }

    @Test func `a killed check continues after its last saved answers`() throws {
        let (server, port) = try server()
        defer { server.killNow() }
        let urls = (1...8).flatMap { host in (1...5).map { "http://127.0.0.\(host):\(port)/\(host)-\($0)" } }
        let lines = urls.map { "{\"url\":\"\($0)\"}\n" }.joined()
        try clips.run("extension", "--jsonl", "--quiet", input: lines)
        let process = try clips.start(["check"])
        #expect(try eventually { (Int(try clips.sqlite3("SELECT count(*) FROM LinkCheck")) ?? 0) > 0 })
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let saved = Set(
            try clips.sqlite3("SELECT url FROM Clip JOIN LinkCheck ON clip = Clip.id").split(separator: "\n"))
        #expect(saved.count < urls.count)
        #expect(try clips.run("check").status == 0)
        #expect(try clips.sqlite3("SELECT count(*) FROM LinkCheck") == "40")
        var requests: [String: Int] = [:]
        server.killNow()
        while let path = try? server.answer() { requests[path, default: 0] += 1 }
        #expect(requests.count == 40)
        for url in saved {
            let path = "/\(url.split(separator: "/").last ?? "")"
            #expect(requests[path] == 1, "\(url)")
        }
    }
}
