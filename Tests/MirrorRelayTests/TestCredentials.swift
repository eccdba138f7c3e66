import CSodium
import Foundation

/// An operator with one account and one user, as `nsc` creates them.
struct TestCredentials {
    /// The lines for the server's configuration.
    let configuration: String
    /// The contents of the user's file.
    let file: String

    init() throws {
        let (operatorKey, account, system, user) = (Key(14 << 3), Key(0), Key(0), Key(20 << 3))
        let unlimited = """
            "limits":{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,\
            "leaf":-1
            """
        // The account of the system must not use JetStream.
        let storage = #","mem_storage":-1,"disk_storage":-1,"streams":-1,"consumer":-1"#
        let accounts = [(account, storage), (system, "")].map { key, storage in
            (key.name, operatorKey.sign(key, #"\#(unlimited)\#(storage)},"type":"account","version":2"#))
        }
        let token = operatorKey.sign(
            operatorKey, #""type":"operator","version":2,"system_account":"\#(system.name)""#)
        configuration = """
            operator: \(token)
            resolver: MEMORY
            resolver_preload { \(accounts.map { "\($0): \($1)" }.joined(separator: ", ")) }
            """
        let claim = #""pub":{},"sub":{},"subs":-1,"data":-1,"payload":-1,"type":"user","version":2"#
        file = """
            -----BEGIN NATS USER JWT-----
            \(account.sign(user, claim))
            ------END NATS USER JWT------

            -----BEGIN USER NKEY SEED-----
            \(user.seedName)
            ------END USER NKEY SEED------

            """
    }

    /// A key pair of Ed25519, in the encoding of NATS.
    private struct Key {
        private let prefix: UInt8
        private var (seed, open, secret) = (
            [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32),
            [UInt8](repeating: 0, count: 64)
        )

        init(_ prefix: UInt8) {
            self.prefix = prefix
            randombytes_buf(&seed, seed.count)
            crypto_sign_seed_keypair(&open, &secret, seed)
        }

        var name: String { Self.encoded([prefix] + open) }
        var seedName: String { Self.encoded([18 << 3 | prefix >> 5, (prefix & 31) << 3] + seed) }

        /// Returns a signed token with claims for another key.
        func sign(_ subject: Key, _ claims: String) -> String {
            let body =
                #"{"jti":"x","iat":1,"iss":"\#(name)","name":"test","sub":"\#(subject.name)","nats":{\#(claims)}}"#
            let text = [#"{"typ":"JWT","alg":"ed25519-nkey"}"#, body]
                .map { Self.base64(Array($0.utf8)) }.joined(separator: ".")
            var signature = [UInt8](repeating: 0, count: 64)
            let bytes = Array(text.utf8)
            crypto_sign_detached(&signature, nil, bytes, UInt64(bytes.count), secret)
            return text + "." + Self.base64(signature)
        }

        private static func base64(_ bytes: [UInt8]) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }

        /// Returns bytes and their checksum (CRC-16 of XMODEM) in base 32 (RFC 4648).
        private static func encoded(_ bytes: [UInt8]) -> String {
            var checksum: UInt16 = 0
            for byte in bytes {
                checksum ^= UInt16(byte) << 8
                for _ in 0..<8 { checksum = checksum & 0x8000 == 0 ? checksum << 1 : checksum << 1 ^ 0x1021 }
            }
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            var (text, value, bits) = ("", 0, 0)
            for byte in bytes + [UInt8(checksum & 255), UInt8(checksum >> 8)] {
                value = value << 8 | Int(byte)
                bits += 8
                while bits >= 5 {
                    bits -= 5
                    text.append(alphabet[value >> bits & 31])
                }
                value &= 31
            }
            if bits > 0 { text.append(alphabet[value << (5 - bits) & 31]) }
            return text
        }
    }
}
