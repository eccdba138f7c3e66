import Foundation
import Mirroring
import TestSupport
import Testing

@testable import MirrorRelay

/// The engine with a real server.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct JetStreamEngineTests {
    let server: NATSServer
    let secret = MirrorSecret()

    init() throws { server = try NATSServer() }

    private func engine(secret: MirrorSecret? = nil) throws -> JetStreamEngine {
        JetStreamEngine(try ServerAddress(server.url), zone: "test", secret: secret ?? self.secret)
    }

    private func put(_ key: String, _ body: String, expected: Int64 = 0, stamp: Int64 = 7) -> MirrorPut {
        MirrorPut(key: key, expected: expected, stamp: stamp, body: Array(body.utf8))
    }

    private func number(_ result: MirrorPutResult?) throws -> Int64 {
        guard case .stored(let number) = result else {
            throw ShellError(description: "\(String(describing: result))")
        }
        return number
    }

    /// Returns all revisions after a number. One call returns those that have arrived.
    private func changes(_ engine: JetStreamEngine, after number: Int64) async throws -> [MirrorEntry] {
        var (entries, last): ([MirrorEntry], Int64) = ([], number)
        while true {
            let more = try await engine.changes(after: last, limit: 100)
            guard let newest = more.last else { return entries }
            entries += more
            last = newest.revision.number
        }
    }

    @Test func `machines that connect to a new server at once share a zone`() async throws {
        for round in 0..<20 {
            let address = try ServerAddress(server.url)
            let identities = try await withThrowingTaskGroup(of: String.self) { [secret] group in
                for _ in 0..<4 {
                    group.addTask {
                        let engine = JetStreamEngine(address, zone: "round\(round)", secret: secret)
                        return try await engine.identity()
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(identities.count == 1)
        }
    }

    @Test func `records are put, read, listed, and removed`() async throws {
        let (a, b) = (try engine(), try engine())
        #expect(try await a.changes(after: 0, limit: 10) == [])
        #expect(try await a.list() == [])
        #expect(try await a.get(["x"]) == [])
        let results = try await a.put([put("x", "one"), put("y", "two", stamp: -5)])
        let (x, y) = (try number(results.first), try number(results.last))
        #expect(x < y)
        let entries = try await changes(b, after: 0)
        #expect(entries.map(\.body) == [Array("one".utf8), Array("two".utf8)])
        #expect(entries.map(\.revision.number) == [x, y] && entries.map(\.revision.stamp) == [7, -5])
        #expect(try await b.changes(after: y, limit: 10) == [])
        #expect(try await b.changes(after: 0, limit: 1).map(\.revision.key) == ["x"])
        #expect(try await b.changes(after: x, limit: 10).map(\.revision.key) == ["y"])
        #expect(
            try await b.put([put("x", "three", expected: 0), put("x", "three", expected: y)]) == [
                .outdated, .outdated,
            ])
        let third = try number(try await b.put([put("x", "three", expected: x)]).first)
        #expect(try await a.get(["x", "z", "y"]).map(\.revision.number) == [third, y])
        #expect(try await a.list().map(\.number) == [y, third])
        // The writer removed the superseded revision.
        #expect(try await soon { try await a.entry(at: x) == nil })
        #expect(try await a.entry(at: third)?.key == "x")
        #expect(try await a.entry(at: 99_999) == nil)
        #expect(abs(Double(entries[0].revision.time) / 1000 - Date().timeIntervalSince1970) < 60)
        await a.close()
        await b.close()
    }

    @Test func `a wait ends with the next record, or with its task`() async throws {
        let (a, b) = (try engine(), try engine())
        let first = try number(try await a.put([put("x", "one")]).first)
        #expect(try await b.changes(after: 0, limit: 10).count == 1)
        let waiting = Task { try await b.waitForChanges(after: first) }
        _ = try await a.put([put("y", "two")])
        try await waiting.value
        #expect(try await b.changes(after: first, limit: 10).map(\.revision.key) == ["y"])
        let cancelled = Task { try await b.waitForChanges(after: first + 1) }
        cancelled.cancel()
        await #expect(throws: MirrorError.cancelled) { try await cancelled.value }
        await a.close()
        await b.close()
    }

    @Test func `another key is refused, and nothing is written`() async throws {
        let (a, other) = (try engine(), try engine(secret: MirrorSecret()))
        let first = try number(try await a.put([put("x", "one")]).first)
        await #expect(throws: MirrorError.wrongKey) { try await other.list() }
        await #expect(throws: MirrorError.wrongKey) { _ = try await other.put([put("y", "two")]) }
        #expect(try await a.changes(after: first, limit: 10) == [])
        await a.close()
        await other.close()
    }

    @Test(arguments: [(64 << 10), (64 << 10) + 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 9 << 20])
    func `a record of any size arrives`(size: Int) async throws {
        let (a, b) = (try engine(), try engine())
        // Random bytes do not become smaller.
        let source = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        let body = [UInt8](try #require(try source.read(upToCount: size)))
        #expect(body.count == size)
        let first = try number(
            try await a.put([MirrorPut(key: "x", expected: 0, stamp: 1, body: body)]).first)
        let entries = try await b.changes(after: 0, limit: 10)
        if size > RecordBody.largestWhole {
            #expect(entries.map(\.isDeferred) == [true])
            #expect(try await soon { try await b.receivePart(of: "x") >= 1 })
            #expect(try await b.get(["x"]).map(\.body) == [body])
        } else {
            #expect(entries.map(\.body) == [body])
        }
        // The chunks are removed with the last record that has them.
        _ = try number(try await a.put([put("x", "small", expected: first)]).first)
        try await a.remove("x", upTo: first)
        #expect(try await soon { try await a.messageCount() == 2 })
        #expect(try await b.changes(after: first, limit: 10).map(\.body) == [Array("small".utf8)])
        await a.close()
        await b.close()
    }

    @Test func `a large record is sent again after another machine's put removed its chunks`() async throws {
        let (a, b) = (try engine(), try engine())
        func put(_ byte: UInt8, expected: Int64) -> MirrorPut {
            let body = [UInt8](repeating: byte, count: RecordBody.largestWhole + 1)
            return MirrorPut(key: "x", expected: expected, stamp: .random(in: 1 ... .max), body: body)
        }
        let early = put(1, expected: 0)
        while try await a.sendPart(of: early) < 1 {}
        let first = try number(try await b.put([put(2, expected: 0)]).first)
        #expect(try await a.put([early]) == [.outdated])
        // The metadata, the record, and its chunk.
        #expect(try await soon { try await a.messageCount() == 3 })
        _ = try number(try await a.put([put(1, expected: first)]).first)
        while try await b.receivePart(of: "x") < 1 {}
        #expect(try await b.get(["x"]).map(\.body) == [early.body])
        await a.close()
        await b.close()
    }

    @Test func `a server that ends is reported, and its data is found again after kill -9`() async throws {
        let a = try engine()
        let puts = (0..<2000).map { put("k\($0)", "body \($0)") }
        let results = try await a.put(puts)
        #expect(results.count == 2000 && results.allSatisfy { if case .stored = $0 { true } else { false } })
        let identity = try await a.identity()
        let last = try number(results.last)
        _ = try await a.changes(after: last, limit: 1)
        let waiting = Task { try await a.waitForChanges(after: last) }
        server.stop()
        await #expect(throws: MirrorError.self) { try await waiting.value }
        do {
            _ = try await a.put([put("late", "x")])
            Issue.record("a put succeeded without a server")
        } catch {
            guard case .unreachable = error else { throw error }
        }
        try server.start()
        // Only the check of the lineage connects again.
        await #expect(throws: MirrorError.self) { try await a.list() }
        #expect(try await a.identity() == identity)
        let list = try await a.list()
        #expect(list.count == 2000)
        #expect(
            try await changes(a, after: last - 5).map(\.revision.key)
                == (1995..<2000).map { "k\($0)" })
        await a.close()
    }

    @Test func `an emptied server gets a new zone with another identity`() async throws {
        let a = try engine()
        _ = try await a.put([put("x", "one")])
        let identity = try await a.identity()
        server.stop()
        try FileManager.default.removeItem(atPath: server.dataFolder)
        try server.start()
        #expect(try await a.identity() != identity)
        #expect(try await a.list() == [])
        await #expect(throws: MirrorError.wrongKey) { try await engine(secret: MirrorSecret()).list() }
        await a.close()
    }
}
