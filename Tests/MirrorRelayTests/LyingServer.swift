import Foundation
import TestSupport

/// A proxy in Python between a machine and a real server, which changes what the server sends.
struct LyingServer: Sendable {
    enum Lie: String, CaseIterable {
        /// Acknowledgements and stored messages have numbers that no stream reaches.
        case hugeNumbers
        case negativeNumbers
        /// A feed delivers each message under the number of the first.
        case repeatedNumbers
        /// The answers of the API are deep JSON.
        case deepAnswers
        /// The answers of the API end in their middle.
        case cutAnswers
        /// Each stored message is longer by a megabyte.
        case longMessages
        /// The connection ends in the middle of the messages.
        case cutConnection
    }

    private let proxy: ProxyProcess
    var url: String { proxy.url }

    init(_ lie: Lie, _ server: NATSServer) throws {
        proxy = try ProxyProcess(Self.script, [lie.rawValue, "\(server.port)"])
    }

    private static let script = #"""
        import re, socket, sys, threading
        lie, port = sys.argv[1], int(sys.argv[2])

        def changed(words, body, sent):
            ack = words[3] if words[0] == "MSG" and len(words) == 5 or len(words) == 6 else ""
            is_feed = ack.startswith("$JS.ACK.")
            number = {"hugeNumbers": "18446744073709551615", "negativeNumbers": "-5"}.get(lie)
            if is_feed:
                parts = ack.split(".")
                if number: parts[-4] = number
                if lie == "repeatedNumbers": parts[-4] = "2"
                words[3] = ".".join(parts)
                if lie == "longMessages": body += b"x" * (1 << 20)
            elif body.startswith(b"{"):
                if number: body = re.sub(rb'"(last_)?seq": ?\d+', b'"seq":' + number.encode(), body)
                if lie == "deepAnswers": body = b'{"type":' + b"[" * 100000
                if lie == "cutAnswers": body = body[:len(body) // 2]
            return words, body

        def serve(client):
            server = socket.create_connection(("127.0.0.1", port))
            def forward():
                try:
                    while data := client.recv(65536): server.sendall(data)
                except OSError: pass
                server.close()
            threading.Thread(target=forward, daemon=True).start()
            stream, sent = server.makefile("rb"), 0
            try:
                while line := stream.readline():
                    words = line.decode().split()
                    if words and words[0] in ("MSG", "HMSG"):
                        body = stream.read(int(words[-1]) + 2)[:-2]
                        sent += len(body)
                        if lie == "cutConnection" and sent > 3000: break
                        before = len(body)
                        words, body = changed(words, body, sent)
                        words[-1] = str(len(body))
                        line = " ".join(words).encode() + b"\r\n" + body + b"\r\n"
                    client.sendall(line)
            except (OSError, ValueError): pass
            client.close()

        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            client, _ = listener.accept()
            threading.Thread(target=serve, args=(client,), daemon=True).start()
        """#
}
