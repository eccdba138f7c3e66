import MirrorRelay
import Testing

@testable import MirrorRelay

/// The pairing code, and the cipher.
@Suite struct SealingTests {
    @Test func `a pairing code restores the secret, however it is typed`() throws {
        for _ in 0..<100 {
            let secret = MirrorSecret()
            let code = secret.code
            #expect(code.count == 34 && code.split(separator: "-").count == 7)
            #expect(MirrorSecret(code: code) == secret)
            let typed = code.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing(
                "1", with: "l")
            #expect(MirrorSecret(code: typed) == secret)
        }
    }

    @Test func `a typing error in a pairing code is noticed`() throws {
        let code = Array(MirrorSecret().code)
        #expect(MirrorSecret(code: String(code.dropLast())) == nil)
        #expect(MirrorSecret(code: "") == nil)
        // One of 4,096 wrong codes has the right checksum.
        var accepted = 0
        for index in code.indices where code[index] != "-" {
            var wrong = code
            wrong[index] = code[index] == "A" ? "B" : "A"
            if MirrorSecret(code: String(wrong)) != nil { accepted += 1 }
        }
        #expect(accepted < 3)
    }

    @Test func `sealed bytes open with the same secret, zone, and subject only`() throws {
        let secret = MirrorSecret()
        let cipher = RecordCipher(secret, zone: "a")
        for count in [0, 1, 100, 100_000] {
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let sealed = cipher.seal(plain, subject: "s")
            #expect(sealed.count == count + 40)
            #expect(cipher.open(sealed, subject: "s") == plain)
            #expect(cipher.open(sealed, subject: "t") == nil)
            #expect(RecordCipher(secret, zone: "b").open(sealed, subject: "s") == nil)
            #expect(RecordCipher(MirrorSecret(), zone: "a").open(sealed, subject: "s") == nil)
            var damaged = sealed
            damaged[sealed.count - 1] ^= 1
            #expect(cipher.open(damaged, subject: "s") == nil)
            #expect(cipher.open(Array(sealed.prefix(39)), subject: "s") == nil)
        }
        #expect(cipher.seal([1], subject: "s") != cipher.seal([1], subject: "s"))
    }

    @Test func `the key of a record depends on the secret, the entity, and the UUID`() throws {
        let secret = MirrorSecret()
        let cipher = RecordCipher(secret, zone: "a")
        let key = cipher.key(entity: "Clip", uuid: "1")
        #expect(key.count == 32 && key == RecordCipher(secret, zone: "a").key(entity: "Clip", uuid: "1"))
        #expect(key != cipher.key(entity: "Clip", uuid: "2") && key != cipher.key(entity: "Tag", uuid: "1"))
        #expect(key != RecordCipher(MirrorSecret(), zone: "a").key(entity: "Clip", uuid: "1"))
    }

    @Test func `bodies that are not readable are rejected`() throws {
        #expect(RecordBody([]) == nil && RecordBody([7, 1]) == nil)
        #expect(RecordBody([0]) == .whole([]))
        for text in ["", "h", "h 1", "h 0 5", "h 1 -5", "h 1 99999999999", "h 9999999 5", "h 1 5 6"] {
            #expect(RecordBody([1] + text.utf8) == nil, "\(text)")
        }
        let list = ChunkList(hash: "h", count: 2, size: 9)
        #expect(RecordBody(RecordBody.chunked(list).bytes) == .chunked(list))
        let deflated = try #require(Deflate.compress([1, 2, 3]))
        #expect(Deflate.decompress(deflated, size: 3) == [1, 2, 3])
        #expect(Deflate.decompress(deflated, size: 2) == nil && Deflate.decompress(deflated, size: 4) == nil)
        #expect(Deflate.decompress([1, 2, 3], size: 3) == nil)
    }

    @Test(arguments: [
        ("nats://localhost", "nats://localhost"), ("nats://127.0.0.1:4333/", "nats://127.0.0.1:4333"),
        ("nats://[::1]:4222", "nats://[::1]:4222"), ("tls://ann@example.org:4222", "tls://example.org:4222"),
    ])
    func `addresses are read`(text: String, url: String) throws {
        let address = try ServerAddress(text)
        #expect(address.url == url && address.user == (text.contains("@") ? "ann" : nil))
    }

    @Test func `addresses that are not safe are rejected`() throws {
        for (text, rejection) in [
            ("nats://example.org", ServerAddress.Rejection.plain(host: "example.org")),
            ("nats://127.0.0.1.example.org", .plain(host: "127.0.0.1.example.org")),
            ("nats://a@10.0.0.1:4222", .plain(host: "10.0.0.1:4222")),
            ("tls://ann:secret@example.org", .password),
            ("http://example.org", .invalid), ("example.org", .invalid), ("tls://", .invalid),
            ("tls://a b", .invalid), ("nats://localhost,nats://example.org", .invalid),
        ] {
            #expect(throws: rejection) { try ServerAddress(text) }
        }
    }
}
