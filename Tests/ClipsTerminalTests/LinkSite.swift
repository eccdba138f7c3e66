import Foundation
import TestSupport

/// A server with the behaviors of the web, each at a host of its own: `127.0.1.N`.
struct LinkSite {
    let port: String
    /// The port of 127.0.1.200 with TLS, whose certificate no client trusts.
    let securePort: String
    private let server: LineProcess
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let certificate = folder.path(of: "certificate.pem")
        _ = try Shell.run(
            "openssl",
            [
                "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-subj",
                "/CN=localhost", "-keyout", certificate, "-out", certificate + ".crt", "-days", "3",
            ])
        server = try LineProcess("python3", ["-u", "-c", Self.source, certificate])
        port = try server.answer()
        securePort = try server.answer()
    }

    /// Returns the address of a behavior.
    func url(_ behavior: String, host: Int = 1, scheme: String = "http") -> String {
        "\(scheme)://127.0.1.\(host):\(port)/\(behavior)"
    }

    /// Changes the behavior of an address.
    func set(_ path: String, to behavior: String) throws { _ = try server.ask("\(path) \(behavior)") }

    /// Returns the number of requests for a path, and the maximum of requests to a host at a time.
    func requests(_ path: String) throws -> (count: Int, parallel: Int) {
        let words = try server.ask("? \(path)").split(separator: " ").compactMap { Int($0) }
        return (words[0], words[1])
    }

    private static let source = """
        import collections, http.server, socket, ssl, struct, sys, threading, time
        from email.utils import formatdate
        counts, parallel, most, changed = collections.Counter(), collections.Counter(), [0], {}
        lock, pause = threading.Lock(), threading.Event().wait

        class Site(http.server.BaseHTTPRequestHandler):
            def head(self, status, **headers):
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name.replace('_', '-'), value)
                self.end_headers()
            def page(self, text='A page'):
                self.head(200)
                if self.command == 'GET': self.wfile.write(text.encode())
            def serve(self):
                host, path = self.headers['Host'], self.path[1:]
                with lock:
                    counts[path] += 1
                    # Redirects of several hosts lead to one, and some handlers outlive their requests.
                    isCounted = not host.startswith('127.0.1.99') and path not in ('silent', 'dripping', 'heads', 'endless')
                    parallel[host] += isCounted
                    most[0] = max(most[0], parallel[host])
                try: getattr(self, 'do_' + changed.get(path, path).split('-')[0])()
                except (BrokenPipeError, ConnectionResetError): pass
                finally:
                    with lock: parallel[host] -= isCounted
            do_GET = do_HEAD = lambda self: self.serve()
            def target(self, path, host='127.0.1.99'):
                return 'http://%s:%d/%s' % (host, port, path)
            do_ok = page
            def do_soft404(self): self.page('Page not found')
            def do_refused(self): self.head(405) if self.command == 'HEAD' else self.page()
            def do_strange(self): self.head(404) if self.command == 'HEAD' else self.page()
            def do_mute(self): self.close() if self.command == 'HEAD' else self.page()
            def do_empty(self): self.close()
            def close(self): self.close_connection = True
            def do_loop(self): self.head(302, Location=self.path)
            def do_ring(self): self.head(301, Location=self.path)
            def do_slow(self):
                pause(0.3)
                self.page()
            def do_silent(self): pause(5)
            def do_dripping(self):
                self.head(200)
                for _ in range(50):
                    self.wfile.write(b'x')
                    pause(0.1)
            def do_reset(self):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                self.connection.close()
                self.close_connection = True
            def do_limited(self):
                if counts[self.path[1:]] % 2: self.head(429, Retry_After='1')
                else: self.page()
            def do_limit(self): self.head(429, Retry_After='7200')
            def do_busy(self): self.head(503, Retry_After=formatdate(time.time() + 7200, usegmt=True))
            def do_forbidden(self): self.head(403)
            def do_login(self): self.head(401, WWW_Authenticate='Basic')
            def do_wall(self): self.head(503, Server='cloudflare')
            def do_broken(self): self.head(500)
            def do_teapot(self): self.head(418)
            def do_moved(self): self.head(301, Location=self.target('ok'))
            def do_permanent(self): self.head(308, Location=self.target('ok-elsewhere'))
            def do_found(self): self.head(302, Location=self.target('ok'))
            def do_mixed(self): self.head(301, Location=self.target('found'))
            def do_front(self): self.head(301, Location=self.target(''))
            def do_file(self): self.head(301, Location='file:///etc/passwd')
            def do_lost(self): self.head(301, Location=self.target('gone'))
            def do_away(self): self.head(301, Location='http://nowhere.invalid/')
            def do_endless(self):
                if self.command == 'HEAD': return self.head(405)
                self.head(200)
                # As fast as a good line.
                while not pause(0.01): self.wfile.write(b'x' * 65536)
            def do_range(self): self.head(405) if self.command == 'HEAD' else self.head(416)
            def do_nothing(self): self.head(204)
            def do_gone(self): self.head(410)
            def do_missing(self): self.head(404)
            def do_heads(self):
                self.send_response(200)
                while True: self.wfile.write(b'X: ' + b'x' * 65536 + b'\\r\\n')
            def do_garbage(self):
                self.wfile.write(b'SSH-2.0-OpenSSH\\r\\n')
                self.close()
            do_ = page
            def log_message(self, *words): pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 512
            def handle_error(self, request, address): pass
        server = Server(('', 0), Site)
        port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        secure = Server(('127.0.1.200', 0), Site)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1] + '.crt', sys.argv[1])
        secure.socket = context.wrap_socket(secure.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=secure.serve_forever, daemon=True).start()
        print(port)
        print(secure.server_port)
        for line in sys.stdin:
            first, second = line.split()
            if first == '?': print(counts[second], most[0])
            else:
                changed[first] = second
                print('')
        """
}
