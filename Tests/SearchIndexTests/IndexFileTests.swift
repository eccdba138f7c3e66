import ClipsCore
import Foundation
import PersistentStore
import SearchIndex
import TestSupport
import Testing

/// The index as a file that can be lost, damaged, and shared.
@Suite struct IndexFileTests {
    let folder: TemporaryFolder
    let store: ClipStore
    let index: SearchIndex

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        index = SearchIndex(store.container, ClipModel.searched)
        _ = try await store.add(
            (0..<50).map { Self.titled("clip number\($0) \($0 % 2 == 0 ? "even" : "odd")") })
    }

    static func titled(_ title: String) -> ClipDraft {
        var draft = ClipDraft()
        draft.title = title
        return draft
    }

    /// A store with an index of clips that have these titles.
    ///
    /// - Parameter tags: The tag of some titles.
    static func store(
        in folder: TemporaryFolder, _ titles: [String], tags: [String: String]
    ) async throws -> ClipStore {
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        _ = try await store.add(
            titles.map { title in
                var draft = titled(title)
                draft.tags = [tags[title]].compactMap(\.self)
                return draft
            })
        try await store.updateIndex()
        return store
    }

    private func find(
        _ text: String, _ index: SearchIndex? = nil
    ) async throws -> (titles: Int, isFromIndex: Bool) {
        let index = index ?? self.index
        return try await index.container.read { snapshot in
            let bounds = SearchBounds(limit: 1000)
            let page = try index.search(SearchQuery(text), bounds: bounds, in: snapshot)
            return (page.hits.count, page.isFromIndex)
        }
    }

    @Test func `clips after large ones are indexed if the states of links fill the memory for texts`()
        async throws
    {
        let store = try await ClipStore(path: folder.path(of: "large.db"), author: "app")
        // A step reads 16 MB: here, the texts alone are a little less.
        let others = 4 * (1 + 15 + 3 + 36) + 40
        var drafts = (0..<5).map { number in
            var draft = Self.titled("\(number)")
            draft.url = "https://a.org/\(number)"
            draft.text = String(repeating: ".", count: (4 << 20) - (number == 4 ? others : 0))
            return draft
        }
        drafts[0].text = "needle"
        _ = try await store.add(drafts)
        _ = try await store.record(Dictionary(uniqueKeysWithValues: drafts.map { ($0.url, .live) }))
        try await store.updateIndex()
        let found = try await find("needle", SearchIndex(store.container, ClipModel.searched))
        #expect(found == (1, true))
    }

    @Test func `a store without an index is searched directly, and through the index once it exists`()
        async throws
    {
        #expect(try await find("even") == (25, false))
        #expect(try await index.bringUpToDate() == .ready)
        #expect(try await find("even") == (25, true))
        let mode = try FileManager.default.attributesOfItem(atPath: index.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `a search finds the newest commit, regardless of its author`() async throws {
        try await index.bringUpToDate()
        _ = try await store.add([Self.titled("even newer")])
        #expect(try await find("even") == (26, true))
        try Shell.run(
            "sqlite3", [store.container.path], input: "UPDATE Clip SET title = 'odd' WHERE id <= 4;")
        #expect(try await find("even") == (24, true))
        try Shell.run("sqlite3", [store.container.path], input: "DELETE FROM Clip WHERE id > 40;")
        #expect(try await find("even") == (18, true))
        #expect(try await find("odd") == (22, true))
    }

    @Test(arguments: [
        "deleted", "emptied", "garbage", "torn", "another database", "another version", "no tables",
    ])
    func `a damaged file is rebuilt`(damage: String) async throws {
        try await index.bringUpToDate()
        await index.close()
        let (path, url) = (index.path, URL(fileURLWithPath: index.path))
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        switch damage {
        case "deleted": try FileManager.default.removeItem(atPath: path)
        case "emptied": try Data().write(to: url)
        case "garbage": try Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: url)
        case "torn":
            var data = try Data(contentsOf: url)
            for place in 4096..<data.count where place % 3 != 0 { data[place] = 0xA5 }
            try data.write(to: url)
        case "another database":
            try Data().write(to: url)
            try Shell.run("sqlite3", [path], input: "CREATE TABLE other (a); PRAGMA application_id = 12;")
        case "another version": try Shell.run("sqlite3", [path], input: "PRAGMA user_version = 99;")
        default: try Shell.run("sqlite3", [path], input: "DROP TABLE document;")
        }
        #expect(try await find("even").titles == 25)
        #expect(try await index.bringUpToDate() == .ready)
        #expect(try await find("even") == (25, true))
    }

    @Test func `a file removed under an open index is rebuilt`() async throws {
        try await index.bringUpToDate()
        #expect(try await find("even") == (25, true))
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: index.path + end) }
        #expect(try await find("even") == (25, false))
        try await index.bringUpToDate()
        #expect(try await find("even") == (25, true))
    }

    @Test func `an older copy of the store causes a rebuild of the index`() async throws {
        let other = try TemporaryFolder()
        let path = other.path(of: "clips.db")
        try Shell.run("sqlite3", [store.container.path, ".backup \(path)"])
        _ = try await store.add([Self.titled("even more")])
        try await index.bringUpToDate()
        await index.close()
        try Shell.run("cp", [index.path, path + "-search"])
        let older = try await ClipStore(path: path, author: "app")
        let olderIndex = SearchIndex(older.container, ClipModel.searched)
        #expect(try await find("even", olderIndex).titles == 25)
        #expect(try await olderIndex.bringUpToDate() == .ready)
        #expect(try await find("even", olderIndex) == (25, true))
        await older.container.close()
    }

    @Test func `history purged before the index read it causes a rebuild`() async throws {
        try await index.bringUpToDate()
        try await store.container.removeConsumer(SearchIndex.consumerName)
        try await store.delete([1, 2])
        _ = try await store.container.purgeHistory(maximumAge: .seconds(-60))
        #expect(try await find("clip").titles == 48)
        #expect(try await index.bringUpToDate() == .ready)
        #expect(try await find("clip") == (48, true))
    }

    @Test func `a folder that is not writable is searched without an index`() async throws {
        let blocked = folder.path(of: "clips.db-search")
        try FileManager.default.createDirectory(atPath: blocked, withIntermediateDirectories: true)
        guard case .unavailable = try await index.bringUpToDate() else {
            Issue.record("a folder was accepted as an index")
            return
        }
        #expect(try await find("even") == (25, false))
    }

    @Test func `the index is one consumer of the history in every process`() async throws {
        try await index.bringUpToDate()
        let second = try await ClipStore(path: store.container.path, author: "cli")
        let other = SearchIndex(second.container, ClipModel.searched)
        for round in 0..<20 {
            _ = try await store.add([Self.titled("round \(round)")])
            async let first = index.bringUpToDate()
            async let again = other.bringUpToDate()
            _ = try await (first, again)
        }
        let names = try await store.container.read { try $0.consumers().map(\.name) }
        #expect(names == [SearchIndex.consumerName])
        #expect(try await find("round") == (20, true))
        #expect(try await find("round", other) == (20, true))
        await second.container.close()
    }
}
