import FoundationEssentials
import Platform

/// A change of the key: the new one in a box for each machine that gets it, signed by the machine that changed it.
///
/// It is sealed with the first key of the zone, so that a server sees neither names nor public keys.
struct Rotation: Codable, Hashable {
    struct Recipient: Codable, Hashable {
        let member: ZoneMember
        let box: Data
    }

    let name: ZoneEpoch.Name
    let author: Data
    let recipients: [Recipient]
    /// All machines that were excluded so far.
    let excluded: [Data]

    init(name: ZoneEpoch.Name, author: Data, recipients: [Recipient], excluded: [Data]) {
        (self.name, self.author, self.recipients, self.excluded) = (name, author, recipients, excluded)
    }

    /// The context for which a record of keys is sealed.
    static func context(_ record: String, _ zone: String) -> String { "keys of \(zone): \(record)" }

    private static func signed(_ json: [UInt8], _ zone: String) -> [UInt8] {
        Array("clips mirror: change of the key of \(zone)\n".utf8) + json
    }

    private var recordName: String { "e-\(name.id.hexadecimal(digits: 16))" }

    func record(signedBy machine: MachineKey, sealedWith first: ZoneEpoch, zone: String) -> KeyRecord? {
        guard let json = try? JSONEncoder().encode(self) else { return nil }
        let plain = machine.signature(of: Self.signed(Array(json), zone)) + json
        let sealed = first.seal(Padding.pad(plain), for: Self.context(recordName, zone))
        return KeyRecord(name: recordName, bytes: sealed)
    }

    /// Reads a record; nil if it is none, is damaged, or was not signed by its author.
    init?(_ record: KeyRecord, sealedWith first: ZoneEpoch, zone: String) {
        guard record.name.hasPrefix("e-"),
            let plain = first.open(record.bytes, for: Self.context(record.name, zone)).flatMap(Padding.unpad),
            plain.count > MachineKey.signatureCount
        else { return nil }
        let (signature, json) = (
            Array(plain.prefix(MachineKey.signatureCount)), Array(plain.dropFirst(MachineKey.signatureCount))
        )
        guard let rotation = try? JSONDecoder().decode(Self.self, from: Data(json)),
            MachineKey.isSigned(Self.signed(json, zone), signature, by: Array(rotation.author)),
            rotation.recordName == record.name, rotation.name.id != 0,
            (1...1 << 32).contains(rotation.name.number)
        else { return nil }
        self = rotation
    }
}
