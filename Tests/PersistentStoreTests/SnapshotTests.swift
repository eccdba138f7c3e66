import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite struct SnapshotTests {
    private struct NoSuchNote: Error, Equatable { let title: String }

    private let folder: TemporaryFolder
    private let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        for title in ["a", "b", "c"] { try await context.insert("Note", ["title": .text(title)]) }
        try await context.save()
    }

    @Test func `a limit of zero or less admits nothing, in each kind of request`() async throws {
        for limit in [0, -1, .min] {
            let request = FetchRequest("Note", limit: limit)
            #expect(try await container.fetch(request).isEmpty)
            #expect(try await container.read { try $0.valueCounts(of: "title", over: request) }.isEmpty)
            for start in [HistoryFetchRequest.Start.beginning, .newest] {
                let history = HistoryFetchRequest(start, limit: limit)
                #expect(try await container.transactions(history).isEmpty)
                #expect(try await container.count(history).transactions == 0)
            }
        }
        var rest = FetchRequest("Note", limit: .max)
        #expect(try await container.fetch(rest).count == 3)
        (rest.limit, rest.offset) = (nil, -1)
        #expect(try await container.fetch(rest).count == 3)
    }

    @Test func `read rethrows the error of its closure`() async throws {
        await #expect(throws: NoSuchNote(title: "x")) {
            try await container.read { snapshot -> Int in
                _ = try snapshot.count(FetchRequest("Note"))
                throw NoSuchNote(title: "x")
            }
        }
        #expect(try await container.count(FetchRequest("Note")) == 3)
    }

    @Test func `read reports an error of the store, even of a closure with errors of its own`() async throws {
        await #expect(throws: StoreError.unknownEntity("Nothing")) {
            try await container.read { snapshot in
                guard try snapshot.fetch(FetchRequest("Nothing")).isEmpty else { throw NoSuchNote(title: "") }
            }
        }
        await container.close()
        await #expect(throws: StoreError.closed) {
            try await container.read { _ in throw NoSuchNote(title: "") }
        }
    }

    @Test func `a closure that throws only errors of the store keeps their type`() async {
        do throws(StoreError) {
            _ = try await container.fetch(FetchRequest("Nothing"))
            _ = try await container.read { snapshot throws(StoreError) in
                try snapshot.fetch(FetchRequest("Nothing"))
            }
        } catch {
            #expect(error == .unknownEntity("Nothing"))
        }
    }

    @Test func `reading the history stops at the error of its closure, and the snapshot remains usable`()
        async throws
    {
        let (count, titles) = try await container.read { snapshot in
            var count = 0
            #expect(throws: NoSuchNote(title: "2")) {
                try snapshot.forEachChange(HistoryFetchRequest()) { _, _ in
                    count += 1
                    if count == 2 { throw NoSuchNote(title: "2") }
                    return true
                }
            }
            return (count, try snapshot.fetch(FetchRequest("Note")).map { $0["title"] })
        }
        #expect(count == 2)
        #expect(titles == ["a", "b", "c"])
    }

    @Test(arguments: [
        ("return Task { try snapshot.count(FetchRequest(\"Note\")) }", "escaping closure captures"),
        ("let copy = snapshot; return try copy.count(FetchRequest(\"Note\"))", "after consume"),
        ("return try snapshot.count(FetchRequest(\"Note\"))", nil),
    ])
    func `the compiler rejects a snapshot that leaves its closure`(body: String, error: String?) throws {
        let source = folder.path(of: "example.swift")
        try """
        import PersistentStore
        func example(_ container: PersistentContainer) async throws {
            _ = try await container.read { snapshot in \(body) }
        }
        """.write(toFile: source, atomically: true, encoding: .utf8)
        let modules = URL(fileURLWithPath: ClipsProgram.path).deletingLastPathComponent().path + "/Modules"
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources").standardized.path
        let headers = ["CSQLite", "CPlatform/include"].flatMap { ["-I", "\(root)/\($0)"] }
        let compiler = try Shell.run(
            "swiftc",
            ["-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", modules] + headers + [source])
        #expect((compiler.status == 0) == (error == nil), "\(compiler.errors)")
        if let error { #expect(compiler.errors.contains(error)) }
    }
}
