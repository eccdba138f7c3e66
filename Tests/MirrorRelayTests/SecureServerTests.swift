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
}
