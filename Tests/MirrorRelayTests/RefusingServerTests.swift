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
