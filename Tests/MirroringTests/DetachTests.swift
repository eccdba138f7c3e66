import Foundation
import MirrorTesting
import PersistentStore
import TestSupport
import Testing

@testable import Mirroring

/// Machines that end their mirror and join again, with changes that were not sent.
@Suite struct DetachTests {
    private let relay = MemoryRelay()

    private func exchange(_ machines: TestMachine...) async throws {
        for machine in machines + machines { try await machine.sync() }
    }

    /// Two machines with the notes 1 to 3, of which the first edits and deletes without the relay.
    private func machines() async throws -> (a: TestMachine, b: TestMachine) {
        let (a, b) = (try await TestMachine(relay), try await TestMachine(relay))
        for uuid in ["1", "2", "3"] { try await a.insert(uuid, ["title": "old", "note": "old"]) }
        try await exchange(a, b)
        try await a.update("1", ["title": "unsent"])
        try await a.delete("2")
        try await b.update("1", ["title": "of b"])
        try await b.sync()
        return (a, b)
    }

    private func expectBoth(_ a: TestMachine, _ b: TestMachine) async throws {
        #expect(try await a.lines() == b.lines())
        #expect(try await a.notes()["2"] == nil)
        let title = try await a.notes()["1"]?["title"].textValue
        let conflicts = try await a.conflicts() + b.conflicts()
        let lost = conflicts.compactMap(\.value.textValue)
        #expect(Set(lost + [title ?? ""]) == ["unsent", "of b"])
    }

    @Test func `changes from before and after a mirror was ended are sent when it joins again`() async throws
    {
        let (a, b) = try await machines()
        try await a.mirror.detach()
        try await a.update("3", ["note": "without a mirror"])
        try await a.kill()
        try await exchange(a, b)
        try await expectBoth(a, b)
        #expect(try await b.notes()["3"]?["note"] == "without a mirror")
        #expect(try await Book.configuration.status(in: a.container)?.forgotten == 0)
    }

    @Test func `a zone of another name gets the changes and the conflicts`() async throws {
        let (a, b) = try await machines()
        try await exchange(a, b)
        try await a.update("3", ["note": "unsent"])
        try await b.update("3", ["note": "of b"])
        try await b.delete("1")
        let other = MemoryRelay()
        for machine in [a, b] {
            try await machine.mirror.detach()
        }
        for machine in [a, b, a] {
            let mirror = Mirror(
                container: machine.container,
                configuration: MirrorConfiguration(Book.configuration.mirrored, zone: "x"),
                engine: other.connect { .none })
            try await mirror.sync()
            #expect(try await machine.container.read { try $0.consumers() }.map(\.name) == ["mirror:x"])
        }
        #expect(try await a.lines() == b.lines())
        #expect(try await a.notes().keys.sorted() == ["3"])
        let lost = try await (a.conflicts() + b.conflicts()).compactMap(\.value.textValue)
        #expect(lost.contains("unsent") || lost.contains("of b"))
        #expect(try await Book.configuration.status(in: a.container)?.forgotten == 0)
    }

    @Test func `an edit whose history was cleaned becomes a conflict`() async throws {
        let (a, b) = try await machines()
        try await a.mirror.detach()
        try await a.update("3", ["note": "unrecorded"])
        try await a.insert("4")
        let end = try await a.container.currentToken()
        try await a.container.deleteHistory(HistoryDeleteRequest(.before(end), respectsConsumers: false))
        try await b.update("3", ["note": "newer"])
        try await b.sync()
        try await a.kill()
        try await exchange(a, b)
        #expect(try await a.lines() == b.lines())
        let lost = try await (a.conflicts() + b.conflicts()).compactMap(\.value.textValue)
        let lines = try await a.lines()
        #expect(try await a.notes()["3"]?["note"] == "newer")
        #expect(lost.contains("unrecorded"), "\(lines)")
    }

    @Test func `the history of a mirror that was ended is retained within the bounds only`() async throws {
        let (a, _) = try await machines()
        try await a.mirror.detach()
        #expect(try await a.container.read { try $0.consumers() }.map(\.retention) == [.withinBounds])
        try await a.kill()
        try await a.sync()
        #expect(try await a.container.read { try $0.consumers() }.map(\.retention) == [.always])
    }
}
