import MirrorTesting
import Mirroring
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// The question before many deletions by other machines are imported.
@Suite struct RemovalQuestionTests {
    private let relay = MemoryRelay(remembers: false)
    private let clock = SettableClock()

    /// Two machines with these numbers of objects; the second one asks.
    private func machines(_ count: Int) async throws -> (TestMachine, TestMachine) {
        let a = try await TestMachine(relay)
        let clock = clock
        let b = try await TestMachine(relay, clock: { clock.now() }, asksBeforeRemovals: true)
        let context = a.container.makeContext(author: "app")
        for index in 0..<count { try await context.insert("Note", ["uuid": .text("\(index)")]) }
        try await context.save()
        try await a.sync()
        try await b.sync()
        return (a, b)
    }

    private func delete(_ numbers: Range<Int>, on machine: TestMachine) async throws {
        let notes = try await machine.notes()
        let context = machine.container.makeContext(author: "app")
        for number in numbers {
            if let note = notes["\(number)"] { try await context.delete(note.id) }
        }
        try await context.save()
        try await machine.sync()
    }

    @Test func `an answer is for the deletions that were counted`() async throws {
        let (a, b) = try await machines(40)
        try await delete(0..<20, on: a)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        #expect(try await b.notes().count == 40)
        await b.mirror.allowRemovals(.max)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        // Deletions after the question are another one, even if they arrive together with its answer.
        await b.mirror.allowRemovals(20)
        try await delete(20..<35, on: a)
        await #expect(throws: MirrorError.manyRemovals(15)) { try await b.sync() }
        #expect(try await b.notes().count == 20)
        await b.mirror.allowRemovals(15)
        try await b.sync()
        #expect(try await b.notes().count == 5)
    }

    @Test func `one question counts deletions that fill several batches`() async throws {
        let (a, b) = try await machines(700)
        try await delete(0..<600, on: a)
        await #expect(throws: MirrorError.manyRemovals(600)) { try await b.sync() }
        #expect(try await b.notes().count == 700)
        await b.mirror.allowRemovals(600)
        try await b.sync()
        #expect(try await b.notes().count == 100)
    }

    @Test func `deletions are counted before the first one, however the relay delivers them`() async throws {
        let (a, b) = try await machines(40)
        relay.state.withLock { $0.piece = 3 }
        _ = try relay.put(MirrorPut(key: "Note.damaged", expected: 0, stamp: 1, body: [0]))
        try await delete(0..<20, on: a)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        #expect(try await b.notes().count == 40)
        await b.mirror.allowRemovals(20)
        try await b.sync()
        #expect(try await Book.configuration.status(in: b.container)?.unreadable == 1)
        let (c, d) = try await machines(0)
        relay.state.withLock { $0.piece = .max }
        let context = c.container.makeContext(author: "app")
        for index in 100..<1100 { try await context.insert("Note", ["uuid": .text("\(index)")]) }
        try await context.save()
        for machine in [c, d] { try await machine.sync() }
        // Few in each batch: the first 500 changes contain 50, and all together 150.
        try await delete(100..<150, on: c)
        for index in 300..<900 { try await c.update("\(index)", ["title": "edited"]) }
        try await delete(1000..<1100, on: c)
        let count = try await d.notes().count
        await #expect(throws: MirrorError.manyRemovals(150)) { try await d.sync() }
        #expect(try await d.notes().count == count)
    }

    @Test(arguments: [false, true])
    func `deletions that arrive a few at a time are added up`(isKilled: Bool) async throws {
        let (a, b) = try await machines(40)
        try await delete(0..<6, on: a)
        try await b.sync()
        #expect(try await b.notes().count == 34)
        if isKilled { try await b.kill() }
        try await delete(6..<12, on: a)
        await #expect(throws: MirrorError.manyRemovals(6)) { try await b.sync() }
        await b.mirror.allowRemovals(6)
        try await b.sync()
        // Those that were confirmed do not count again, and after an hour none does.
        try await delete(12..<14, on: a)
        try await b.sync()
        clock.set(SettableClock.start + 3_601_000)
        try await delete(14..<18, on: a)
        try await b.sync()
        #expect(try await b.notes().count == 22)
    }

    @Test func `a relay that was created again asks the same question`() async throws {
        let (a, b) = try await machines(40)
        try await delete(0..<20, on: a)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        relay.empty()
        for _ in 0..<2 { _ = try? await a.sync() }
        await b.mirror.allowRemovals(20)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        #expect(try await b.notes().count == 40)
        await b.mirror.allowRemovals(20)
        try await b.sync()
        #expect(try await b.notes().count == 20)
        #expect(try await b.lines() == a.lines())
    }

    @Test func `only the deletions wait, and everything else is exchanged`() async throws {
        let (a, b) = try await machines(40)
        try await b.update("30", ["title": "edited"])
        try await a.update("31", ["title": "other"])
        let context = a.container.makeContext(author: "app")
        try await context.insert("Note", ["uuid": .text("new")])
        try await context.save()
        try await delete(0..<20, on: a)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        var notes = try await b.notes()
        #expect(notes.count == 41 && notes["31"]?["title"].textValue == "other")
        #expect(try await Book.configuration.status(in: b.container)?.removals == 20)
        try await a.sync()
        #expect(try await a.notes()["30"]?["title"].textValue == "edited")
        // Even after a restart, and with later changes.
        try await b.kill()
        try await a.update("32", ["title": "later"])
        try await a.sync()
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        notes = try await b.notes()
        #expect(notes.count == 41 && notes["32"]?["title"].textValue == "later")
        await b.mirror.allowRemovals(20)
        try await b.sync()
        #expect(try await b.lines() == a.lines())
    }

    @Test(arguments: [false, true])
    func `refused deletions return the objects to all machines`(isEdited: Bool) async throws {
        let (a, b) = try await machines(40)
        for number in 0..<20 {
            try await b.update("\(number)", ["title": .text("title \(number)"), "tags": "x,y"])
        }
        try await b.sync()
        try await a.sync()
        try await delete(0..<20, on: a)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        if isEdited { try await b.update("3", ["title": "edited"]) }
        let lines = try await b.lines()
        if isEdited { await #expect(throws: MirrorError.manyRemovals(19)) { try await b.sync() } }
        await b.mirror.keepRemovals(isEdited ? 19 : 20)
        try await b.sync()
        try await a.sync()
        #expect(try await b.lines() == lines)
        #expect(try await a.lines() == lines)
        // A later deletion of the same objects is not covered by the answer.
        try await delete(0..<20, on: a)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
    }

    @Test func `deletions that were undone no longer wait`() async throws {
        let (a, b) = try await machines(40)
        try await delete(0..<20, on: a)
        await #expect(throws: MirrorError.manyRemovals(20)) { try await b.sync() }
        let context = a.container.makeContext(author: "app")
        for number in 0..<15 { try await context.insert("Note", ["uuid": .text("\(number)")]) }
        try await context.save()
        try await a.sync()
        await #expect(throws: MirrorError.manyRemovals(5)) { try await b.sync() }
        await b.mirror.allowRemovals(20)
        await #expect(throws: MirrorError.manyRemovals(5)) { try await b.sync() }
        for number in 15..<20 { try await context.insert("Note", ["uuid": .text("\(number)")]) }
        try await context.save()
        try await a.sync()
        try await b.sync()
        #expect(try await b.notes().count == 40)
        #expect(try await b.lines() == a.lines())
    }
}
