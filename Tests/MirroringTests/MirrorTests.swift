import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Exchanges between real stores through a relay in memory.
@Suite struct MirrorTests {
    private let relay = MemoryRelay()

    private func pair() async throws -> (TestMachine, TestMachine) {
        (try await TestMachine(relay), try await TestMachine(relay))
    }

    private func exchange(_ machines: TestMachine...) async throws {
        for _ in 0..<3 { for machine in machines { try await machine.sync() } }
    }

    @Test func `inserts, edits, tags, and deletions reach the other machine`() async throws {
        let (a, b) = try await pair()
        try await a.insert("1", ["title": "one", "tags": "x,y", "note": "n"])
        try await a.insert("2", ["title": "two"])
        try await exchange(a, b)
        #expect(try await b.lines() == ["1 one n [x,y] 0", "2 two  [] 0"])
        try await b.update("1", ["title": "uno", "tags": "y,z", "starred": 1])
        try await b.delete("2")
        try await exchange(b, a)
        #expect(try await a.lines() == ["1 uno n [y,z] 1"])
        #expect(try await b.lines() == a.lines())
    }

    @Test func `objects that precede the mirror are exported, with other attributes than text`() async throws
    {
        let bytes = AttributeDescription("data", .blob, isOptional: true)
        let real = AttributeDescription("size", .real, isOptional: true)
        let model = try Book.model(bytes, real)
        let a = try await TestMachine(relay, model: model)
        try await a.insert(
            "1", ["data": .blob([0, 255]), "size": .real(0.1), "title": "\"\\\u{0}\u{1F600}é\n"])
        try await a.sync()
        let b = try await TestMachine(relay, model: model)
        try await b.sync()
        let note = try #require(try await b.notes()["1"])
        #expect(note.values == (try await a.notes()["1"])?.values)
    }

    @Test func `edits of different attributes and tags merge without a conflict`() async throws {
        let (a, b) = try await pair()
        try await a.insert("1", ["title": "t", "tags": "x,y"])
        try await exchange(a, b)
        try await a.update("1", ["title": "a", "tags": "x,y,a"])
        try await b.update("1", ["note": "b", "tags": "y,b"])
        try await exchange(a, b)
        let tags = try await a.notes()["1"]?["tags"].textValue?.split(separator: ",")
        // In the order in which they were added.
        #expect(tags?.first == "y" && Set(tags ?? []) == ["a", "b", "y"])
        #expect(try await b.lines() == a.lines())
        #expect(try await a.conflicts().isEmpty)
        #expect(try await b.conflicts().isEmpty)
    }

    @Test func `a conflict shows both values on both machines, and either is restored everywhere`()
        async throws
    {
        let clock = SettableClock()
        let a = try await TestMachine(relay, clock: { clock.now() })
        let b = try await TestMachine(relay, clock: { clock.now() })
        try await a.insert("1", ["title": "t"])
        try await exchange(a, b)
        try await a.update("1", ["title": "early"])
        clock.advance(seconds: 1)
        try await b.update("1", ["title": "late"])
        try await exchange(a, b)
        for machine in [a, b] {
            let conflicts = try await machine.conflicts()
            #expect(conflicts.map(\.value) == ["early"])
            #expect(conflicts.map(\.current) == ["late"])
            #expect(conflicts.map(\.isOwn) == [machine === a])
            #expect(conflicts.map(\.attribute) == ["title"])
        }
        let history = try await a.container.transactions(
            HistoryFetchRequest(.beginning, where: .contextName("conflict")))
        #expect(history.first?.changes.first?.oldValues["title"] == "early")
        let conflict = try #require(try await a.conflicts().first)
        try await a.container.write(author: "app") { transaction throws(StoreError) in
            try Book.configuration.resolve(conflict, restoring: true, in: &transaction)
        }
        try await exchange(a, b)
        #expect(try await b.lines() == ["1 early  [] 0"])
        #expect(try await a.conflicts().isEmpty)
    }

    @Test func `an edit survives a deletion that did not see it, and a star does not`() async throws {
        let (a, b) = try await pair()
        for uuid in ["1", "2"] { try await a.insert(uuid, ["title": "t", "tags": "x"]) }
        try await exchange(a, b)
        for uuid in ["1", "2"] { try await a.delete(uuid) }
        try await b.update("1", ["note": "edited"])
        try await b.update("2", ["starred": 1])
        try await exchange(a, b)
        #expect(try await a.lines() == ["1 t edited [x] 0"])
        #expect(try await b.lines() == a.lines())
    }

    @Test func `a restored object returns on all machines`() async throws {
        let (a, b) = try await pair()
        try await a.insert("1", ["title": "t", "tags": "x"])
        try await exchange(a, b)
        try await a.delete("1")
        try await exchange(a, b)
        #expect(try await b.lines().isEmpty)
        let context = a.container.makeContext(author: "app")
        let deletion = try #require(
            try await a.container.changes(HistoryFetchRequest(.beginning, changes: .kind(.delete))).first)
        try await context.restore(deletion)
        try await context.save()
        try await exchange(a, b)
        #expect(try await b.lines() == ["1 t  [x] 0"])
    }

    @Test func `an emptied relay gets everything again, and nothing is deleted`() async throws {
        let (a, b) = try await pair()
        for index in 0..<50 { try await a.insert("\(index)", ["title": .text("t\(index)")]) }
        try await exchange(a, b)
        try await a.delete("7")
        try await exchange(a, b)
        relay.empty()
        for machine in [a, b] { try? await machine.sync() }
        try await exchange(a, b)
        #expect(relay.bodies.count == 50)
        #expect(try await a.lines().count == 49)
        #expect(try await Book.configuration.status(in: a.container)?.forgotten ?? 0 > 0)
        let c = try await TestMachine(relay)
        try await c.sync()
        #expect(try await c.lines() == a.lines())
    }

    @Test func `an older state of the relay is reported by a machine that has seen a newer one`() async throws
    {
        let (a, b) = try await pair()
        try await a.insert("1", ["title": "old"])
        try await exchange(a, b)
        try await a.update("1", ["title": "new"])
        try await a.sync()
        #expect(try await Book.configuration.status(in: a.container)?.older == 0)
        relay.forget(1)
        for machine in [a, b] { try? await machine.sync() }
        try await exchange(a, b)
        #expect(try await b.lines() == ["1 new  [] 0"])
        #expect(try await a.lines() == b.lines())
        let status = try #require(try await Book.configuration.status(in: a.container))
        #expect(status.older == 1 && status.olderAt != nil && status.forgotten == 0)
        #expect(try await Book.configuration.status(in: b.container)?.older == 0)
        // A relay that was created again is not an older state.
        relay.empty()
        for machine in [a, b] { try? await machine.sync() }
        try await exchange(a, b)
        #expect(try await Book.configuration.status(in: a.container)?.older == 1)
    }

    @Test func `an idle pair puts nothing, and imports cause no puts`() async throws {
        let (a, b) = try await pair()
        for index in 0..<20 { try await a.insert("\(index)", ["title": "t", "tags": "x,y"]) }
        try await exchange(a, b)
        #expect(relay.putCount == 20)
        try await a.update("3", ["title": "u"])
        try await exchange(a, b)
        #expect(relay.putCount == 21)
    }

    @Test func `the history that the mirror needs is retained beyond the bounds`() async throws {
        let a = try await TestMachine(relay)
        try await a.sync()
        for index in 0..<30 { try await a.insert("\(index)") }
        _ = try await a.container.purgeHistory(HistoryBounds(maximumChanges: 1))
        #expect(try await Book.configuration.status(in: a.container)?.retained == 30)
        try await a.sync()
        #expect(relay.bodies.count == 30)
    }

    @Test func `a full relay loses nothing, and a record that is too large blocks no other`() async throws {
        let (a, b) = try await pair()
        relay.state.withLock { $0.isFull = true }
        try await a.insert("1", ["title": "t"])
        await #expect(throws: MirrorError.quotaExceeded) { try await a.sync() }
        #expect(try await Book.configuration.status(in: a.container)?.waiting == 1)
        relay.state.withLock { ($0.isFull, $0.maxBytes) = (false, 1000) }
        try await a.insert("2", ["note": .text(String(repeating: "x", count: 2000))])
        try await exchange(a, b)
        #expect(try await b.notes().keys.sorted() == ["1"])
        #expect(try await Book.configuration.status(in: a.container)?.tooLarge == 1)
        relay.state.withLock { $0.maxBytes = .max }
        try await a.update("2", ["note": "short"])
        try await exchange(a, b)
        #expect(try await b.notes().count == 2)
    }

    @Test func `a text that is read in part is not sent until it is shorter`() async throws {
        let a = try await TestMachine(relay, oversized: OversizedValues(over: 1000, prefix: 10))
        let b = try await TestMachine(relay)
        try await a.insert("1", ["note": .text(String(repeating: "x", count: 2000))])
        try await a.insert("2", ["note": "y"])
        try await exchange(a, b)
        #expect(try await b.notes().keys.sorted() == ["2"])
        #expect(try await Book.configuration.status(in: a.container)?.tooLarge == 1)
        try await a.update("1", ["note": "short"])
        try await exchange(a, b)
        #expect(try await b.notes()["1"]?["note"] == "short")
    }

    @Test func `a preview counts and writes nothing`() async throws {
        let (a, b) = try await pair()
        for uuid in ["1", "2", "3"] { try await a.insert(uuid) }
        try await a.sync()
        for uuid in ["3", "4"] { try await b.insert(uuid) }
        let preview = try await b.mirror.preview()
        #expect((preview.onlyHere, preview.onlyOnRelay, preview.onBoth) == (1, 2, 1))
        #expect(relay.putCount == 3)
        #expect(try await Book.configuration.status(in: b.container) == nil)
    }

    @Test func `a commit reaches the other machine while both run, and then no message is exchanged`()
        async throws
    {
        let folder = try TemporaryFolder()
        let a = try await TestMachine(relay, path: folder.path(of: "a.db"))
        let b = try await TestMachine(relay, path: folder.path(of: "b.db"))
        let runs = [a, b].map { machine in Task { try? await machine.mirror.run() } }
        defer { for run in runs { run.cancel() } }
        try await a.insert("1", ["title": "hello"])
        #expect(try await soon { try await b.lines() == ["1 hello  [] 0"] })
        try await b.update("1", ["title": "world"])
        #expect(try await soon { try await a.lines() == ["1 world  [] 0"] })
        // Silent for 300 ms, and then for 300 ms more.
        func isSilent() async throws -> Bool {
            let count = relay.messageCount
            return await !soon(within: 0.3) { relay.messageCount != count }
        }
        #expect(try await soon { try await isSilent() })
        #expect(try await isSilent())
        for run in runs {
            run.cancel()
            await run.value
        }
    }

    @Test func `a running machine that sends a large record in parts continues to run`() async throws {
        let folder = try TemporaryFolder()
        let (a, b) = (
            try await TestMachine(relay, path: folder.path(of: "a.db")), try await TestMachine(relay)
        )
        relay.state.withLock { $0.largestWhole = 1000 }
        let run = Task { try? await a.mirror.run() }
        let text = String(repeating: "x", count: 2000)
        for round in 1...4 {
            try await a.insert("a\(round)", ["title": .text(text)])
            #expect(await soon { a.mirror.progress.sent == round })
            try await b.insert("b\(round)", ["title": "y"])
            try await b.sync()
            try #require(try await soon { try await a.lines().count == 2 * round })
        }
        run.cancel()
        await run.value
    }

    @Test func `the history names the machine from which an import came`() async throws {
        let (a, b) = (try await TestMachine(relay), try await TestMachine(relay))
        let entity = MirroredEntity("Note", minor: ["starred"], sets: ["tags": ","])
        let mirror = Mirror(
            container: a.container,
            configuration: MirrorConfiguration([entity], machineName: "my laptop", program: "test"),
            engine: MemoryEngine(relay))
        try await a.insert("1", ["title": "one"])
        try await mirror.sync()
        try await b.sync()
        try await a.delete("1")
        try await mirror.sync()
        try await b.sync()
        let imports = try await b.container.transactions(
            HistoryFetchRequest(.beginning, where: .author(MirrorConfiguration.author)))
        #expect(imports.map(\.contextName) == ["import from my laptop", "import from my laptop"])
        let origins = imports.map {
            MirrorConfiguration.origin(ofAuthor: $0.author, contextName: $0.contextName)
        }
        #expect(origins == ["my laptop", "my laptop"])
        #expect(MirrorConfiguration.origin(ofAuthor: "cli", contextName: "import from x") == nil)
    }

    @Test func `the history names all machines whose edits an import contains`() async throws {
        let machines = try await [TestMachine(relay), TestMachine(relay), TestMachine(relay)]
        let entity = MirroredEntity("Note", minor: ["starred"], sets: ["tags": ","])
        let mirrors = zip(machines, ["laptop", "desk", "phone"]).map { machine, name in
            Mirror(
                container: machine.container,
                configuration: MirrorConfiguration([entity], machineName: name, program: "test"),
                engine: MemoryEngine(relay))
        }
        try await machines[0].insert("1", ["title": "one"])
        for mirror in mirrors { try await mirror.sync() }
        // The desk merges both edits in one record, and the phone gets it alone.
        try await machines[0].update("1", ["title": "two"])
        try await mirrors[0].sync()
        try await machines[1].update("1", ["tags": "x"])
        try await mirrors[1].sync()
        try await mirrors[2].sync()
        let imports = try await machines[2].container.transactions(
            HistoryFetchRequest(.beginning, where: .author(MirrorConfiguration.author)))
        #expect(imports.last?.contextName == "import from desk, laptop")
        let others = try await machines[1].container.transactions(
            HistoryFetchRequest(.beginning, where: .author(MirrorConfiguration.author)))
        #expect(others.last?.contextName == "import from laptop")
    }
}
