import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import TestSupport
import Testing

@testable import MirrorRelay

/// Whole machines with a real server.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct ServerMachineTests {
    let relay: ServerRelay
    private let folder: TemporaryFolder

    init() throws {
        relay = try ServerRelay(try NATSServer())
        folder = try TemporaryFolder()
    }

    private func machine(_ path: String? = nil) async throws -> TestMachine {
        try await TestMachine(relay, clock: StoreOptions.systemMilliseconds, path: path)
    }

    private func exchange(_ machines: TestMachine...) async throws {
        for _ in 0..<3 { for machine in machines { try await machine.sync() } }
    }

    @Test func `a full stream reports the quota, and continues when it is raised`() async throws {
        let (a, b) = (try await machine(), try await machine())
        try await a.sync()
        try await relay.limit(bytes: 100_000)
        for number in 0..<30 {
            try await a.insert("\(number)", ["note": .text(String(repeating: "n", count: 10_000))])
        }
        await #expect(throws: MirrorError.quotaExceeded) { try await a.sync() }
        try await b.sync()
        let received = try await b.lines().count
        #expect(received > 0 && received < 30)
        #expect(try await Book.configuration.status(in: a.container)?.waiting ?? 0 > 0)
        try await relay.limit(bytes: -1)
        try await exchange(a, b)
        #expect(try await b.lines() == a.lines())
        #expect(try await b.lines().count == 30)
    }

    @Test func `a copied store becomes another machine`() async throws {
        let a = try await machine(folder.path(of: "a.db"))
        try await a.insert("1", ["title": "t", "tags": "x"])
        try await a.sync()
        try await a.container.backUp(to: folder.path(of: "b.db"))
        let b = try await machine(folder.path(of: "b.db"))
        try await a.update("1", ["title": "a", "tags": "x,a"])
        try await b.update("1", ["title": "b", "tags": "x,b"])
        try await exchange(a, b)
        #expect(try await a.lines() == b.lines())
        let tags = try await a.notes()["1"]?["tags"].textValue ?? ""
        #expect(["x,a,b", "x,b,a"].contains(tags))
        let known = try await a.conflicts() + b.conflicts()
        #expect(Set(known.flatMap { [$0.value, $0.current] }) == ["a", "b"])
    }

    @Test func `a machine that missed purged deletions joins again`() async throws {
        let (a, b) = (try await machine(), try await machine())
        for uuid in ["1", "2", "3"] { try await a.insert(uuid, ["title": "t"]) }
        try await exchange(a, b)
        for uuid in ["1", "2"] { try await a.delete(uuid) }
        try await b.update("2", ["note": "unsent"])
        #expect(try await a.mirror.purgeDeletions(before: .distantFuture) == 2)
        await #expect(throws: MirrorError.absentTooLong) { try await b.sync() }
        #expect(try await b.notes().count == 3)
        try await b.mirror.rejoin()
        try await exchange(a, b)
        #expect(try await b.lines() == ["2 t unsent [] 0", "3 t  [] 0"])
        #expect(try await a.lines() == b.lines())
    }

    @Test func `an idle pair exchanges no messages`() async throws {
        let (a, b) = (try await machine(folder.path(of: "a.db")), try await machine(folder.path(of: "b.db")))
        let runs = [a, b].map { machine in Task { try? await machine.mirror.run() } }
        defer { for run in runs { run.cancel() } }
        try await a.insert("1", ["title": "hello"])
        #expect(try await soon { try await b.lines() == ["1 hello  [] 0"] })
        try await b.update("1", ["title": "world"])
        #expect(try await soon { try await a.lines() == ["1 world  [] 0"] })
        func isSilent() async throws -> Bool {
            let count = try relay.server.receivedMessages()
            return try await !soon(within: 1) { try relay.server.receivedMessages() != count }
        }
        #expect(try await soon { try await isSilent() })
        #expect(try await isSilent())
    }
}
