import ClipsCore
import Glibc
import PersistentStore
import SQLite
import SearchIndex

extension Figure {
    static let searchCost = Figure(
        name: "F11", title: "search while typing, each key; backfill and size of the index"
    ) { workspace in
        let clips = workspace.options.searchedClips ?? workspace.count(1_000_000, quick: 50_000)
        let written = try WrittenStore(workspace, clips: clips)
        let search = try SearchCost(written)
        defer { search.close() }
        return try search.building(workspace) + search.typing(workspace) + search.besideLIKE()
    }
}

private final class SearchCost {
    private let written: WrittenStore
    private let container: PersistentContainer
    private let index: SearchIndex
    private let screen = 60

    init(_ written: WrittenStore) throws {
        self.written = written
        let path = written.path
        container = try blocking { try await PersistentContainer(path: path, model: try ClipModel.make()) }
        index = SearchIndex(container, ClipModel.searched)
    }

    func close() {
        let container = container
        _ = try? blocking { await container.close() }
    }

    /// Compares the backfill of the index with filling a plain FTS5 table with the same texts.
    func building(_ workspace: Workspace) throws -> [Measurement] {
        for end in ["", "-wal", "-shm"] { unlink(index.path + end) }
        let index = index
        let began = Moment.now
        try blocking {
            await index.close()
            try await index.bringUpToDate()
        }
        let ours = began.secondsSince
        let plain = workspace.newPath("plain-search.db")
        let plainBegan = Moment.now
        try fillPlain(plain)
        let beside = plainBegan.secondsSince
        let each = Double(written.clips)
        let comparison = Comparison(rounds: 1) {
            [ours / each]
        } beside: {
            [beside / each]
        }
        return [
            Measurement(
                "indexing, each of \(written.clips) clips", .time, comparison, beside: "plain FTS5", goal: nil
            ),
            Measurement("size of the store", .memory, [WrittenStore.size(written.path)]),
            Measurement("size of the index", .memory, [WrittenStore.size(index.path)]),
            Measurement("size of plain FTS5", .memory, [WrittenStore.size(plain)]),
        ]
    }

    /// The obvious solution: SQLite's tokenizer, the original texts, the same commits.
    private func fillPlain(_ path: String) throws {
        let connection = try Connection(path: path, access: .create, mayAttach: true)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
            ATTACH '\(written.path)' AS store;
            CREATE VIRTUAL TABLE plain USING fts5 (title, tags, url, text, note, content = '')
            """)
        for first in stride(from: 1, through: written.clips, by: 5000) {
            try connection.run(
                """
                INSERT INTO plain (rowid, title, tags, url, text, note)
                SELECT id, title, tags, url, text, note FROM store.Clip WHERE id BETWEEN ?1 AND ?2
                """, first, first + 4999)
        }
    }

    /// Types words letter by letter and fetches the newest screenful after each.
    func typing(_ workspace: Workspace) throws -> [Measurement] {
        let sample = SampleText()
        var byLength: [Int: [Double]] = [:]
        var all: [Double] = []
        for number in 0..<workspace.count(40, quick: 16) {
            let source = written.clips - number * written.clips / 97
            let text = sample.text(source)
            let word = text.split(separator: " ").max { $0.count < $1.count } ?? ""
            let letters = Array(word.prefix(8))
            for length in 1...max(1, letters.count) {
                let took = try time(String(letters.prefix(length)))
                byLength[length, default: []].append(took)
                all.append(took)
            }
        }
        let clips = Quantity.grouped(written.clips)
        let result = Measurement("a key, \(clips) clips", .time, all, goal: Measurement.Goal(atMost: 0.05))
            .headlined("Search while typing, \(clips) clips")
        return [result]
            + byLength.keys.sorted().map { Measurement("a key, with \($0) typed", .time, byLength[$0] ?? []) }
    }

    private func time(_ typed: String) throws -> Double {
        let (container, index, screen) = (container, index, screen)
        let began = Moment.now
        try blocking {
            let query = SearchQuery(typed)
            let bounds = SearchBounds(limit: screen, maxRead: 4000)
            _ = try await container.read { try index.search(query, bounds: bounds, in: $0).hits.count }
        }
        return began.secondsSince
    }

    /// Compares whole queries with LIKE, which the list used before there was an index.
    func besideLIKE() throws -> [Measurement] {
        let sample = SampleText()
        var (ours, beside): ([Double], [Double]) = ([], [])
        for number in 0..<20 {
            let words = sample.text(written.clips / 20 * (number + 1) - 3).split(separator: " ")
            // From very common to very rare words.
            let rarest = words.sorted { $0.count > $1.count }.dropFirst(number % 4)
            let query = rarest.prefix(number % 2 + 1).map { String($0.prefix(12)) }
            ours.append(try time(query.joined(separator: " ")))
            beside.append(try timeLIKE(query))
        }
        var comparison = Comparison(rounds: 0) {
            []
        } beside: {
            []
        }
        for (one, other) in zip(ours, beside) { comparison.add([one], [other]) }
        return [
            Measurement("a query", .time, comparison, beside: "LIKE", goal: nil).headlined(
                "A whole query by the index")
        ]
    }

    private func timeLIKE(_ words: [String]) throws -> Double {
        let attributes: [ClipAttribute] = [.title, .url, .tags, .text, .note, .author]
        var request = FetchRequest(
            ClipModel.entity,
            where: .and(words.map { word in .or(attributes.map { .contains($0.rawValue, word) }) }),
            sort: ClipQuery.newestFirst, limit: screen)
        request.attributes = []
        let (container, wanted) = (container, request)
        let began = Moment.now
        try blocking { _ = try await container.read { try $0.fetch(wanted).count } }
        return began.secondsSince
    }
}
