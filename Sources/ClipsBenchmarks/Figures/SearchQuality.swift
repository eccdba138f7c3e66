import ClipsCore
import PersistentStore
import SQLite
import SearchIndex

extension Figure {
    static let searchQuality = Figure(
        name: "F14", title: "order of search results: known items and common words, next to FTS5 bm25"
    ) { workspace in
        let links =
            try workspace.options["--links"].map(SampleLink.read)
            ?? SampleLink.generate(workspace.count(20_000, quick: 5_000))
        let quality = try SearchQuality(links, workspace)
        let results =
            try [quality.knownItems(words: 1), quality.knownItems(words: 2), quality.commonWords()]
            + [quality.plurals()]
        try quality.close()
        return results
    }
}

/// The same links in a store with its index, and in a plain FTS5 table.
private final class SearchQuality {
    private let links: [SampleLink]
    private let container: PersistentContainer
    private let index: SearchIndex
    private let plain: Connection
    private let queries: Int
    /// As many results as `clips search` prints.
    private static let depth = 20

    init(_ links: [SampleLink], _ workspace: Workspace) throws {
        self.links = links
        queries = workspace.count(500, quick: 100)
        let path = try workspace.newStore(clips: 0)
        let store = try SampleStore.generator(path)
        plain = try Connection(path: workspace.newPath("plain-links.db"), access: .create)
        try plain.execute(
            """
            CREATE VIRTUAL TABLE plain USING fts5 (title, tags, url, text);
            CREATE VIRTUAL TABLE stemmed USING fts5 (title, tags, url, text, tokenize = 'porter unicode61')
            """)
        try store.execute("BEGIN")
        try plain.execute("BEGIN")
        for (number, link) in links.enumerated() {
            try store.run(
                """
                INSERT INTO Clip (id, title, tags, url, text, created) VALUES (?1, ?2, ?3, ?4, ?5, ?1)
                """, number + 1, link.title, link.tags.joined(separator: ","), link.url, link.text)
            try plain.run(
                "INSERT INTO plain (rowid, title, tags, url, text) VALUES (?1, ?2, ?3, ?4, ?5)", number + 1,
                link.title, link.tags.joined(separator: " "), link.url, link.text)
        }
        try plain.execute("INSERT INTO stemmed SELECT title, tags, url, text FROM plain ORDER BY rowid")
        try store.execute("COMMIT")
        try plain.execute("COMMIT")
        container = try SampleStore.open(path)
        index = SearchIndex(container, ClipModel.searched)
        try blocking { [index] in _ = try await index.bringUpToDate() }
    }

    func close() throws { try container.closeBlocking() }

    /// Measures the mean reciprocal rank of links that a user remembers by words of their titles.
    func knownItems(words count: Int) throws -> Measurement {
        var random = SampleRandom(seed: UInt64(count))
        var (ours, reference): ([Double], [Double]) = ([], [])
        while ours.count < queries {
            let number = random.below(links.count)
            let words = Self.words(links[number].title).shuffled(using: &random).prefix(count)
            guard words.count == count else { continue }
            func reciprocalRank(_ found: [Int]) -> Double {
                found.firstIndex(of: number).map { 1 / Double($0 + 1) } ?? 0
            }
            ours.append(reciprocalRank(try find(Array(words))))
            reference.append(reciprocalRank(try findPlain(Array(words))))
        }
        return row(
            "mean reciprocal rank, \(count == 1 ? "a word" : "two words") of a title", ours, reference)
    }

    /// Measures which of the first 10 links are on the subject that the word names.
    func commonWords() throws -> Measurement {
        var uses: [String: Int] = [:]
        for topic in links.flatMap(\.topics) where Self.words(topic) == [topic] {
            uses[topic, default: 0] += 1
        }
        let topics = uses.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(queries / 5).map(\.key)
        func precision(_ found: [Int], _ topic: String) -> Double {
            Double(found.prefix(10).count { links[$0].topics.contains(topic) }) / 10
        }
        return row(
            "precision at 10, common words", try topics.map { precision(try find([$0]), $0) },
            try topics.map { precision(try findPlain([$0]), $0) })
    }

    /// Measures for how many words of titles their plural finds one of their links among the first 10.
    func plurals() throws -> Measurement {
        var random = SampleRandom(seed: 3)
        var (ours, reference): ([Double], [Double]) = ([], [])
        while ours.count < queries * 2 / 5 {
            let words = Self.words(links[random.below(links.count)].title)
            guard let word = words.first(where: { $0.count > 3 && !$0.hasSuffix("s") }) else { continue }
            func found(_ results: [Int]) -> Double {
                results.prefix(10).contains { Self.words(links[$0].title).contains(word) } ? 1 : 0
            }
            ours.append(found(try find([word + "s"])))
            reference.append(found(try findPlain([word + "s"], in: "stemmed")))
        }
        return row("the plural of a word of a title in the first 10", ours, reference, "FTS5 porter")
    }

    /// Compares the means.
    private func row(
        _ name: String, _ ours: [Double], _ reference: [Double], _ peer: String = "FTS5 bm25"
    ) -> Measurement {
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        let comparison = Comparison(ours: [mean(ours)], reference: [mean(reference)])
        let headline = "Search, \(name)"
        return Measurement(
            name, .score, comparison, reference: peer, goal: .atLeast(1), headline: headline)
    }

    /// Returns the distinct words that both tokenizers split alike.
    private static func words(_ text: String) -> [String] {
        var seen: Set<String> = []
        return text.lowercased().split(separator: " ").map(String.init).filter {
            $0.count > 2 && $0.allSatisfy(\.isLetter) && seen.insert($0).inserted
        }
    }

    private func find(_ words: [String]) throws -> [Int] {
        try container.readBlocking { [index] snapshot in
            var ranking = SearchRanking(SearchQuery(words.joined(separator: " ")), limit: Self.depth)
            while !ranking.isComplete { try ranking.extend(with: index, in: snapshot) }
            return ranking.hits.map { Int($0.id) - 1 }
        }
    }

    private func findPlain(_ words: [String], in table: String = "plain") throws -> [Int] {
        let rows = try plain.prepare(
            "SELECT rowid FROM \(table) WHERE \(table) MATCH ?1 ORDER BY bm25(\(table)), rowid LIMIT \(Self.depth)",
            [words.map { "\"\($0)\"" }.joined(separator: " ")])
        var found: [Int] = []
        while try rows.step() { found.append(Int(rows.integer(0)) - 1) }
        return found
    }
}
