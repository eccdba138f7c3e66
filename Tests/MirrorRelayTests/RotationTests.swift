import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import Synchronization
import TestSupport
import Testing

@testable import MirrorRelay

/// Machines that change the key, or are excluded, with a real server and with a folder.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct RotationTests {
    enum Kind: CaseIterable { case server, folder }

    /// A relay, and its machines.
    private struct Zone {
        let relay: any TestRelay
        let keys: KeyFiles
        private let clock: @Sendable () -> Int64
        /// Creates the engine of a machine of the relay; without a number, that of another one.
        private let makeEngine: @Sendable (KeyRing, Int?) throws -> any RelayEngine

        init(_ kind: Kind, machines: Int = 3) throws {
            switch kind {
            case .server:
                let relay = try ServerRelay(try NATSServer(), machines: machines)
                self.relay = relay
                keys = try #require(relay.keys)
                clock = StoreOptions.systemMilliseconds
                makeEngine = { ring, _ in try relay.engine(ring) }
            case .folder:
                let relay = try FolderRelay(seed: 1, isCopied: false, machines: machines)
                self.relay = relay
                keys = try #require(relay.keys)
                clock = relay.now
                makeEngine = { ring, index in
                    let name = index.map { "\($0)" } ?? "\(UInt64.random(in: 0 ... .max))"
                    return try FolderRelay.engine(
                        relay.folder.path(of: "replica0"), relay.secret,
                        state: relay.folder.path(of: "state\(name)"), ring: ring)
                }
            }
        }

        func machine(_ fault: @escaping @Sendable () -> RelayFault = { .none }) async throws -> TestMachine {
            try await TestMachine(relay, clock: clock, fault: fault)
        }

        func address() throws -> ServerAddress {
            if let relay = relay as? ServerRelay { return try ServerAddress(relay.server.url) }
            let relay = try #require(relay as? FolderRelay)
            return try ServerAddress("folder:" + relay.folder.path(of: "replica0"))
        }

        func connect(_ ring: KeyRing, _ index: Int? = nil) throws -> any RelayEngine {
            try makeEngine(ring, index)
        }

        /// Changes the key on a machine.
        func rotate(_ index: Int, excluding others: Int...) async throws {
            let engine = try connect(keys.ring(index), index)
            let names = others.map { "m\($0)" }
            let excluded = engine.ring.keys.others.filter { names.contains($0.name) }.map(\.key)
            #expect(excluded.count == others.count)
            try await engine.rotate(excluding: Set(excluded))
            await engine.close()
        }

        /// The bodies that a machine can open, by their keys in the relay.
        func bodies(_ ring: KeyRing) async throws -> [String: String] {
            let engine = try connect(ring)
            _ = try await engine.identity()
            let entries = try await engine.get(try await engine.list().map(\.key))
            await engine.close()
            return Dictionary(
                entries.map { ($0.revision.key, String(decoding: $0.body, as: UTF8.self)) }
            ) { $1 }
        }
    }

    private func exchange(_ machines: TestMachine...) async throws {
        for _ in 0..<3 { for machine in machines { try await machine.sync() } }
    }

    @Test(arguments: Kind.allCases)
    func `an excluded machine reads no later edit, and the others continue`(_ kind: Kind) async throws {
        let zone = try Zone(kind)
        let (a, b, c) = (try await zone.machine(), try await zone.machine(), try await zone.machine())
        for number in 0..<5 { try await a.insert("\(number)", ["title": .text("t\(number)")]) }
        try await exchange(a, b, c)
        // With its keys as they are now, and no program that follows changes.
        let old = KeyRing(secret: zone.keys.secret, zone: "world", keys: zone.keys.ring(2).keys)
        #expect(try await zone.bodies(old).values.contains { $0.contains("t1") })
        try await zone.rotate(0, excluding: 2)
        // On a machine that is connected, before any other one exchanges changes.
        try await b.update("1", ["title": "secret"])
        try await b.sync()
        #expect(try await !zone.bodies(old).values.contains { $0.contains("secret") })
        try await exchange(a, b)
        try await a.update("2", ["title": "secret"])
        try await exchange(a, b)
        #expect(try await a.lines() == b.lines())
        #expect(try await b.notes()["2"]?["title"] == "secret")
        await #expect(throws: MirrorError.excluded) { try await c.sync() }
        #expect(try await c.notes()["1"]?["title"] == "t1")
        // All was sealed again, except the record for earlier versions.
        let readable = try await zone.bodies(old).values.filter { $0.hasPrefix("{") }
        if kind == .server {
            #expect(readable.count == 1 && readable.allSatisfy { $0.contains(#""v":2"#) })
        } else {
            #expect(!readable.contains { $0.contains("secret") })
        }
    }

    @Test(arguments: Kind.allCases)
    func `sealing again finishes after the process is killed at any commit`(_ kind: Kind) async throws {
        let zone = try Zone(kind, machines: 2)
        let remaining = Mutex(Int.max)
        let a = try await zone.machine {
            remaining.withLock { count in
                count -= 1
                return count < 0 ? .before : .none
            }
        }
        let b = try await zone.machine()
        for number in 0..<400 { try await a.insert("\(number)", ["title": .text("t\(number)")]) }
        try await exchange(a, b)
        let old = KeyRing(secret: zone.keys.secret, zone: "world", keys: zone.keys.ring(1).keys)
        try await zone.rotate(0)
        var kills = 0
        for count in 1..<200 {
            remaining.withLock { $0 = count * 3 }
            do {
                try await a.sync()
                break
            } catch is MirrorError {
                kills += 1
                try await a.kill()
            }
        }
        #expect(kills > 2)
        remaining.withLock { $0 = .max }
        try await exchange(b, a, b)
        #expect(try await a.lines() == b.lines())
        #expect(try await a.lines().count == 400)
        #expect(try await Book.configuration.status(in: a.container)?.waiting == 0)
        let readable = try await zone.bodies(old).values.filter {
            $0.hasPrefix("{") && !$0.contains(#""v":2"#)
        }
        #expect(readable.isEmpty, "\(readable.count)")
    }

    @Test(arguments: Kind.allCases)
    func `two machines change the key at once, and all edits arrive`(_ kind: Kind) async throws {
        let zone = try Zone(kind)
        let (a, b, c) = (try await zone.machine(), try await zone.machine(), try await zone.machine())
        try await a.insert("1", ["title": "t"])
        try await exchange(a, b, c)
        // Neither knows the change of the other.
        let (first, second) = (
            try #require(zone.keys.ring(0).rotation(excluding: [])),
            try #require(zone.keys.ring(1).rotation(excluding: []))
        )
        for (index, record) in [(0, first), (1, second)] { _ = try zone.keys.ring(index).accept([record]) }
        for machine in [a, b] { try await machine.kill() }
        try await a.update("1", ["title": "of a"])
        try await b.update("1", ["note": "of b"])
        try await exchange(a, b, c)
        #expect(try await c.lines() == ["1 of a of b [] 0"])
        #expect(try await a.lines() == c.lines())
        #expect(try await b.lines() == c.lines())
        #expect(Set((0..<3).map { zone.keys.ring($0).current }).count == 1)
    }

    @Test(arguments: Kind.allCases)
    func `a program of an earlier version asks for an update, and writes nothing`(_ kind: Kind) async throws {
        let zone = try Zone(kind, machines: 2)
        let a = try await zone.machine()
        try await a.insert("1", ["title": "t"])
        try await a.sync()
        // The earlier version follows no keys, and knows a lower version of the record.
        let old = try zone.connect(KeyRing(secret: zone.keys.secret, zone: "world"))
        _ = try await old.identity()
        let last = try #require(try await old.changes(after: 0, limit: 100).last?.revision.number)
        try await zone.rotate(0)
        try await a.sync()
        // In a folder, files that it knows were deleted.
        _ = try await old.identity()
        let next = try await old.changes(after: last, limit: 100)
        #expect(next.first.map { String(decoding: $0.body.prefix(7), as: UTF8.self) } == #"{"v":2,"#)
        await old.close()
        // Also one that connects later, after files were merged.
        for number in 0..<20 {
            try await a.insert("n\(number)", ["title": "t"])
            try await a.sync()
        }
        let later = try await zone.bodies(KeyRing(secret: zone.keys.secret, zone: "world"))
        #expect(later.values.contains { $0.hasPrefix(#"{"v":2,"#) })
    }

    @Test(arguments: Kind.allCases)
    func `a relay that lost the keys gets them again`(_ kind: Kind) async throws {
        let zone = try Zone(kind)
        let (a, b) = (try await zone.machine(), try await zone.machine())
        try await a.insert("1", ["title": "t"])
        try await exchange(a, b)
        try await zone.rotate(0)
        try await exchange(a, b)
        if let relay = zone.relay as? ServerRelay {
            relay.server.stop()
            try FileManager.default.removeItem(atPath: relay.server.dataFolder)
            try relay.server.start()
        } else if let relay = zone.relay as? FolderRelay {
            let place = relay.folder.path(of: "replica0/clips-mirror-world")
            for name in try FileManager.default.contentsOfDirectory(atPath: place)
            where !name.hasPrefix("zone-") {
                try FileManager.default.removeItem(atPath: "\(place)/\(name)")
            }
        }
        for machine in [a, b] { try await machine.kill() }
        // The third machine was never there.
        let c = try await zone.machine()
        for _ in 0..<3 {
            for machine in [b, a, c] {
                do { try await machine.sync() } catch MirrorError.unreachable { try await machine.kill() }
            }
        }
        #expect(try await c.lines() == a.lines())
        #expect(try await c.lines().count == 1)
    }

    @Test(arguments: Kind.allCases)
    func `an invitation is used once, and deleted when it has expired`(_ kind: Kind) async throws {
        let zone = try Zone(kind)
        let a = try await zone.machine()
        try await a.sync()
        let (engine, code, late) = (try zone.connect(zone.keys.ring(0)), MirrorSecret(), MirrorSecret())
        let address = try zone.address()
        func find(_ code: MirrorSecret) async throws -> PairingCode {
            try await code.find(at: address, zone: "world")
        }
        try await engine.invite(code, expires: .max)
        try await engine.invite(late, expires: 1)
        guard case .invitation(let expired, _) = try await find(late) else {
            throw ShellError(description: "the invitation is missing")
        }
        #expect(expired.isExpired(at: 2))
        guard case .invitation(let invitation, let claim) = try await find(code),
            case .invitation(_, let second) = try await find(code)
        else { throw ShellError(description: "the invitation is missing") }
        #expect(invitation.secret == zone.keys.secret)
        #expect(try await claim())
        #expect(try await !second())
        guard case .unknown(isOldZone: false) = try await find(code) else {
            throw ShellError(description: "the code is still valid")
        }
        // Another machine deletes it.
        let b = try await zone.machine()
        try await b.sync()
        guard case .unknown(isOldZone: false) = try await find(late) else {
            throw ShellError(description: "the expired invitation remains")
        }
        await engine.close()
    }

    @Test func `large records are sealed again, too, with their chunks`() async throws {
        let zone = try Zone(.server, machines: 2)
        let (a, b) = (try await zone.machine(), try await zone.machine())
        let noise = (0..<20_000).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }.joined()
        try await a.insert("1", ["title": "large", "note": .text(noise)])
        try await a.insert("2", ["title": "small"])
        try await exchange(a, b)
        try await zone.rotate(0)
        try await exchange(a, b)
        let relay = try #require(zone.relay as? ServerRelay)
        let id = zone.keys.ring(0).current.name.id
        func others() async throws -> [String] {
            try await relay.withConnection { connection in
                var subjects: [String] = []
                let last = try #require(try await connection.last("clips.world.>", of: "CLIPS_world"))
                for sequence in 1...last.sequence {
                    guard let message = try await connection.message(sequence, of: "CLIPS_world"),
                        message.subject.contains(".r.") || message.subject.contains(".b.")
                    else { continue }
                    if ZoneEpoch.id(of: message.body) != id { subjects.append(message.subject) }
                }
                return subjects
            }
        }
        // The record for earlier versions. Superseded ones are removed without an answer.
        #expect(try await soon { try await others().count == 1 })
        let (engine, key) = (try relay.engine(), zone.keys.ring(1))
        #expect(try await others() == [engine.zone.record(engine.zone.cipher.formatKey)])
        #expect(try await zone.bodies(key).count > 2)
    }

    @Test(arguments: Kind.allCases)
    func `a change by a process that was killed after it is followed, and finished`(_ kind: Kind) async throws
    {
        let zone = try Zone(kind, machines: 2)
        let (a, b) = (try await zone.machine(), try await zone.machine())
        try await a.insert("1", ["title": "t"])
        try await exchange(a, b)
        let before = zone.keys.ring(0).keys
        try await zone.rotate(0)
        // The file of keys was not written, but the relay has the change.
        try zone.keys.ring(0).update { $0 = before }
        #expect(!zone.keys.ring(0).keys.mustSeal)
        try await a.kill()
        try await exchange(a, b)
        #expect(zone.keys.ring(0).current == zone.keys.ring(1).current)
        let old = KeyRing(secret: zone.keys.secret, zone: "world", keys: before)
        let readable = try await zone.bodies(old).values.filter {
            $0.hasPrefix("{") && !$0.contains(#""v":2"#)
        }
        #expect(readable.isEmpty, "\(readable)")
    }

    @Test(arguments: Kind.allCases)
    func `the code of an earlier version is accepted until a machine presents a key`(_ kind: Kind)
        async throws
    {
        let zone = try Zone(kind, machines: 1)
        // Creates the folder, and connects later.
        let a = try await zone.machine()
        let old = try zone.connect(KeyRing(secret: zone.keys.secret, zone: "world"))
        _ = try await old.identity()
        await old.close()
        let address = try zone.address()
        guard case .unknown(isOldZone: true) = try await zone.keys.secret.find(at: address, zone: "world")
        else {
            throw ShellError(description: "the code is not accepted")
        }
        try await a.sync()
        guard case .unknown(isOldZone: false) = try await zone.keys.secret.find(at: address, zone: "world")
        else {
            throw ShellError(description: "the code is accepted")
        }
    }

    @Test func `records of similar sizes have one size on the server`() async throws {
        let zone = try Zone(.server, machines: 1)
        try await zone.rotate(0)
        let engine = try zone.connect(zone.keys.ring(0))
        var sizes: Set<Int> = []
        for size in 700..<720 {
            let key = "k\(size)"
            _ = try await engine.put([
                MirrorPut(key: key, expected: 0, stamp: 1, body: [UInt8](repeating: 7, count: size))
            ])
            let relay = try #require(zone.relay as? ServerRelay)
            let message = try await relay.withConnection { connection in
                try #require(try await connection.last("clips.world.r.\(key)", of: "CLIPS_world"))
            }
            sizes.insert(message.body.count)
        }
        #expect(sizes.count <= 2, "\(sizes)")
        await engine.close()
    }
}
