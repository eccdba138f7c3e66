import ClipsCore
import PersistentStore
import Platform
import SQLite
import SearchIndex

extension Figure {
    static let searchCost = Figure(
        name: "F11", title: "search while typing, each key; first search, and size of the index"
    ) { workspace in
        let clips = workspace.count(1_000_000, quick: 50_000)
        let search = try SearchCost(LargeStore(workspace, clips: clips, .realistic))
        let results =
            try SearchCost.firstSearch(workspace) + search.typing(workspace)
        try search.close()
        return results
    }
}

private struct SearchCost {
    private let store: LargeStore
    private let container: PersistentContainer
    private let index: SearchIndex
    private let sample = SampleText()
    private let screen = 60

    init(_ store: LargeStore) throws {
        self.store = store
        container = try SampleStore.open(store.path)
        index = SearchIndex(container, ClipModel.searched)
        try blocking { [index] in _ = try await index.bringUpToDate() }
    }

    /// Compares the first search, which builds the index, with filling a plain FTS5 table with the same texts.
    static func firstSearch(_ workspace: Workspace) throws -> [Measurement] {
        let store = try LargeStore(workspace, clips: workspace.count(300_000, quick: 30_000), .realistic)
        let search = try [workspace.clipsProgram(), "search", "--store", store.path, SampleText().title(7)]
        let index = store.path + "-search"
        var plain = ""
        let comparison = try Comparison(rounds: workspace.count(3, quick: 1)) {
            for end in ["", "-wal", "-shm"] { try? FilePath.remove(index + end) }
            return [try ChildProcess.run(search).seconds]
        } reference: {
            plain = workspace.newPath("plain-search.db")
            let began = Moment.now
            try fillPlain(plain, from: store)
            return [began.secondsSince]
        }
        let name = "first search, \(store.clips.grouped) clips"
        return [
            Measurement(
                name, .time, comparison, reference: "filling FTS5", goal: .atMost(1.2),
                headline: "First search, which builds the index, \(store.clips.grouped) clips"),
            Measurement("size of the store", .memory, [SampleStore.size(store.path)]),
            Measurement("size of the index", .memory, [SampleStore.size(index)]),
            Measurement("size of plain FTS5", .memory, [SampleStore.size(plain)]),
        ]
    }

    /// The obvious solution: SQLite's tokenizer, the original texts, the same commits.
    private static func fillPlain(_ path: String, from store: LargeStore) throws {
        let connection = try Connection(path: path, access: .create, mayAttach: true)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
            ATTACH '\(store.path)' AS store;
            CREATE VIRTUAL TABLE plain USING fts5 (title, tags, url, text, note, content = '')
            """)
        for first in stride(from: 1, through: store.clips, by: 5000) {
            try connection.run(
                """
                INSERT INTO plain (rowid, title, tags, url, text, note)
                SELECT id, title, tags, url, text, note FROM store.Clip WHERE id BETWEEN ?1 AND ?2
                """, first, first + 4999)
        }
    }

    func close() throws { try container.closeBlocking() }

    /// Types words letter by letter, with the files in the page cache, and fetches the newest screenful after each.
    func typing(_ workspace: Workspace) throws -> [Measurement] {
        // An index of an earlier run may have left the page cache; this process must not open the files.
        _ = try ChildProcess.run(["cksum", store.path, store.path + "-search"])
        var times: [Double] = []
        for number in 0..<workspace.count(40, quick: 16) {
            let text = sample.text(store.clips - number * store.clips / 97)
            let letters = (text.split(separator: " ").max { $0.count < $1.count } ?? "").prefix(8)
            for length in 1...max(1, letters.count) {
                times.append(try time(String(letters.prefix(length))))
            }
        }
        let clips = store.clips.grouped
        return [
            Measurement(
                "a key, \(clips) clips", .time, times, goal: .atMost(0.005),
                headline: "Search while typing, \(clips) clips"),
            Measurement(
                "the slowest key", .time, [times.max() ?? 0], goal: .atMost(0.02),
                headline: "The slowest key of a search while typing"),
        ]
    }

    private func time(_ typed: String) throws -> Double {
        let began = Moment.now
        _ = try container.readBlocking { [index, screen] in
            let bounds = SearchBounds(limit: screen, maxRead: 4000)
            return try index.search(SearchQuery(typed), bounds: bounds, in: $0).hits.count
        }
        return began.secondsSince
    }
}
