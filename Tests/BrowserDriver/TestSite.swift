import Foundation
import TestSupport

/// A web server with one page at every path, except an image at those that begin with `image` or `data`, and frames at
/// `frames`.
package final class TestSite: Sendable {
    private let server: LineProcess
    /// The port on this machine.
    package let port: String

    package init() throws {
        server = try LineProcess("python3", ["-u", "-c", Self.program])
        port = try server.answer()
    }

    /// The URL of a page that no test has used.
    package func page(_ name: String = "page") -> String {
        "http://127.0.0.1:\(port)/\(name)-\(UUID().uuidString)"
    }

    private static let program = """
        import base64, http.server
        PAGE = b'''<!doctype html><html lang=en><meta charset=utf-8><title>A page</title><link rel=icon href="data:,">
        <h1>A page</h1><p id=words>Some words to select.</p><p><a id=link href="/linked">The linked page</a></p>
        <img id=image alt=Picture width=60 height=40 src="/image">'''
        GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
        KINDS = {"image": ("image/gif", GIF), "data": ("image/gif", GIF),
            "frames": ("text/html", b"<title>Frames</title><frameset cols=50%,50%><frame src=/a><frame src=/b></frameset>")}
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                kind, body = KINDS.get(self.path[1:].split("-")[0], ("text/html", PAGE))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *words): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port)
        server.serve_forever()
        """
}
