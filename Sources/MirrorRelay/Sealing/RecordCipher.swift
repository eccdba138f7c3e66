/// Seals the records of a zone, and names them, so that a server sees neither.
package struct RecordCipher: Sendable {
    private let zone: String
    private let sealingKey: [UInt8]
    private let namingKey: [UInt8]

    package init(_ secret: MirrorSecret, zone: String) {
        self.zone = zone
        sealingKey = Sodium.hash("clips mirror: seal".utf8, key: secret.bytes, count: 32)
        namingKey = Sodium.hash("clips mirror: name".utf8, key: secret.bytes, count: 32)
    }

    /// Returns the key under which a server stores a record. Nothing can be inferred from it without the secret.
    package func key(entity: String, uuid: String) -> String { name(of: "\(entity)/\(uuid)".utf8) }

    /// Returns a hash as hexadecimal digits.
    func name(of bytes: some Collection<UInt8>) -> String {
        Self.digits(Sodium.hash(bytes, key: namingKey, count: 16))
    }

    /// Seals bytes for one subject: a server that exchanges two messages is noticed.
    func seal(_ plain: [UInt8], subject: String) -> [UInt8] {
        Sodium.seal(plain, for: "\(zone) \(subject)", key: sealingKey)
    }

    func open(_ sealed: [UInt8], subject: String) -> [UInt8]? {
        Sodium.open(sealed, for: "\(zone) \(subject)", key: sealingKey)
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        let hex = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [hex[Int($0 >> 4)], hex[Int($0 & 15)]] }, as: UTF8.self)
    }
}
