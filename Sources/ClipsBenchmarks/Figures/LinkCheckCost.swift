import Platform

extension Figure {
    static let linkCheck = Figure(
        name: "CHECK", title: "'clips check' of 10,000 addresses on 500 hosts, and of 500"
    ) { workspace in
        let clips = try workspace.clipsProgram()
        let server = try ChildProcess(["python3", "-u", "-c", source])
        defer { server.kill() }
        let port = try server.receiveLine()
        let hosts = workspace.count(500, quick: 100)
        func check(_ count: Int) throws -> ChildProcess.Exit {
            let store = workspace.newPath("check.db")
            let writer = try ChildProcess([clips, "extension", "--jsonl", "--quiet", "--store", store])
            for number in 0..<count {
                let host = number % hosts
                let url = "http://127.0.\(1 + host / 250).\(1 + host % 250):\(port)/\(number)"
                try writer.send(Array("{\"url\":\"\(url)\"}\n".utf8))
            }
            _ = writer.wait()
            return try ChildProcess.run([clips, "check", "--quiet", "--store", store], measuringMemory: true)
        }
        let (many, few) = (try check(20 * hosts), try check(hosts))
        let name = "\((20 * hosts).grouped) links on \(hosts) hosts"
        return [
            Measurement(
                "peak memory, \(name)", .memory, [many.peakMemory], goal: .atMost(40 * 1_048_576),
                headline: "Peak memory of a check of \(name)"),
            Measurement("peak memory, one link for each host", .memory, [few.peakMemory]),
            Measurement("time, \(name)", .time, [many.seconds]),
        ]
    }

    private static let source = """
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        class Site(BaseHTTPRequestHandler):
            def do_HEAD(self):
                self.send_response(200)
                self.end_headers()
            def log_message(self, *words): pass
        server = ThreadingHTTPServer(('', 0), Site)
        server.daemon_threads, server.request_queue_size = True, 512
        print(server.server_port)
        server.serve_forever()
        """
}
