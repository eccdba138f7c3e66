import Foundation
import MirrorTesting
import Mirroring
import PersistentStore
import TestSupport
import Testing

@testable import MirrorRelay

/// The engine with a folder.
@Suite struct FolderEngineTests {
    let folder: TemporaryFolder
    let secret = MirrorSecret()
    let files = FileManager.default

    init() throws {
        folder = try TemporaryFolder()
        try files.createDirectory(atPath: folder.path(of: "shared"), withIntermediateDirectories: true)
    }

    private var zone: String { folder.path(of: "shared/clips-mirror-world") }
    private var names: [String] {
        get throws { try files.contentsOfDirectory(atPath: zone).filter { SegmentName($0) != nil }.sorted() }
    }

    private func engine(_ state: String, secret: MirrorSecret? = nil, retirement: Duration = .zero) throws
        -> FolderEngine
    {
        try FolderRelay.engine(
            folder.path(of: "shared"), secret ?? self.secret, state: folder.path(of: state),
            retirement: retirement)
    }

    private func open(_ state: String) async throws -> FolderEngine {
        let engine = try engine(state)
        try await engine.createZone()
        _ = try await engine.identity()
        return engine
    }

    private func put(_ engine: FolderEngine, _ name: String, _ body: String, expected: Int64 = 0) async throws
        -> Int64
    {
        let key = engine.key(entity: "Note", uuid: name)
        let put = MirrorPut(key: key, expected: expected, stamp: .random(in: 1...99), body: Array(body.utf8))
        guard case .stored(let number)? = try await engine.put([put]).first else {
            throw ShellError(description: "nothing was stored")
        }
        return number
    }

    private func bodies(_ engine: FolderEngine) async throws -> [String] {
        var (entries, last): ([MirrorEntry], Int64) = ([], 0)
        while let newest = try await engine.changes(after: last, limit: 100).last {
            entries += try await engine.changes(after: last, limit: 100)
            last = newest.revision.number
        }
        return entries.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func `records are read from the file into which theirs was merged after the scan`() async throws {
        let (a, b) = (try await open("a"), try await open("b"))
        for number in 0..<7 { _ = try await put(a, "\(number)", "\(number)") }
        let before = try names
        #expect(try await bodies(b).count == 7)
        let known = try await b.list().map(\.key)
        // The eighth segment merges them, and the scan of the next call deletes theirs.
        _ = try await put(a, "7", "7")
        _ = try await a.changes(after: .max, limit: 1)
        #expect(try names.allSatisfy { !before.contains($0) })
        let found = try await b.get(known).map { String(decoding: $0.body, as: UTF8.self) }
        #expect(found.sorted() == (0..<7).map(String.init))
        #expect(try await bodies(b).count == 8)
    }

    @Test func `records of two machines are put, read, and listed`() async throws {
        let (a, b) = (try await open("a"), try await open("b"))
        let first = try await put(a, "x", "one")
        #expect(try await bodies(b) == ["one"])
        let known = try #require(try await b.list().first)
        #expect(known.key == a.key(entity: "Note", uuid: "x"))
        let outdated = MirrorPut(key: known.key, expected: 0, stamp: 1, body: [])
        #expect(try await b.put([outdated]) == [.outdated])
        let second = try await put(b, "x", "two", expected: known.number)
        #expect(try await b.entry(at: second)?.key == known.key)
        // Each machine has a revision: nothing says that one contains the other.
        #expect(try await bodies(a) == ["one", "two"])
        let number = try await a.list()[0].number
        #expect(number > first)
        _ = try await put(a, "x", "three", expected: number)
        _ = try await b.identity()
        #expect(try await bodies(b) == ["two", "three"])
        #expect(try await b.get([known.key, "unknown"]).count == 2)
    }

    @Test func `numbers remain after a restart, and change when the state was lost`() async throws {
        let a = try await open("a")
        let identity = try await a.identity()
        let number = try await put(a, "x", "one")
        let again = try await open("a")
        #expect(try await again.identity() == identity)
        #expect(try await again.list().map(\.number) == [number])
        let next = try await put(again, "y", "two")
        // A number that a crash took from the state is not given again.
        #expect(next > number + 1)
        try files.removeItem(atPath: folder.path(of: "a"))
        let new = try await open("a")
        #expect(try await new.identity() != identity)
        #expect(try await bodies(new) == ["one", "two"])
    }

    @Test func `a state that was copied to another folder becomes another machine's`() async throws {
        let a = try await open("a")
        _ = try await put(a, "x", "one")
        try files.createDirectory(atPath: folder.path(of: "other"), withIntermediateDirectories: true)
        try files.copyItem(atPath: folder.path(of: "a"), toPath: folder.path(of: "other/a"))
        let b = try await open("other/a")
        _ = try await put(b, "y", "two")
        #expect(try Set(names.map { $0.prefix(16) }).count == 2)
    }

    @Test(.timeLimit(.minutes(1)))
    func `segments that are full of small records are not merged again`() async throws {
        let a = try await open("a")
        for part in 0..<9 {
            let puts = (0..<SegmentFile.maxItems).map {
                MirrorPut(
                    key: a.key(entity: "Note", uuid: "\(part) \($0)"), expected: 0, stamp: 1, body: [1])
            }
            #expect(try await a.put(puts).count == puts.count)
        }
        #expect(try names.count == 9)
        #expect(try await a.list().count == 9 * SegmentFile.maxItems)
    }

    @Test func `many puts leave few files, and superseded records no bytes`() async throws {
        let (a, b) = (try await open("a"), try await open("b"))
        var numbers: [Int: Int64] = [:]
        for count in 0..<300 {
            let name = count % 20
            numbers[name] = try await put(
                a, "\(name)", String(repeating: "\(count % 10)", count: 2000), expected: numbers[name] ?? 0)
        }
        _ = try await a.changes(after: .max - 1, limit: 1)
        #expect(try names.count < 24)
        let bytes = try names.reduce(0) {
            try $0 + Data(contentsOf: URL(fileURLWithPath: "\(zone)/\($1)")).count
        }
        #expect(bytes < 3 * 20 * 2100)
        #expect(try await bodies(b).count == 20)
        #expect(try await Set(bodies(open("a"))) == Set(bodies(b)))
        let identity = try await b.identity()
        #expect(try await b.identity() == identity)
    }

    @Test func `superseded files remain until their successors can be copied`() async throws {
        let a = try engine("a", retirement: .seconds(3600))
        try await a.createZone()
        for count in 0..<9 { _ = try await put(a, "\(count)", "body") }
        #expect(try names.count == 10)
        #expect(try await bodies(a).count == 9)
    }

    @Test func `records of any size arrive`() async throws {
        let (a, b) = (try await open("a"), try await open("b"))
        for size in [1, SegmentFile.maxBytes - 1, SegmentFile.maxBytes + 1, 9 << 20] {
            _ = try await put(a, "\(size)", String(repeating: "x", count: size))
        }
        let puts = (0..<5000).map {
            MirrorPut(key: a.key(entity: "Many", uuid: "\($0)"), expected: 0, stamp: 1, body: [1, 2, 3])
        }
        #expect(try await a.put(puts).count == 5000)
        _ = try await b.identity()
        let list = try await b.list()
        #expect(list.count == 5004)
        #expect(try await b.get(list.prefix(4).map(\.key)).map(\.body.count).max() == 9 << 20)
    }

    @Test func `a wait ends with the next file, or with its task`() async throws {
        let (a, b) = (try await open("a"), try await open("b"))
        let waiting = Task { try await b.waitForChanges(after: 0) }
        _ = try await put(a, "x", "one")
        try await waiting.value
        let number = try await b.list()[0].number
        let cancelled = Task { try await b.waitForChanges(after: number) }
        cancelled.cancel()
        await #expect(throws: MirrorError.cancelled) { try await cancelled.value }
    }

    @Test func `another key is refused, and a missing zone is not created`() async throws {
        let a = try engine("a")
        #expect(try await !a.zoneExists())
        await #expect(throws: MirrorError.self) { _ = try await a.list() }
        #expect(try files.contentsOfDirectory(atPath: folder.path(of: "shared")) == [])
        try await a.createZone()
        #expect(try await a.zoneExists())
        let other = try engine("b", secret: MirrorSecret())
        await #expect(throws: MirrorError.wrongKey) { _ = try await other.list() }
        // A share that is not mounted.
        try files.moveItem(atPath: zone, toPath: zone + ".away")
        await #expect(throws: MirrorError.self) { _ = try await a.identity() }
        #expect(!files.fileExists(atPath: zone))
    }

    @Test func `a zone of which a file remains is not reported as deleted, and can be deleted again`()
        async throws
    {
        let a = try await open("a")
        _ = try await put(a, "x", "one")
        // Even root deletes no folder as a file.
        let name = "\(zone)/\(try #require(try names.first))"
        try files.moveItem(atPath: name, toPath: folder.path(of: "away"))
        try files.createDirectory(atPath: name, withIntermediateDirectories: true)
        await #expect(throws: MirrorError.self) { try await a.deleteZone() }
        #expect(try await a.zoneExists())
        try files.removeItem(atPath: name)
        try files.moveItem(atPath: folder.path(of: "away"), toPath: name)
        try await a.deleteZone()
        #expect(!files.fileExists(atPath: zone))
    }

    @Test func `a deleted file is noticed, and its machine puts the records again`() async throws {
        let relay = try FolderRelay(seed: 1, isCopied: false)
        let (a, b) = (
            try await TestMachine(relay, clock: relay.now), try await TestMachine(relay, clock: relay.now)
        )
        try await relay.settle()
        for uuid in ["1", "2"] { try await a.insert(uuid, ["title": "t"]) }
        for machine in [a, b] { try await machine.sync() }
        let zone = relay.folder.path(of: "replica0/clips-mirror-world")
        for name in try files.contentsOfDirectory(atPath: zone) where SegmentName(name) != nil {
            try files.removeItem(atPath: "\(zone)/\(name)")
        }
        try await a.update("1", ["title": "new"])
        for machine in [a, b, a] { try await machine.sync() }
        #expect(try await b.lines() == ["1 new  [] 0", "2 t  [] 0"])
        await #expect(throws: MirrorError.self) { try await a.mirror.purgeDeletions(before: .distantFuture) }
    }
}
