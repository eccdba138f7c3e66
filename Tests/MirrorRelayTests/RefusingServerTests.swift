import Foundation
import Mirroring
import TestSupport
import Testing

@testable import MirrorRelay

/// Servers with accounts, and without JetStream.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct RefusingServerTests {
    private func engine(_ server: NATSServer, user: String? = nil, password: String? = nil) throws
        -> JetStreamEngine
    {
        var address = try ServerAddress(server.url)
        address.user = user
        address.password = password
        return JetStreamEngine(address, zone: "test", secret: MirrorSecret())
    }

    @Test func `a wrong password is reported`() async throws {
        let server = try NATSServer(configuration: "authorization { user: ann, password: secret }")
        await #expect(throws: MirrorError.unauthorized) { try await engine(server).list() }
        await #expect(throws: MirrorError.unauthorized) {
            try await engine(server, user: "ann", password: "x").list()
        }
        #expect(try await engine(server, user: "ann", password: "secret").list() == [])
    }

    @Test func `a login succeeds although the server sends its state before the answer`() async throws {
        let server = try NATSServer()
        let proxy = try ProxyProcess(Self.talkative, [server.url])
        let engine = JetStreamEngine(try ServerAddress(proxy.url), zone: "test", secret: MirrorSecret())
        #expect(try await engine.list() == [])
    }

    /// Adds the first line of a server before the second one, in its first connection.
    private static let talkative = """
        import socket, sys, threading
        host, port = sys.argv[1].split("//")[1].split(":")
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        def copy(source, target):
            try:
                while data := source.recv(65536): target.sendall(data)
                target.shutdown(socket.SHUT_WR)
            except OSError: pass
        isFirst = True
        while True:
            client, _ = listener.accept()
            server = socket.create_connection((host, int(port)))
            threading.Thread(target=copy, args=(client, server), daemon=True).start()
            if isFirst:
                lines = server.makefile("rb")
                info = lines.readline()
                client.sendall(info)
                client.sendall(info + lines.readline())
                server.close()
                isFirst = False
            else:
                threading.Thread(target=copy, args=(server, client), daemon=True).start()
        """

    @Test func `a full quota is reported, and nothing is lost`() async throws {
        let server = try NATSServer(
            configuration: """
                accounts { A { jetstream { max_file: 300000 }, users: [{ user: ann, password: secret }] } }
                """)
        let engine = try engine(server, user: "ann", password: "secret")
        let body = [UInt8](repeating: 1, count: 60_000)
        var stored = 0
        await #expect(throws: MirrorError.quotaExceeded) {
            for number in 0..<10 {
                let put = MirrorPut(key: "k\(number)", expected: 0, stamp: 1, body: body)
                if case .stored = try await engine.put([put]).first { stored += 1 }
            }
        }
        #expect(stored > 0 && stored < 6)
        #expect(try await engine.list().count == stored)
    }

    @Test func `a server without JetStream is reported`() async throws {
        let server = try NATSServer(
            configuration: "accounts { A { users: [{ user: ann, password: secret }] } }")
        do {
            _ = try await engine(server, user: "ann", password: "secret").list()
            Issue.record("a server without JetStream was accepted")
        } catch {
            guard case MirrorError.other? = error as? MirrorError else { throw error }
        }
    }

    @Test func `no server is reported`() async throws {
        let server = try NATSServer()
        server.stop()
        do {
            _ = try await engine(server).list()
            Issue.record("there was a list without a server")
        } catch {
            guard case MirrorError.unreachable? = error as? MirrorError else { throw error }
        }
    }
}
