import Foundation
import Mirroring
import TestSupport
import Testing

@testable import MirrorRelay

/// An attacker who may write to the folder, and does not have the secret.
@Suite struct HostileFolderTests {
    let folder: TemporaryFolder
    let secret = MirrorSecret()
    let files = FileManager.default
    let a: FolderEngine
    let b: FolderEngine

    init() async throws {
        folder = try TemporaryFolder()
        let shared = folder.path(of: "shared")
        try files.createDirectory(atPath: shared, withIntermediateDirectories: true)
        a = try FolderRelay.engine(shared, secret, state: folder.path(of: "a"))
        b = try FolderRelay.engine(shared, secret, state: folder.path(of: "b"))
        try await a.createZone()
    }

    private var zone: String { folder.path(of: "shared/clips-mirror-world") }

    private func names(of machine: Substring? = nil) throws -> [String] {
        try files.contentsOfDirectory(atPath: zone).filter {
            SegmentName($0) != nil && (machine.map($0.hasPrefix) ?? true)
        }.sorted()
    }

    private func put(_ engine: FolderEngine, _ name: String, _ body: String) async throws {
        let key = engine.key(entity: "Note", uuid: name)
        let expected = try await engine.get([key]).last?.revision.number ?? 0
        let results = try await engine.put([
            MirrorPut(key: key, expected: expected, stamp: .random(in: 1 ... .max), body: Array(body.utf8))
        ])
        if results == [.outdated] { throw ShellError(description: "outdated") }
    }

    private func bodies(_ engine: FolderEngine) async throws -> Set<String> {
        _ = try await engine.identity()
        let keys = try await engine.list().map(\.key)
        return Set(try await engine.get(keys).map { String(decoding: $0.body, as: UTF8.self) })
    }

    private func read(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(zone)/\(name)"))
    }
    private func write(_ data: Data, _ name: String) throws {
        unlink("\(zone)/\(name)")
        try data.write(to: URL(fileURLWithPath: "\(zone)/\(name)"))
    }

    @Test func `old files that return are neither read nor taken for new ones, and are deleted again`()
        async throws
    {
        try await put(a, "x", "0")
        let old = try names()[0]
        let data = try read(old)
        // Merged into one file, of which the old one is no part.
        for count in 1..<12 { try await put(a, "x", "\(count)") }
        for engine in [a, b] { #expect(try await bodies(engine) == ["11"]) }
        let revisions = try await b.list()
        #expect(try !names().contains(old))
        try write(data, old)
        let (fresh, state) = (
            try FolderRelay.engine(folder.path(of: "shared"), secret, state: folder.path(of: "c")),
            try await b.identity()
        )
        #expect(try await bodies(fresh) == ["11"])
        #expect(try await b.changes(after: revisions[0].number, limit: 10) == [])
        #expect(try await b.identity() == state)
        _ = try await bodies(a)
        _ = try await bodies(a)
        #expect(try !names().contains(old))
    }

    @Test func `a file under another machine's name does not open`() async throws {
        try await put(a, "x", "of a")
        let own = try names()[0]
        try await put(b, "y", "of b")
        let others = try names().filter { $0 != own }
        let foreign = try #require(others.first)
        let (first, second) = (try read(own), try read(foreign))
        try write(second, own)
        try write(first, foreign)
        let fresh = try FolderRelay.engine(folder.path(of: "shared"), secret, state: folder.path(of: "c"))
        #expect(try await bodies(fresh) == [])
        // Both notice it.
        let identity = try await a.identity()
        #expect(try await bodies(a) == [])
        #expect(identity.hasSuffix(" 1"))
        #expect(try await a.identity() == identity)
    }

    @Test func `links, pipes, garbage, and huge files are skipped without being read`() async throws {
        try await put(a, "x", "one")
        let own = try #require(SegmentName(try names()[0]))
        let names = (2..<9).map { SegmentName(machine: own.machine, sequence: $0).text }
        symlink("/dev/zero", "\(zone)/\(names[0])")
        mkfifo("\(zone)/\(names[1])", 0o600)
        try files.createDirectory(atPath: "\(zone)/\(names[2])", withIntermediateDirectories: true)
        try write(Data(repeating: 0, count: 100), names[3])
        // A table that claims four gigabytes, in a sparse file of a terabyte.
        try write(Data("\0clips1\n".utf8) + Data([255, 255, 255, 255]), names[4])
        truncate("\(zone)/\(names[4])", 1 << 40)
        try write(try read(own.text).dropLast(), names[5])
        try write(try read(own.text) + Data([0]), names[6])
        try write(Data(), "notes.txt")
        symlink("/etc/passwd", "\(zone)/link.clips")
        #expect(try await bodies(b) == ["one"])
        #expect(try await bodies(a) == ["one"])
        try await put(b, "y", "two")
        #expect(try await bodies(a) == ["one", "two"])
    }

    @Test func `each changed byte is noticed`() async throws {
        try await put(a, "x", "one")
        let name = try names()[0]
        let data = try read(name)
        for index in data.indices {
            var changed = data
            changed[index] ^= 0x10
            try write(changed, name)
            let fresh = try FolderRelay.engine(
                folder.path(of: "shared"), secret, state: folder.path(of: "c\(index)"))
            let found = try await bodies(fresh)
            #expect(found == [] || found == [""], "byte \(index)")
        }
        // The machine that owns the file checks all of it.
        #expect(try await bodies(a) == [])
    }

    @Test func `a zone that is a link is not followed, and nothing is written`() async throws {
        try await put(a, "x", "one")
        let target = folder.path(of: "target")
        try files.moveItem(atPath: zone, toPath: target)
        symlink(target, zone)
        let before = try files.contentsOfDirectory(atPath: target)
        await #expect(throws: MirrorError.self) { _ = try await a.identity() }
        await #expect(throws: MirrorError.self) { try await put(a, "y", "two") }
        #expect(try files.contentsOfDirectory(atPath: target).sorted() == before.sorted())
    }
}
