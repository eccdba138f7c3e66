import Foundation
import TestSupport

/// Certificates of an authority of the test, made with openssl(1).
struct TestCertificates {
    static let isPossible = (try? Shell.run("openssl", ["version"]).status) == 0

    private let folder: TemporaryFolder
    var authority: String { folder.path(of: "ca.pem") }

    /// - Parameters:
    ///   - name: The DNS name of the server.
    ///   - isSelfSigned: Whether the authority has no part in it.
    ///   - days: The days until it expires; may be negative.
    init(name: String, isSelfSigned: Bool = false, days: Int = 2) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        func openssl(_ words: String) throws {
            let run = try Shell.run("openssl", words.split(separator: " ").map(String.init))
            guard run.status == 0 else { throw ShellError(description: run.errors) }
        }
        let path = { (name: String) in folder.path(of: name) }
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        try openssl(
            "req -x509 \(key) -days 2 -subj /CN=authority -keyout \(path("ca.key")) -out \(path("ca.pem"))")
        try openssl("req \(key) -subj /CN=server -keyout \(path("key.pem")) -out \(path("request"))")
        try "subjectAltName=DNS:\(name)".write(toFile: path("names"), atomically: true, encoding: .utf8)
        let signer =
            isSelfSigned
            ? "-signkey \(path("key.pem"))" : "-CA \(path("ca.pem")) -CAkey \(path("ca.key")) -CAcreateserial"
        try openssl(
            "x509 -req -in \(path("request")) \(signer) -days \(days) -extfile \(path("names")) "
                + "-out \(path("cert.pem"))")
    }

    /// The lines for the server's configuration.
    var configuration: String {
        #"tls { cert_file: "\#(folder.path(of: "cert.pem"))", key_file: "\#(folder.path(of: "key.pem"))" }"#
    }
}
