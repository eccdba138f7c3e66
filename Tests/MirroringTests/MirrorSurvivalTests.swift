import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Copied stores, long absences, newer programs, damaged records, and a second process.
@Suite struct MirrorSurvivalTests {
    private let relay = MemoryRelay()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func exchange(_ machines: TestMachine...) async throws {
        for _ in 0..<3 { for machine in machines { try await machine.sync() } }
    }

    private func put(_ json: String, key: String) throws {
        _ = try relay.put(MirrorPut(key: key, expected: 0, stamp: 1, body: Array(json.utf8)))
    }

    @Test func `a copied store becomes another machine, and both edits are known`() async throws {
        let a = try await TestMachine(relay, path: folder.path(of: "a.db"))
        try await a.insert("1", ["title": "t"])
        try await a.sync()
        try await a.container.backUp(to: folder.path(of: "b.db"))
        let b = try await TestMachine(relay, path: folder.path(of: "b.db"))
        // The same transaction number and the same time.
        try await a.update("1", ["title": "a"])
        try await b.update("1", ["title": "b"])
        try await exchange(a, b)
        #expect(try await a.lines() == b.lines())
        let known = try await a.conflicts() + b.conflicts()
        let titles = Set(known.flatMap { [$0.value, $0.current] })
        #expect(titles == ["a", "b"])
    }

    @Test func `a deletion covers the unedited copies of machines that join later`() async throws {
        let a = try await TestMachine(relay, path: folder.path(of: "a.db"))
        for uuid in ["1", "2", "3"] { try await a.insert(uuid, ["title": "t", "tags": "x"]) }
        // Each copy has a random machine, so none may depend on the order of two machines.
        for copy in 0..<6 { try await a.container.backUp(to: folder.path(of: "\(copy).db")) }
        try await a.sync()
        try await a.delete("2")
        try await a.sync()
        for copy in 0..<6 {
            let b = try await TestMachine(relay, path: folder.path(of: "\(copy).db"))
            try await exchange(b, a)
            #expect(try await b.lines() == ["1 t  [x] 0", "3 t  [x] 0"])
            #expect(try await a.lines() == b.lines())
        }
    }

    @Test func `an older copy of a store in its own file loses no edit`() async throws {
        let path = folder.path(of: "a.db")
        var a = try await TestMachine(relay, path: path)
        try await a.insert("1", ["title": "t"])
        try await a.sync()
        try await a.container.backUp(to: folder.path(of: "old.db"))
        for index in 0..<5 { try await a.insert("later\(index)", ["title": "l"]) }
        try await a.update("1", ["title": "newer"])
        try await a.sync()
        await a.container.close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let old = try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "old.db")))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: old)
        try file.close()
        a = try await TestMachine(relay, path: path)
        try await a.update("1", ["note": "after the restore"])
        let b = try await TestMachine(relay)
        try await exchange(a, b)
        #expect(try await a.lines() == b.lines())
        #expect(try await a.lines().first == "1 newer after the restore [] 0")
        #expect(try await a.lines().count == 6)
    }

    @Test func `edits after an older copy was restored survive a deletion of the lost state`() async throws {
        let (clock, copy) = (SettableClock(), folder.path(of: "copy.db"))
        let a = try await TestMachine(relay, clock: { clock.now() }, path: folder.path(of: "a.db"))
        let b = try await TestMachine(relay)
        try await a.insert("1", ["title": "t"])
        try await exchange(a, b)
        try await a.container.backUp(to: copy)
        // With the time of a wrong clock, no later edit by the same machine would be newer.
        clock.advance(seconds: 5000)
        try await a.update("1", ["title": "lost"])
        try await exchange(a, b)
        try await b.delete("1")
        try await b.sync()
        clock.advance(seconds: -5000)
        try await a.replaceStore(by: copy, inPlace: true)
        try await a.update("1", ["title": "after the restore"])
        try await exchange(a, b)
        #expect(try await a.lines() == ["1 after the restore  [] 0"])
        #expect(try await b.lines() == a.lines())
    }

    @Test func `an edit of a copied store that joins the mirror later is no lost value`() async throws {
        let copy = folder.path(of: "copy.db")
        let a = try await TestMachine(relay, path: folder.path(of: "a.db"))
        for uuid in ["1", "2"] { try await a.insert(uuid, ["title": "t", "note": "n"]) }
        try await a.container.backUp(to: copy)
        let c = try await TestMachine(relay)
        try await exchange(a, c)
        try await c.update("1", ["title": "of c", "note": "of c"])
        try await exchange(c, a)
        try await a.update("1", ["title": "of a"])
        try await a.delete("2")
        let b = try await TestMachine(relay, path: copy)
        try await b.update("1", ["title": "of b"])
        try await b.update("2", ["title": "of b"])
        try await exchange(a, b, c)
        for machine in [a, b, c] {
            #expect(try await machine.lines() == ["1 of a of c [] 0"])
            // The note was not edited in the copy, and the other object is deleted.
            #expect(try await machine.conflicts().map(\.value) == ["of b"])
        }
    }

    @Test func `a machine that missed purged deletions must rejoin, and retains only unsent edits`()
        async throws
    {
        let (a, b) = (try await TestMachine(relay), try await TestMachine(relay))
        for uuid in ["1", "2", "3"] { try await a.insert(uuid, ["title": "t"]) }
        try await exchange(a, b)
        try await a.delete("1")
        try await a.delete("2")
        try await b.update("2", ["note": "unsent"])
        try await b.insert("4", ["title": "new"])
        #expect(try await a.mirror.purgeDeletions(before: .distantFuture) == 2)
        #expect(relay.bodies.keys.sorted() == ["MirrorZone.horizon", "Note.3"])
        await #expect(throws: MirrorError.absentTooLong) { try await b.sync() }
        #expect(try await b.notes().count == 4)
        try await b.mirror.rejoin()
        try await exchange(a, b)
        #expect(try await b.lines() == ["2 t unsent [] 0", "3 t  [] 0", "4 new  [] 0"])
        #expect(try await a.lines() == b.lines())
        let c = try await TestMachine(relay)
        try await c.sync()
        #expect(try await c.lines() == a.lines())
    }

    @Test
    func
        `the oldest deletion is known without a message if there is none, and no machine retains a purged one`()
        async throws
    {
        let (a, b) = (try await TestMachine(relay), try await TestMachine(relay))
        try await a.insert("1", ["title": "t"])
        try await exchange(a, b)
        let messages = relay.messageCount
        #expect(try await b.mirror.oldestDeletion() == nil)
        #expect(relay.messageCount == messages)
        try await a.delete("1")
        // The deletion is not the newest revision, so that the lineage remains intact.
        try await a.insert("2", ["title": "t"])
        try await exchange(a, b)
        let time = try #require(try await b.mirror.oldestDeletion())
        #expect(time > .distantPast)
        #expect(relay.messageCount > messages)
        #expect(try await a.mirror.purgeDeletions(before: time) == 0)
        #expect(try await a.mirror.purgeDeletions(before: .distantFuture) == 1)
        #expect(try await b.mirror.oldestDeletion() == .distantPast)
        #expect(try await b.mirror.purgeDeletions(before: .distantFuture) == 0)
        #expect(try await b.mirror.oldestDeletion() == nil)
        #expect(relay.bodies.keys.sorted() == ["MirrorZone.horizon", "Note.2"])
    }

    @Test
    func `attributes and entities of a newer program are retained, sent again, and applied after an update`()
        async throws
    {
        let color = AttributeDescription("color", .text, defaultValue: .value(""))
        let new = try await TestMachine(relay, model: try Book.model(color))
        try await new.insert("1", ["title": "t", "color": "red"])
        try await new.sync()
        try put(#"{"v":1,"e":"Place","u":"p","a":{"x":["7.b.1",{"z":[1,2]}]}}"#, key: "Place.p")
        let path = folder.path(of: "old.db")
        let old = try await TestMachine(relay, path: path)
        try await old.sync()
        try await old.update("1", ["note": "edited"])
        relay.empty()
        _ = try? await old.sync()
        try await old.sync()
        #expect(relay.bodies.keys.sorted() == ["Note.1", "Place.p"])
        let place = String(decoding: relay.bodies["Place.p"] ?? [], as: UTF8.self)
        #expect(place.contains(#"{"z":[1,2]}"#))
        await old.container.close()
        let updated = try await TestMachine(relay, path: path, model: try Book.model(color))
        try await updated.sync()
        #expect(try await updated.notes()["1"]?["color"] == "red")
        let third = try await TestMachine(relay, model: try Book.model(color))
        try await third.sync()
        #expect(try await third.notes()["1"]?["color"] == "red")
        #expect(try await third.notes()["1"]?["note"] == "edited")
    }

    @Test func `a newer format pauses the mirror, and a record that cannot be read is skipped`() async throws
    {
        let a = try await TestMachine(relay)
        try put("not a record", key: "Note.1")
        try put(#"{"v":1,"e":"Note","u":"another","a":{}}"#, key: "Note.2")
        try await a.sync()
        #expect(try await Book.configuration.status(in: a.container)?.unreadable == 2)
        // Edits replace the records that cannot be read.
        try await a.insert("1", ["title": "mine"])
        try await a.insert("3", ["title": "t"])
        try await a.sync()
        #expect(relay.bodies["Note.1"] != Array("not a record".utf8))
        let mine = relay.bodies["Note.1"]
        try await a.update("1", ["title": "unsent"])
        try put(#"{"v":2,"e":"Note","u":"4","a":[]}"#, key: "Note.4")
        await #expect(throws: MirrorError.newerFormat(2)) { try await a.sync() }
        #expect(relay.bodies["Note.1"] == mine)
    }

    @Test func `a damaged record is requested, and put again by a machine that has it`() async throws {
        let (a, b) = (try await TestMachine(relay), try await TestMachine(relay))
        try await a.insert("1", ["title": "t"])
        try await a.insert("2", ["title": "u"])
        try await exchange(a, b)
        for (uuid, key) in [("3", "Note.3"), ("4", "Note.gone")] {
            if uuid == "3" { try await a.insert(uuid, ["title": "v"]) }
            try await a.sync()
            try relay.damage(key)
        }
        try await exchange(b, a, b)
        #expect(try await b.lines() == a.lines())
        #expect(try await b.notes().count == 3)
        // No machine has the other one: it is requested once.
        #expect(relay.bodies["Note.gone"] == Array("?".utf8))
        let puts = relay.putCount
        try await exchange(a, b, a, b)
        #expect(relay.putCount == puts)
        #expect(try await Book.configuration.status(in: b.container)?.unreadable == 1)
    }

    @Test func `a second process stands by until the first exits`() async throws {
        let a = try await TestMachine(relay, path: folder.path(of: "a.db"))
        try await a.insert("1")
        try await a.sync()
        let path = folder.path(of: "null")
        try Data().write(to: URL(fileURLWithPath: path))
        let other = try Shell.spawn(
            ["sleep", "60"], environment: [:], input: path, output: path, errors: path)
        let start = try String(contentsOfFile: "/proc/\(other)/stat", encoding: .utf8).split(separator: " ")[
            21]
        let change = try Shell.run(
            "sqlite3",
            [
                a.container.path,
                "UPDATE history_consumer SET process = \(other), process_start = \(start) WHERE name = 'mirror:main'",
            ])
        #expect(change.status == 0, "\(change.errors)")
        try await a.kill()
        await #expect(throws: MirrorError.standingBy) { try await a.sync() }
        #expect(try await a.container.read { try $0.consumers() }.map(\.name) == ["mirror:main"])
        kill(other, SIGKILL)
        _ = Shell.wait(for: other)
        try await a.sync()
    }

    @Test
    func `an edit that the history lost is not one of another machine, even if the relay forgot that one`()
        async throws
    {
        let (a, b) = (try await TestMachine(relay), try await TestMachine(relay))
        try await a.insert("1", ["title": "t"])
        try await exchange(a, b)
        try await b.update("1", ["title": "of b"])
        try await exchange(b, a)
        try await a.container.removeConsumer("mirror:main")
        try await a.update("1", ["title": "unrecorded"])
        relay.forget(1)
        try await a.kill()
        try await a.sync()
        try await b.container.removeConsumer("mirror:main")
        try await b.insert("2")
        try await b.kill()
        try await exchange(b, a)
        #expect(try await a.lines() == b.lines())
        let titles = try await a.conflicts().map(\.value) + a.notes().values.map { $0["title"] }
        #expect(titles.contains("unrecorded"), "\(titles)")
    }

    @Test func `edits while the history was lost are found by their values`() async throws {
        let (a, b) = (try await TestMachine(relay), try await TestMachine(relay))
        try await a.insert("1", ["title": "t", "tags": "x"])
        try await exchange(a, b)
        try await a.container.removeConsumer("mirror:main")
        try await a.update("1", ["title": "unrecorded", "tags": "x,y"])
        try await a.insert("2", ["title": "new"])
        try await a.kill()
        try await exchange(a, b)
        #expect(try await b.lines() == ["1 unrecorded  [x,y] 0", "2 new  [] 0"])
        #expect(try await a.lines() == b.lines())
    }

    @Test func `removing the mirror releases the history and leaves the objects`() async throws {
        let a = try await TestMachine(relay)
        try await a.insert("1")
        try await a.sync()
        try await Book.configuration.remove(from: a.container)
        #expect(try await a.container.read { try $0.consumers() }.isEmpty)
        #expect(try await Book.configuration.status(in: a.container) == nil)
        #expect(try await a.notes().count == 1)
    }

    @Test func `a configuration that does not fit the model is rejected with the reason`() async throws {
        let a = try await TestMachine(relay)
        for (configuration, word) in [
            (MirrorConfiguration([MirroredEntity("Other")]), "Other"),
            (MirrorConfiguration([MirroredEntity("Note", identifier: "title")]), "uuid"),
            (MirrorConfiguration([MirroredEntity("Note", sets: ["labels": ","])]), "labels"),
        ] {
            let mirror = Mirror(
                container: a.container, configuration: configuration, engine: MemoryEngine(relay))
            let error = await #expect(throws: MirrorError.self) { try await mirror.sync() }
            #expect(error?.description.contains(word) == true)
        }
    }

    @Test func `many offline edits on two machines merge`() async throws {
        let count = LongProof.count(1000, of: 100_000, "offline edits")
        let big = MemoryRelay(remembers: false)
        let machines = [try await TestMachine(big), try await TestMachine(big)]
        for (index, machine) in machines.enumerated() {
            for start in stride(from: 0, to: count, by: 1000) {
                let context = machine.container.makeContext(author: "app")
                for number in start..<min(count, start + 1000) {
                    // A tenth of the objects exists on both machines.
                    let uuid = number % 10 == 0 ? "both \(number)" : "\(index) \(number)"
                    try await context.insert(
                        "Note",
                        ["uuid": .text(uuid), "title": .text("title \(index) \(number)"), "tags": "a,b"])
                }
                try await context.save()
            }
        }
        let clock = ContinuousClock()
        for (index, machine) in [machines[0], machines[1], machines[0]].enumerated() {
            let time = try await clock.measure { try await machine.sync() }
            print("exchange \(index + 1) of \(count) offline edits: \(time)")
        }
        #expect(try await machines[0].lines() == machines[1].lines())
        #expect(try await machines[0].notes().count == count * 2 - count / 10)
        let conflicts = try await machines.map { try await $0.conflicts().count }
        #expect(conflicts.reduce(0, +) >= count / 10)
    }
}

extension Array {
    fileprivate func map<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
