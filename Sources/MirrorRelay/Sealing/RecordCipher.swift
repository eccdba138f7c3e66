import Platform

/// Seals the records of a zone, and names them, so that a server sees neither.
package struct RecordCipher: Sendable {
    private let zone: String
    private let namingKey: [UInt8]
    let ring: KeyRing

    package init(_ secret: MirrorSecret, zone: String) {
        self.init(KeyRing(secret: secret), zone: zone)
    }

    init(_ ring: KeyRing, zone: String) {
        (self.zone, self.ring) = (zone, ring)
        // The names of records do not change with the key.
        namingKey = Sodium.hash("clips mirror: name".utf8, key: ring.secret, count: 32)
    }

    /// Returns the key under which a server stores a record. Nothing can be inferred from it without the secret.
    package func key(entity: String, uuid: String) -> String { name(of: "\(entity)/\(uuid)".utf8) }

    /// Returns a hash as hexadecimal digits.
    func name(of bytes: some Collection<UInt8>) -> String {
        Sodium.hash(bytes, key: namingKey, count: 16).hexadecimal
    }

    /// Returns the name of a large body's chunks. It differs for each key, so that chunks of a former one are not used.
    func chunkName(of body: [UInt8]) -> String { chunkName(of: body, ring.current.name.id) }

    private func chunkName(of body: [UInt8], _ id: UInt64) -> String {
        id == 0 ? name(of: body) : name(of: "\(id) \(name(of: body))".utf8)
    }

    /// Whether a body has a name of chunks, with any key.
    func isName(_ chunkName: String, of body: [UInt8]) -> Bool {
        ring.ids.contains { self.chunkName(of: body, $0) == chunkName }
    }

    /// Seals bytes for one subject: a server that exchanges two messages is noticed.
    ///
    /// - Parameter usesFirstKey: Whether to seal them for programs of versions that know the zone's first key only.
    func seal(_ plain: [UInt8], subject: String, usesFirstKey: Bool = false) -> [UInt8] {
        (usesFirstKey ? ring.first : ring.current).seal(plain, for: "\(zone) \(subject)")
    }

    func open(_ sealed: [UInt8], subject: String) -> [UInt8]? {
        (ring.epoch(ZoneEpoch.id(of: sealed)) ?? ring.first).open(sealed, for: "\(zone) \(subject)")
    }

    /// Returns the number of the key of sealed bytes, if this machine does not have it.
    func unknownKey(of sealed: [UInt8]) -> UInt64? {
        let id = ZoneEpoch.id(of: sealed)
        return ring.epoch(id) == nil ? id : nil
    }
}
