import Foundation
import TestSupport

/// A proxy in Python with the speed of a slow line in each direction, which cuts each connection after some bytes.
struct SlowLine: Sendable {
    private let proxy: ProxyProcess
    var url: String { proxy.url }

    init(_ server: NATSServer, bytesPerSecond: Int, cutAfter bytes: Int) throws {
        proxy = try ProxyProcess(Self.script, ["\(server.port)", "\(bytesPerSecond)", "\(bytes)"])
    }

    private static let script = #"""
        import socket, sys, threading
        port, rate, cut = map(int, sys.argv[1:])
        pause = threading.Event()

        def buffers(end):
            # The proxy is the line: the kernel must not store what it has not sent.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)

        def serve(client):
            server = socket.create_connection(("127.0.0.1", port))
            buffers(client); buffers(server)
            total = [0]
            def forward(source, target):
                try:
                    while data := source.recv(4096):
                        pause.wait(len(data) / rate)
                        total[0] += len(data)
                        if total[0] > cut: break
                        target.sendall(data)
                except OSError: pass
                for end in (client, server):
                    try: end.shutdown(socket.SHUT_RDWR)
                    except OSError: pass
            for pair in ((client, server), (server, client)):
                threading.Thread(target=forward, args=pair, daemon=True).start()

        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            serve(listener.accept()[0])
        """#
}
