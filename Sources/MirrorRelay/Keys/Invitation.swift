import FoundationEssentials
import Platform

/// The keys of a zone, which a pairing code unlocks: a secret that is used once.
package struct Invitation: Sendable {
    package let keys: ZoneKeys
    /// The milliseconds since 1970 after which it is not valid.
    package let expires: Int64

    package var secret: MirrorSecret { MirrorSecret(bytes: Array(keys.secret)) }

    static let prefix = "i-"
    package static let lifetime: Int64 = 24 * 3600 * 1000

    package func isExpired(at now: Int64) -> Bool { expires <= now }

    static func name(of code: MirrorSecret) -> String {
        let hash = Sodium.hash("clips mirror: name of an invitation".utf8, key: code.bytes, count: 16)
        return prefix + hash.hexadecimal
    }

    private static func key(_ code: MirrorSecret) -> [UInt8] {
        Sodium.hash("clips mirror: invitation".utf8, key: code.bytes, count: 32)
    }

    private static func context(_ name: String, _ expires: Int64, _ zone: String) -> String {
        "\(Rotation.context(name, zone)) \(expires)"
    }

    func record(_ code: MirrorSecret, zone: String) -> KeyRecord? {
        guard let json = try? JSONEncoder().encode(keys) else { return nil }
        let name = Self.name(of: code)
        let sealed = Sodium.seal(
            Padding.pad(Array(json)), for: Self.context(name, expires, zone), key: Self.key(code))
        return KeyRecord(name: name, bytes: withUnsafeBytes(of: expires.littleEndian) { Array($0) } + sealed)
    }

    init(keys: ZoneKeys, expires: Int64) { (self.keys, self.expires) = (keys, expires) }

    /// Opens a record; nil if it is damaged, or another code's.
    init?(_ record: KeyRecord, _ code: MirrorSecret, zone: String) {
        guard record.name == Self.name(of: code), let expires = Self.expiry(record),
            let plain = Sodium.open(
                Array(record.bytes.dropFirst(8)), for: Self.context(record.name, expires, zone),
                key: Self.key(code)),
            let json = Padding.unpad(plain),
            let keys = try? JSONDecoder().decode(ZoneKeys.self, from: Data(json)),
            keys.secret.count == MirrorSecret.count
        else { return nil }
        self.init(keys: keys, expires: expires)
    }

    /// The time in a record, which is not secret, so that any machine of the zone can delete it.
    private static func expiry(_ record: KeyRecord) -> Int64? {
        guard record.bytes.count > 8 else { return nil }
        return Int64(truncatingIfNeeded: record.bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    static func isExpired(_ record: KeyRecord, at now: Int64) -> Bool {
        record.isInvitation && expiry(record).map { $0 <= now } ?? true
    }
}
