import FoundationEssentials
import Mirroring
import TestSupport
import Testing

@testable import MirrorRelay

/// The keys of machines: who follows which change, and who cannot.
@Suite struct KeyTests {
    private let secret = MirrorSecret()
    private let zone = "z"

    /// Creates machines that know each other.
    private func machines(_ count: Int) -> [ZoneKeys] {
        var machines = (0..<count).map { ZoneKeys(secret: secret, name: "m\($0)") }
        let records = machines.flatMap { $0.missing(in: [], zone: zone) }
        for index in machines.indices { machines[index].accept(records, zone: zone) }
        return machines
    }

    private func id(_ machine: ZoneKeys) throws -> Data {
        try #require(machine.shared().others.first { $0.name == machine.name }?.key)
    }

    private func change(_ machine: ZoneKeys, excluding others: ZoneKeys...) throws -> KeyRecord {
        try #require(machine.rotation(excluding: Set(try others.map(id)), zone: zone))
    }

    @Test func `sizes are in steps, at most an eighth larger, and bytes are restored`() throws {
        #expect(Padding.step(9) == 10 && Padding.step(500) == 512 && Padding.step(513) == 544)
        for size in 1...5000 {
            let step = Padding.step(size)
            #expect(step >= size && Double(step) <= Double(size) * 1.12 && Padding.step(step) == step)
        }
        for plain in [[], [0], [0x80], [0x80, 0, 0], [UInt8](repeating: 0, count: 1000)] as [[UInt8]] {
            #expect(Padding.unpad(Padding.pad(plain)) == plain)
        }
        #expect(Padding.unpad([]) == nil && Padding.unpad([0, 0]) == nil && Padding.unpad([1]) == nil)
        let epoch = ZoneEpoch(number: 1)
        let sizes = Set((481..<512).map { epoch.seal([UInt8](repeating: 7, count: $0), for: "x").count })
        #expect(sizes.count == 2)
    }

    @Test func `sealed bytes name their key`() throws {
        let (first, second) = (ZoneEpoch(secret: secret.bytes), ZoneEpoch(number: 1))
        let sealed = second.seal([1, 2], for: "x")
        #expect(ZoneEpoch.id(of: sealed) == second.name.id)
        #expect(ZoneEpoch.id(of: first.seal([1, 2], for: "x")) == 0)
        #expect(second.open(sealed, for: "x") == [1, 2])
        #expect(second.open(sealed, for: "y") == nil && first.open(sealed, for: "x") == nil)
        #expect(ZoneEpoch(number: 1).open(sealed, for: "x") == nil)
    }

    @Test func `the others follow a change, and an excluded machine cannot`() throws {
        var all = machines(3)
        let before = all[0].current
        let record = try change(all[0], excluding: all[2])
        for index in all.indices { all[index].accept([record], zone: zone) }
        #expect(all[0].current == all[1].current && all[0].current != before)
        #expect(!all[0].isExcluded && !all[1].isExcluded)
        #expect(all[2].isExcluded && all[2].current == before)
        #expect(all[0].mustSeal && !all[1].mustSeal)
        #expect(all[1].others.map(\.name) == ["m0"])
    }

    @Test func `changes by an excluded machine, an unknown one, and a forger are ignored`() throws {
        var all = machines(3)
        all[0].accept([try change(all[0], excluding: all[2])], zone: zone)
        let state = all[0]
        // With the signature of the excluded machine, which still has the first key.
        all[0].accept([try change(all[2])], zone: zone)
        #expect(all[0] == state)
        // As a new machine, with the first key.
        let joined = ZoneKeys(secret: secret, name: "new")
        let presented = joined.missing(in: [], zone: zone)
        all[0].accept(presented + [try #require(joined.rotation(excluding: [], zone: zone))], zone: zone)
        #expect(all[0] == state)
        // A true change under another name, or damaged.
        let record = try change(all[1])
        let renamed = KeyRecord(name: "e-0000000000000001", bytes: record.bytes)
        var bytes = record.bytes
        bytes[bytes.count - 1] ^= 1
        all[0].accept([renamed, KeyRecord(name: record.name, bytes: bytes)], zone: zone)
        #expect(all[0] == state)
        // In the name of another machine.
        let member = try #require(Rotation(record, sealedWith: all[0].first, zone: zone))
        let forged = Rotation(
            name: ZoneEpoch.Name(number: 9, id: 9), author: member.author, recipients: [], excluded: [])
        let key = try #require(MachineKey(seed: [UInt8](repeating: 1, count: 32)))
        let signed = try #require(forged.record(signedBy: key, sealedWith: all[0].first, zone: zone))
        all[0].accept([signed], zone: zone)
        #expect(all[0] == state)
    }

    @Test func `a machine that was offline follows the change before it meets new machines`() throws {
        var all = machines(3)
        let exclusion = try change(all[0], excluding: all[2])
        // The excluded machine presents another one with the former key, which changes the key.
        let other = ZoneKeys(secret: secret, name: "other")
        let presented = other.missing(in: [], zone: zone)
        let theirs = try #require(other.rotation(excluding: [try id(all[0])], zone: zone))
        all[1].accept(presented + [theirs, exclusion], zone: zone)
        all[0].accept([exclusion], zone: zone)
        #expect(all[1].current == all[0].current && !all[1].isExcluded)
    }

    @Test func `two changes at once settle on one key, and an exclusion is not lost`() throws {
        for _ in 0..<20 {
            var all = machines(4)
            let records = [try change(all[0], excluding: all[3]), try change(all[1])]
            for index in 0..<3 {
                let order = index == 1 ? records.reversed() : records
                all[index].accept(order, zone: zone)
            }
            #expect(Set(all.prefix(3).map(\.current)).count == 1)
            all[3].accept(records, zone: zone)
            #expect(all[3].isExcluded)
            // The excluded machine has the key if the other change was later: then a third one follows.
            guard all[0].mustRotate else { continue }
            #expect(all[1].mustRotate)
            let third = try change(all[0])
            for index in all.indices { all[index].accept(records + [third], zone: zone) }
            #expect(all[0].current == all[1].current && !all[1].mustRotate)
            #expect(all[3].current != all[0].current)
        }
    }

    @Test func `an invitation opens with its code only, and has all keys`() throws {
        var all = machines(2)
        all[0].accept([try change(all[0])], zone: zone)
        let code = MirrorSecret()
        let record = try #require(Invitation(keys: all[0].shared(), expires: 500).record(code, zone: zone))
        let opened = try #require(Invitation(record, code, zone: zone))
        #expect(opened.expires == 500 && opened.isExpired(at: 500) && !opened.isExpired(at: 499))
        #expect(Invitation.isExpired(record, at: 501) && !Invitation.isExpired(record, at: 499))
        #expect(Invitation(record, MirrorSecret(), zone: zone) == nil)
        #expect(Invitation(record, code, zone: "other") == nil)
        // A later time does not open.
        var bytes = record.bytes
        bytes[6] = 1
        #expect(Invitation(KeyRecord(name: record.name, bytes: bytes), code, zone: zone) == nil)
        var joined = opened.keys.joined(as: "new")
        #expect(joined.current == all[0].current && Set(joined.others.map(\.name)) == ["m0", "m1"])
        // The others know it after it presented itself, and it follows their changes.
        let presented = joined.missing(in: [], zone: zone).filter { $0.name.hasPrefix("m-") }
        #expect(presented.count == 1)
        all[0].accept(presented, zone: zone)
        let next = try change(all[0])
        joined.accept([next], zone: zone)
        all[0].accept([next], zone: zone)
        #expect(joined.current == all[0].current && !joined.isExcluded)
    }

    @Test func `lost records are put again, and others are left`() throws {
        var all = machines(2)
        all[0].accept([try change(all[0])], zone: zone)
        let records = all[0].missing(in: [], zone: zone)
        #expect(records.map { $0.name.prefix(2) } == ["e-", "m-"])
        #expect(all[0].missing(in: records, zone: zone) == [])
        let damaged = records.map { KeyRecord(name: $0.name, bytes: Array($0.bytes.dropLast())) }
        #expect(all[0].missing(in: damaged, zone: zone).map(\.name) == records.map(\.name))
    }
}
