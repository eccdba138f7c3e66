import ClipsCore
import Foundation
import PersistentStore
import SearchIndex
import TestSupport
import Testing

/// The index while other processes build it and are killed during it.
@Suite struct IndexProcessTests {
    let program: ClipsProgram
    let store: ClipStore
    let index: SearchIndex

    init() async throws {
        program = try ClipsProgram()
        store = try await ClipStore(path: program.storePath, author: "app")
        index = SearchIndex(store.container, ClipModel.searched)
        _ = try program.sqlite3(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO Clip (title, text, created) SELECT 'clip ' || i, 'a text with word' || (i % 100) || ' in it',
            1790000000000 + i FROM n;
            """)
    }

    private func found(_ text: String) async throws -> [Int64] {
        let index = index
        return try await store.container.read { snapshot in
            let page = try index.search(SearchQuery(text), bounds: SearchBounds(limit: .max), in: snapshot)
            #expect(page.isFromIndex)
            return page.hits.map(\.id)
        }
    }

    /// The clips with a word, found without an index.
    private func expected(_ word: String) throws -> [Int64] {
        try program.sqlite3(
            "SELECT id FROM Clip WHERE text LIKE '%\(word)%' OR title LIKE '%\(word)%' ORDER BY created DESC, id DESC;"
        ).split(separator: "\n").compactMap { Int64($0) }
    }

    private var size: Int {
        ["", "-wal"].reduce(0) { sum, end in
            let attributes = try? FileManager.default.attributesOfItem(atPath: index.path + end)
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }

    @Test func `an indexer killed repeatedly leaves a correct index`() async throws {
        var killed = 0
        var last = 0
        for round in 0..<LongProof.count(8, of: 12, "killed indexers") {
            let process = try LineProcess(
                ClipsProgram.path, ["search", "word7", "--store", program.storePath, "--quiet"])
            // A little later each time, at any step of its work.
            let grown = await soon(within: 3) { size > last + 100_000 || size < last }
            last = size
            process.killNow()
            if grown { killed += 1 }
            if round % 4 == 3 { try await store.delete([Int64(round)]) }
        }
        #expect(killed > 3)
        #expect(try await index.bringUpToDate() == .ready)
        #expect(try await found("word7") == expected("word7"))
        #expect(try await found("1234") == expected("1234"))
    }

    @Test func `two concurrent processes build one index`() async throws {
        let output = FileHandle.nullDevice
        let both = try (0..<2).map { _ in try program.start(["search", "word9", "--quiet"], output: output) }
        for number in 0..<20 {
            _ = try program.sqlite3("INSERT INTO Clip (title, text) VALUES ('new \(number)', 'word9');")
        }
        for process in both {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        #expect(try await index.bringUpToDate() == .ready)
        #expect(try await found("word9") == expected("word9"))
        let names = try await store.container.read { try $0.consumers().map(\.name) }
        #expect(names == [SearchIndex.consumerName])
    }
}
