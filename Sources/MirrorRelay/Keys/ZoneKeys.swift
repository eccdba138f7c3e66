package import FoundationEssentials
import Platform

/// A machine that gets new keys.
package struct ZoneMember: Codable, Hashable, Sendable {
    /// Its public key.
    package let key: Data
    package let name: String

    /// The name of the record with which the machine presents itself.
    var record: String { "m-\(Sodium.hash(key, count: 16).hexadecimal)" }
}

/// A small record of a zone next to those of objects: the change of a key, a machine, or an invitation.
struct KeyRecord: Hashable, Sendable {
    let name: String
    let bytes: [UInt8]

    var isInvitation: Bool { name.hasPrefix(Invitation.prefix) }

    /// Whether a name can be that of a record.
    static func isValid(_ name: String) -> Bool {
        name.utf8.count <= 64 && name.utf8.dropFirst().first == UInt8(ascii: "-")
            && name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}

/// The keys of a zone, as one machine knows them.
///
/// A machine follows a change of the key only if another one signed it that it knows, and that is not excluded. It
/// knows the machines that the last change names, and those that present themselves with the present key.
package struct ZoneKeys: Codable, Hashable, Sendable {
    /// The secret of the zone.
    let secret: Data
    /// The secret of the machine; empty in an invitation.
    private(set) var seed: Data
    private(set) var name: String
    /// The keys after the first one, of which all are retained to open what they sealed.
    private(set) var epochs: [ZoneEpoch] = []
    /// The last change that this machine accepted.
    private(set) var newest = ZoneEpoch.Name()
    private(set) var members: [ZoneMember] = []
    private(set) var excluded: Set<Data> = []
    /// The accepted changes, which are put again if a relay lost them.
    private(set) var rotations: [String: Data] = [:]
    /// Whether this machine changed the key, and the records must be sealed again.
    var mustSeal = false

    init(secret: MirrorSecret, name: String) {
        (self.secret, self.name) = (Data(secret.bytes), name)
        seed = Data(Sodium.random(MachineKey.seedCount))
    }

    /// Returns the keys for a machine that joins.
    package func joined(as name: String) -> Self {
        var keys = self
        (keys.name, keys.seed, keys.mustSeal) = (name, Data(Sodium.random(MachineKey.seedCount)), false)
        return keys
    }

    /// Returns the keys for an invitation, without those of the machine.
    func shared() -> Self {
        var keys = self
        keys.members = recipients(except: [])
        (keys.name, keys.seed, keys.mustSeal) = ("", Data(), false)
        return keys
    }

    private var machine: MachineKey? { MachineKey(seed: Array(seed)) }
    private var own: ZoneMember? { machine.map { ZoneMember(key: Data($0.publicKey), name: name) } }
    var first: ZoneEpoch { ZoneEpoch(secret: Array(secret)) }
    var current: ZoneEpoch { epochs.max { $0.name < $1.name } ?? first }

    /// The other machines that get new keys.
    package var others: [ZoneMember] {
        recipients(except: []).filter { $0.key != own?.key }
    }

    /// Whether the other machines use a key that this one did not get.
    package var isExcluded: Bool {
        newest != current.name || own.map { excluded.contains($0.key) } == true
    }

    /// Whether a machine that was excluded has the present key: two machines changed it without knowledge of each other.
    var mustRotate: Bool { !isExcluded && members.contains { excluded.contains($0.key) } }

    private func recipients(except others: Set<Data>) -> [ZoneMember] {
        let known = (own.map { [$0] } ?? []) + members.filter { $0.key != own?.key }
        return known.filter { !excluded.contains($0.key) && !others.contains($0.key) }
    }

    // MARK: Changes of the key

    /// Returns a new key for the machines that are not excluded.
    func rotation(excluding keys: Set<Data>, zone: String) -> KeyRecord? {
        guard let machine else { return nil }
        let epoch = ZoneEpoch(number: newest.number + 1)
        let recipients = recipients(except: keys).compactMap { member in
            MachineKey.box(Array(epoch.key), for: Array(member.key)).map {
                Rotation.Recipient(member: member, box: Data($0))
            }
        }
        let rotation = Rotation(
            name: epoch.name, author: Data(machine.publicKey), recipients: recipients,
            excluded: excluded.union(keys).sorted { $0.lexicographicallyPrecedes($1) })
        return rotation.record(signedBy: machine, sealedWith: first, zone: zone)
    }

    /// Follows the records of a relay, in the order in which they arrived.
    mutating func accept(_ records: [KeyRecord], zone: String) {
        let changes = records.compactMap { record in
            Rotation(record, sealedWith: first, zone: zone).map { (record, $0) }
        }
        // A machine that presents itself with a former key may be excluded since: changes are first.
        var isChanged = true
        while isChanged {
            isChanged = changes.contains { record, change in follow(change, record) }
            if !isChanged {
                for record in records where present(record, zone: zone) { isChanged = true }
            }
        }
    }

    private mutating func follow(_ change: Rotation, _ record: KeyRecord) -> Bool {
        guard rotations[record.name] == nil, !excluded.contains(change.author),
            change.author == own?.key || members.contains(where: { $0.key == change.author })
        else { return false }
        rotations[record.name] = Data(record.bytes)
        excluded.formUnion(change.excluded)
        if let box = change.recipients.first(where: { $0.member.key == own?.key })?.box,
            let key = machine?.open(Array(box)), key.count == 32
        {
            epochs.append(ZoneEpoch(name: change.name, key: key))
        }
        guard change.name > newest else { return true }
        newest = change.name
        members = change.recipients.map(\.member)
        if change.author == own?.key { mustSeal = true }
        return true
    }

    /// Adds a machine that presents itself with the present key: it was invited since the last change.
    private mutating func present(_ record: KeyRecord, zone: String) -> Bool {
        guard members.count < 1000, newest == current.name,
            let plain = current.open(record.bytes, for: Rotation.context(record.name, zone)),
            let member = try? JSONDecoder().decode(ZoneMember.self, from: Data(plain)),
            member.record == record.name, member.key.count == MachineKey.publicCount,
            !excluded.contains(member.key), !members.contains(where: { $0.key == member.key })
        else { return false }
        members.append(ZoneMember(key: member.key, name: String(member.name.prefix(64))))
        return true
    }

    /// Returns the records that a relay must have, and lacks.
    func missing(in records: [KeyRecord], zone: String) -> [KeyRecord] {
        let present = Dictionary(records.map { ($0.name, $0) }) { $1 }
        var missing = rotations.filter { name, _ in
            present[name].flatMap { Rotation($0, sealedWith: first, zone: zone) } == nil
        }.map { KeyRecord(name: $0, bytes: Array($1)) }
        if let own, let json = try? JSONEncoder().encode(own) {
            let context = Rotation.context(own.record, zone)
            let isPresent = present[own.record].map { record in
                (epochs + [first]).contains { $0.open(record.bytes, for: context) != nil }
            }
            if isPresent != true {
                missing.append(
                    KeyRecord(name: own.record, bytes: current.seal(Array(json), for: context)))
            }
        }
        return missing.sorted { $0.name < $1.name }
    }
}
