import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import Synchronization
import TestSupport
import Testing

@testable import MirrorRelay

/// Messages that a server invents, damages, exchanges, repeats, and withholds.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct HostileServerTests {
    let relay: ServerRelay

    init() throws { relay = try ServerRelay(try NATSServer()) }

    private func machine() async throws -> TestMachine {
        try await TestMachine(relay, clock: StoreOptions.systemMilliseconds)
    }

    private func exchange(_ machines: TestMachine...) async throws {
        for _ in 0..<3 { for machine in machines { try await machine.sync() } }
    }

    private func unreadable(_ machine: TestMachine) async throws -> Int {
        try await Book.configuration.status(in: machine.container)?.unreadable ?? 0
    }

    @Test(arguments: ["random", "truncated", "empty", "of another record"])
    func `a damaged record is skipped, and put again by a machine that has it`(damage: String) async throws {
        let (a, b) = (try await machine(), try await machine())
        for uuid in ["1", "2", "3"] { try await a.insert(uuid, ["title": "t"]) }
        try await exchange(a, b)
        let sealed = try await relay.sealed("1")
        let body: [UInt8] =
            switch damage {
            case "random": (0..<300).map { _ in UInt8.random(in: 0...255) }
            case "truncated": sealed.dropLast()
            case "empty": []
            default: try await relay.sealed("2")
            }
        try await relay.inject(body, under: "1")
        try await b.update("3", ["note": "after"])
        try await exchange(b, a)
        #expect(try await a.lines() == ["1 t  [] 0", "2 t  [] 0", "3 t after [] 0"])
        #expect(try await a.lines() == b.lines())
        #expect(try await unreadable(a) == 0)
        let c = try await machine()
        try await c.sync()
        #expect(try await c.lines() == a.lines())
    }

    @Test func `an older revision that is repeated changes nothing`() async throws {
        let (a, b) = (try await machine(), try await machine())
        try await a.insert("1", ["title": "old", "tags": "x"])
        try await a.insert("2", ["title": "deleted"])
        try await exchange(a, b)
        let (first, second) = (try await relay.sealed("1"), try await relay.sealed("2"))
        try await b.update("1", ["title": "new", "tags": "y"])
        try await b.delete("2")
        try await exchange(b, a)
        try await relay.inject(first, under: "1")
        try await relay.inject(second, under: "2")
        try await exchange(a, b)
        #expect(try await a.lines() == ["1 new  [y] 0"])
        #expect(try await b.lines() == a.lines())
        // A machine that only saw the repeated revisions gets the newest as soon as another one exchanges.
        let c = try await machine()
        try await exchange(c, a)
        #expect(try await c.lines() == a.lines())
    }

    @Test func `records that a server withholds and later shows are merged`() async throws {
        let (a, b) = (try await machine(), try await machine())
        for uuid in ["1", "2"] { try await a.insert(uuid, ["title": "t"]) }
        try await exchange(a, b)
        try await a.update("1", ["title": "withheld"])
        try await a.sync()
        let withheld = try await relay.sealed("1")
        try await relay.withhold("1")
        try await exchange(b, a, b)
        #expect(try await b.lines().count == 2)
        try await relay.inject(withheld, under: "1")
        try await exchange(b, a, b)
        #expect(try await b.lines() == ["1 withheld  [] 0", "2 t  [] 0"])
        #expect(try await a.lines() == b.lines())
    }

    @Test(arguments: [
        #"{"v":1,"e":"Note/x","u":"1","a":{}}"#, #"{"v":1,"e":"Note","u":"2","a":{}}"#, "[[[[", "null", "{}",
        #"{"v":1,"e":"Note","u":"1","a":{"title":["9223372036854775807.1.1","x"]}}"#,
        #"{"v":1,"e":"Note","u":"1","a":{"title":["1.1.99999999999999999999","x"]}}"#,
    ])
    func `sealed bytes that are no record change nothing`(text: String) async throws {
        let (a, b) = (try await machine(), try await machine())
        try await a.insert("1", ["title": "t"])
        try await exchange(a, b)
        try await relay.inject(Array(text.utf8), under: "1", sealed: true)
        try await exchange(a, b)
        #expect(try await a.lines() == ["1 t  [] 0"])
        #expect(try await unreadable(b) == 1)
    }

    @Test(arguments: LyingServer.Lie.allCases)
    func `a server whose answers are not valid breaks nothing`(lie: LyingServer.Lie) async throws {
        let a = try await machine()
        for number in 0..<20 { try await a.insert("\(number)", ["title": "t"]) }
        try await a.sync()
        let liar = try LyingServer(lie, relay.server)
        // Its end would kill the proxy, and each attempt would fail without a lie.
        defer { withExtendedLifetime(liar) {} }
        relay.proxy.withLock { $0 = liar.url }
        let b = try await machine()
        try await b.insert("mine", ["title": "b"])
        for _ in 0..<3 {
            do { try await b.sync() } catch is MirrorError { try await b.kill() }
        }
        // The same server without lies.
        relay.proxy.withLock { $0 = nil }
        try await b.kill()
        try await exchange(b, a)
        #expect(try await a.lines() == b.lines())
        #expect(try await a.lines().count == 21)
    }

    /// A machine with the key can write any clock and value; the others must survive it.
    @Test func `values and clocks at their limits are merged`() async throws {
        let (a, b) = (try await machine(), try await machine())
        try await a.insert("1", ["title": "t", "tags": "x"])
        try await exchange(a, b)
        let high = "\(Int64.max / 2 - 1).ffffffffffffffff.\(Int64.max)"
        try await relay.inject(
            Array(
                """
                {"v":1,"e":"Note","u":"1","a":{"title":["\(high)","x"],"note":["1.1.1",null],\
                "starred":["\(high)",1e999],"uuid":["\(high)","2"],"zzz":["\(high)",[{}]]},\
                "t":{"tags":{"x":["\(high)",-1],"a,b":["\(high)",\(Int64.max)],"":["\(high)",1]},"zzz":{}},\
                "saw":{"tags":"\(high)","zzz/zzz":"\(high)"}}
                """.utf8), under: "1", sealed: true)
        try await exchange(a, b)
        #expect(try await a.lines() == b.lines())
        #expect(try await a.notes().keys.sorted() == ["1"])
        try await b.update("1", ["title": "later", "note": "n"])
        try await exchange(b, a)
        #expect(try await a.lines() == b.lines())
        #expect(try await a.notes()["1"]?["title"] == "x")
        #expect(try await a.notes()["1"]?["note"] == "n")
    }
}

extension ServerRelay {
    private func subject(_ uuid: String) throws -> String {
        let zone = try engine().zone
        return zone.record(zone.cipher.key(entity: "Note", uuid: uuid))
    }

    private func newest(_ uuid: String, _ connection: JetStreamConnection) async throws -> StreamMessage {
        try #require(try await connection.last(subject(uuid), of: try engine().zone.stream))
    }

    /// Returns the sealed bytes of a note's newest revision.
    func sealed(_ uuid: String) async throws -> [UInt8] {
        try await withConnection { try await newest(uuid, $0).body }
    }

    /// Stores bytes as a note's newest revision.
    ///
    /// - Parameter seals: Whether to seal the bytes first, as a machine with the key.
    func inject(_ bytes: [UInt8], under uuid: String, sealed seals: Bool = false) async throws {
        let (zone, subject) = (try engine().zone, try subject(uuid))
        let body = seals ? zone.cipher.seal(RecordBody.whole(bytes).bytes, subject: subject) : bytes
        try await withConnection { connection in
            for answer in await connection.put([OutgoingMessage(subject: subject, stamp: 1, body: body)]) {
                _ = try answer.get()
            }
        }
    }

    /// Removes a note's newest revision.
    func withhold(_ uuid: String) async throws {
        try await withConnection { connection in
            let stream = try engine().zone.stream
            await connection.remove(try await newest(uuid, connection).sequence, of: stream)
            // Answered after the removal.
            _ = try await connection.identity(of: stream)
        }
    }
}
