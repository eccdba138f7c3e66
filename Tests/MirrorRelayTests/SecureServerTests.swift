import Foundation
import Mirroring
import TestSupport
import Testing

@testable import MirrorRelay

/// Transport encryption, passwords, and credentials.
@Suite(
    .enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)),
    .enabled(if: TestCertificates.isPossible, "openssl is not installed"))
struct SecureServerTests {
    private func list(
        _ server: NATSServer, authority: String? = nil, user: String? = nil, password: String? = nil,
        credentials: String? = nil
    ) async throws -> [MirrorRevision] {
        var address = try ServerAddress(server.secureURL)
        (address.authority, address.user, address.password) = (authority, user, password)
        address.credentials = credentials
        let engine = JetStreamEngine(address, zone: "test", secret: MirrorSecret())
        let list = try await engine.list()
        await engine.close()
        return list
    }

    private func isUnreachable(_ error: (any Error)?) -> Bool {
        if case MirrorError.unreachable? = error as? MirrorError { true } else { false }
    }

    @Test func `a server is reached with its authority, and a password`() async throws {
        let certificates = try TestCertificates(name: "localhost")
        let server = try NATSServer(
            configuration: certificates.configuration + "\nauthorization { user: ann, password: secret }")
        #expect(
            try await list(server, authority: certificates.authority, user: "ann", password: "secret") == [])
        await #expect(throws: MirrorError.unauthorized) {
            try await list(server, authority: certificates.authority, user: "ann", password: "x")
        }
        let untrusted = await #expect(throws: (any Error).self) {
            try await list(server, user: "ann", password: "secret")
        }
        #expect(isUnreachable(untrusted))
    }

    @Test func `a certificate for another name is rejected`() async throws {
        let certificates = try TestCertificates(name: "other.example")
        let server = try NATSServer(configuration: certificates.configuration)
        let error = await #expect(throws: (any Error).self) {
            try await list(server, authority: certificates.authority)
        }
        #expect(isUnreachable(error), "\(String(describing: error))")
    }

    @Test func `a credentials file is accepted, and that of another operator is not`() async throws {
        let certificates = try TestCertificates(name: "localhost")
        let (own, other) = (try TestCredentials(), try TestCredentials())
        let server = try NATSServer(configuration: certificates.configuration + "\n" + own.configuration)
        let (path, otherPath) = (server.folder.path(of: "own.creds"), server.folder.path(of: "other.creds"))
        try own.file.write(toFile: path, atomically: true, encoding: .utf8)
        try other.file.write(toFile: otherPath, atomically: true, encoding: .utf8)
        #expect(try await list(server, authority: certificates.authority, credentials: path) == [])
        await #expect(throws: MirrorError.unauthorized) {
            try await list(server, authority: certificates.authority, credentials: otherPath)
        }
    }

    /// The reason of a failure with a server.
    private func reason(
        _ certificates: TestCertificates?, url: String? = nil, authority: String? = nil
    ) async throws -> String {
        let server = try NATSServer(configuration: certificates?.configuration ?? "")
        var address = try ServerAddress(url ?? server.secureURL)
        address.authority = authority
        let engine = JetStreamEngine(address, zone: "test", secret: MirrorSecret())
        let error = await #expect(throws: MirrorError.self) { try await engine.list() }
        guard case .unreachable(let reason)? = error else { return "\(String(describing: error))" }
        return reason
    }

    @Test func `each cause of a failed connection has its sentence`() async throws {
        let good = try TestCertificates(name: "localhost")
        let other = try TestCertificates(name: "other.example")
        let own = try TestCertificates(name: "localhost", isSelfSigned: true)
        let expired = try TestCertificates(name: "localhost", days: -1)
        #expect(try await reason(good).contains("name that with --ca"))
        #expect(try await reason(good, authority: other.authority).contains("did not sign its certificate"))
        #expect(try await reason(own).contains("signed by itself"))
        #expect(try await reason(other, authority: other.authority).contains("not for the host localhost"))
        #expect(try await reason(expired, authority: expired.authority).contains("has expired"))
        #expect(
            try await reason(good, authority: "/nowhere/ca.pem").contains("/nowhere/ca.pem cannot be read"))
        #expect(try await reason(nil).contains("has no TLS"))
        #expect(
            try await reason(nil, url: "tls://no-such-host.invalid").contains(
                "no-such-host.invalid has no address"))
        let port = try NATSServer.freePort()
        #expect(
            try await reason(nil, url: "tls://localhost:\(port)").contains(
                "nothing answers at tls://localhost:"))
        // The server demands TLS, and gets it.
        let plain = try NATSServer(configuration: good.configuration)
        let engine = JetStreamEngine(try ServerAddress(plain.url), zone: "test", secret: MirrorSecret())
        let error = await #expect(throws: MirrorError.self) { try await engine.list() }
        #expect(error?.description.contains("name that with --ca") == true, "\(String(describing: error))")
    }
}
