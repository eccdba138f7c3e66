import Foundation
import TestSupport

/// A proxy in Python with the speed of a slow line in each direction, which cuts each connection after some bytes.
struct SlowLine: Sendable {
    private let proxy: ProxyProcess
    private let folder: TemporaryFolder
    var url: String { proxy.url }

    init(_ server: NATSServer, bytesPerSecond: Int, cutAfter bytes: Int) throws {
        folder = try TemporaryFolder()
        proxy = try ProxyProcess(
            Self.script, ["\(server.port)", "\(bytesPerSecond)", "\(bytes)", folder.path(of: "factor")])
    }

    /// Multiplies the speed from now on.
    func speedUp(by factor: Int) throws {
        try "\(factor)".write(toFile: folder.path(of: "factor"), atomically: true, encoding: .utf8)
    }

    private static let script = #"""
        import os, socket, sys, threading
        port, rate, cut = map(int, sys.argv[1:4])
        pause = threading.Event()

        def factor():
            return int(open(sys.argv[4]).read()) if os.path.exists(sys.argv[4]) else 1

        def buffers(end):
            # The proxy is the line: the kernel must not store unsent bytes.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)

        def serve(client):
            server = socket.create_connection(("127.0.0.1", port))
            buffers(client); buffers(server)
            total = [0]
            def forward(source, target):
                try:
                    while data := source.recv(4096):
                        pause.wait(len(data) / rate / factor())
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
