import MirrorTesting
import Mirroring
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Edits that the machine of a later edit, or of a deletion, had not seen.
@Suite struct UnseenEditTests {
    private let relay = MemoryRelay()
    private let clock = SettableClock()

    private func machines(_ count: Int) async throws -> [TestMachine] {
        var machines: [TestMachine] = []
        for _ in 0..<count {
            machines.append(try await TestMachine(relay, clock: { [clock] in clock.now() }))
        }
        try await machines[0].insert("1", ["title": "t"])
        for machine in machines { try await machine.sync() }
        return machines
    }

    private func edit(_ machine: TestMachine, _ note: AttributeValue) async throws {
        clock.advance(seconds: 1)
        try await machine.update("1", ["note": note])
    }

    @Test func `an older edit survives a deletion that did not see it`() async throws {
        let all = try await machines(2)
        try await edit(all[1], "later")
        // The edit gets its clock, and is not put.
        relay.state.withLock { $0.isFull = true }
        await #expect(throws: MirrorError.quotaExceeded) { try await all[1].sync() }
        relay.state.withLock { $0.isFull = false }
        clock.advance(seconds: -10)
        try await edit(all[0], "unseen")
        try await all[0].sync()
        try await all[1].delete("1")
        for machine in all + all { try await machine.sync() }
        #expect(try await all[0].lines() == ["1 t unseen [] 0"])
        #expect(try await all[1].lines() == all[0].lines())
    }

    @Test(arguments: [false, true])
    func `an edit that waits in a store whose file is replaced by its copy is a conflict`(inPlace: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let all = [
            try await TestMachine(relay, clock: { [clock] in clock.now() }),
            try await TestMachine(
                relay, clock: { [clock] in clock.now() }, path: folder.path(of: "store.db")),
        ]
        try await all[0].insert("1", ["title": "t"])
        for machine in all { try await machine.sync() }
        try await edit(all[1], "unsent")
        // The edit gets its clock, and is not put.
        relay.state.withLock { $0.isFull = true }
        await #expect(throws: MirrorError.quotaExceeded) { try await all[1].sync() }
        relay.state.withLock { $0.isFull = false }
        let copy = folder.path(of: "copy.db")
        try await all[1].container.backUp(to: copy, replaces: true)
        try await all[1].replaceStore(by: copy, inPlace: inPlace)
        try await edit(all[0], "later")
        for machine in all + all { try await machine.sync() }
        for machine in all {
            #expect(try await machine.lines() == ["1 t later [] 0"])
            #expect(try await machine.conflicts().map(\.value) == ["unsent"])
        }
    }

    @Test func `a deletion includes the edits that its own followed`() async throws {
        let all = try await machines(3)
        try await edit(all[0], "first")
        for machine in all { try await machine.sync() }
        try await edit(all[1], "second")
        for machine in [all[1], all[2]] { try await machine.sync() }
        // The first machine has not received the second edit.
        try await all[2].delete("1")
        for machine in [all[2], all[0], all[1]] { try await machine.sync() }
        for machine in all { #expect(try await machine.notes().isEmpty) }
    }

    @Test func `an edit behind two that did not see it is a conflict`() async throws {
        let all = try await machines(3)
        try await edit(all[0], "unseen")
        try await edit(all[1], "second")
        for machine in [all[1], all[2]] { try await machine.sync() }
        try await edit(all[2], "third")
        for machine in [all[2], all[0]] { try await machine.sync() }
        #expect(try await all[0].lines() == ["1 t third [] 0"])
        #expect(try await all[0].conflicts().map(\.value) == ["unseen"])
    }
}
