package import PersistentStore
import Platform

/// The best results of a query, in steps between which other work can run.
///
/// Exact titles rank first, then whole words in the title, in title and tags, other forms and spellings of the words there,
/// the closest first, which the query itself does not admit, whole words, beginnings of words, parts of words, and the other
/// forms; within each, ``SearchScore``, then newer before older.
package struct SearchRanking: Sendable {
    /// The best results so far; further steps add others after them.
    package private(set) var hits: [SearchHit] = []
    /// Whether all hits came from the index.
    package private(set) var isFromIndex = true
    /// The number of hits after each finished stage.
    package private(set) var stageEnds: [Int] = []
    /// The scores of each stage whose results have been sorted.
    package private(set) var scores: [Scores] = []
    /// Whether the results end before the limit.
    package private(set) var isAtEnd = false

    /// The score of a result; of those with the same, newer before older.
    package struct Rank: Comparable, Sendable {
        package let score: Double
        package let position: SearchPosition

        /// - Parameter score: Without one, a result is after the others.
        package init(score: Double = -.infinity, position: SearchPosition) {
            (self.score, self.position) = (score, position)
        }

        package static func < (left: Rank, right: Rank) -> Bool {
            (left.score, left.position) < (right.score, right.position)
        }
    }

    /// The ranks of the first results of a stage, the best first.
    package struct Scores: Sendable {
        let score: SearchScore
        /// Of those whose long texts were read, and of those after them.
        let best: [Rank]
        let rest: [Rank]

        /// Returns the rank of a document, and the number of results that are better.
        package func rank(of document: SearchDocument) -> (rank: Rank, better: Int) {
            if let first = rest.first {
                let short = rank(of: document, readsTexts: false)
                guard short > first, !best.isEmpty else {
                    return (short, best.count + rest.partitionPoint { $0 <= short })
                }
            }
            let whole = rank(of: document, readsTexts: true)
            return (whole, best.partitionPoint { $0 <= whole })
        }

        /// Whether a result has the rank of a document; unknown, so true, for those after the others.
        package func isRank(of document: SearchDocument, at index: Int) -> Bool {
            if index < best.count { return best[index] == rank(of: document, readsTexts: true) }
            guard index - best.count < rest.count else { return true }
            return rest[index - best.count] == rank(of: document, readsTexts: false)
        }

        private func rank(of document: SearchDocument, readsTexts: Bool) -> Rank {
            Rank(score: score.score(document, readsTexts: readsTexts), position: document.position)
        }
    }

    /// The work that a ranking may cost. The results beyond it follow in their stage, newer before older.
    package struct Effort: Sendable {
        /// The number of results with a score.
        var maxScored: Int
        /// The number of the best results whose long texts are read.
        var maxTexts: Int
        /// The number of objects read individually after which a stage ends; its other results are in the next one.
        var maxRead: Int
        /// The bounds of a step.
        var step: SearchBounds

        fileprivate static let weighing = SearchBounds(limit: 2000, maxRead: 4000)

        package static let whole = Effort(step: weighing)
        /// For a list after each typed letter, which shows the best results before the others are found. Its order is that
        /// of a command.
        package static let typing = Effort(step: SearchBounds(limit: 1000, maxRead: 128))

        /// The bounds are the time of a letter, of which any number of clips may match.
        private init(step: SearchBounds) {
            (maxScored, maxTexts, maxRead) = (5000, 200, 8000)
            self.step = step
        }
    }

    private let query: SearchQuery
    private let limit: Int
    private var effort: Effort
    private var stages: ArraySlice<SearchQuery>
    /// Whether the last stage admits other forms of the words; nil until that is known.
    private var isRelated: Bool?
    /// The results of the current stage that have no score yet, newest first.
    private var found: [SearchHit] = []
    /// Whether the current stage has all its scores; its further results follow.
    private var isRanked = false
    private var known: Set<Int64> = []
    private var cursor: SearchCursor?
    private var read = 0
    /// The search for the clips with the words in the title, which are ranked even if the stage has too many others.
    private var titles: (query: SearchQuery, cursor: SearchCursor?, read: Int, hits: [SearchHit])?

    private static let maxReadRelated = 4000

    /// - Parameter includesRelated: Whether to find other forms of the words, which the query does not admit.
    package init(
        _ query: SearchQuery, limit: Int, effort: Effort = .whole, includesRelated: Bool = true
    ) {
        (self.query, self.limit, self.effort) = (query, limit, effort)
        isRelated = includesRelated ? nil : false
        stages = query.stages[...]
        if let titles = stages.first?.inTitles { self.titles = (titles, nil, 0, []) }
    }

    package var isComplete: Bool { hits.count >= limit || stages.isEmpty }

    /// Runs one step.
    package mutating func extend(
        with index: SearchIndex, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        guard !isComplete, let stage = stages.first else { return }
        isRanked = isRanked || effort.maxScored == 0
        var isRead = false
        if titles != nil, !isRanked, found.count >= effort.maxScored {
            guard try addTitles(index, snapshot) else { return }
            try rank(stage, index, snapshot)
        } else {
            // The best results of a stage are known as soon as enough are found.
            var bounds = effort.step
            if !isRanked { bounds.limit = min(bounds.limit, effort.maxScored - found.count) }
            let page = try index.search(stage, after: cursor, bounds: bounds, in: snapshot)
            let more = page.hits.filter { !known.contains($0.id) }
            cursor = page.next
            read += page.read
            isFromIndex = isFromIndex && page.isFromIndex
            if isRanked { add(more) } else { found += more }
            let isLong =
                stages.count > 1 ? read >= effort.maxRead : isRelated == true && read >= Self.maxReadRelated
            isRead = cursor == nil || isLong
            if !isRanked, isRead || titles == nil && found.count >= effort.maxScored {
                try rank(stage, index, snapshot)
            }
        }
        guard isRead || hits.count >= limit else { return }
        isAtEnd = stages.count == 1 && cursor == nil && hits.count <= limit
        hits.removeLast(max(0, hits.count - limit))
        stageEnds.append(hits.count)
        stages.removeFirst()
        (cursor, read, isRanked, titles) = (nil, 0, false, nil)
        guard isRelated == nil, hits.count < limit else { return }
        let related = try index.related(to: query, in: snapshot)
        isRelated = !related.isEmpty
        stages = related.compactMap(\.stages.first)[...] + stages + related.suffix(1)
    }

    /// Finds the next clips with the words in the title. Returns whether it has put all of them before the others.
    private mutating func addTitles(
        _ index: SearchIndex, _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Bool {
        guard let (query, cursor, read, earlier) = titles else { return true }
        let page = try index.search(query, after: cursor, bounds: effort.step, in: snapshot)
        isFromIndex = isFromIndex && page.isFromIndex
        let all = earlier + page.hits
        titles = (query, page.next, read + page.read, all)
        guard page.next == nil || read + page.read >= effort.maxRead else { return false }
        let first = Set(all.map(\.id))
        found = all + found.filter { !first.contains($0.id) }
        titles = nil
        return true
    }

    private mutating func add(_ more: [SearchHit]) {
        hits += more
        known.formUnion(more.map(\.id))
    }

    /// Adds the results that were found, the best first.
    private mutating func rank(
        _ stage: SearchQuery, _ index: SearchIndex, _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        let scored = found.prefix(effort.maxScored)
        effort.maxScored -= scored.count
        let total = stage.texts.count > 1 ? try snapshot.count(FetchRequest(index.schema.entity)) : 0
        let score = try SearchScore(stage) { word throws(StoreError) in
            guard stage.texts.count > 1 else { return 1 }
            let count = try index.count(word, upTo: Effort.weighing, in: snapshot).count
            return SearchScore.weight(count, of: total)
        }
        let ranked = try ranks(of: scored.map(\.position), by: score, readsTexts: false, index, snapshot)
        // Long texts are read only for the best ones.
        let count = min(ranked.count, effort.maxTexts)
        effort.maxTexts -= count
        let best = try ranks(
            of: ranked[..<count].map(\.position), by: score, readsTexts: true, index, snapshot)
        let rest = Array(ranked[count...])
        add((best + rest).map { SearchHit(position: $0.position) } + found.dropFirst(scored.count))
        scores.append(Scores(score: score, best: best, rest: rest))
        (found, isRanked) = ([], true)
    }

    /// Returns the ranks of objects, the best first.
    private func ranks(
        of positions: [SearchPosition], by score: SearchScore, readsTexts: Bool, _ index: SearchIndex,
        _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Rank] {
        let attributes = readsTexts ? index.schema.attributes : index.schema.names
        var scores: [Int64: Double] = [:]
        for first in stride(from: 0, to: positions.count, by: 1000) {
            var left = positions[first..<min(positions.count, first + 1000)].map(\.id)
            while !left.isEmpty {
                let part = try index.schema.documents(ofNext: &left, attributes: attributes, in: snapshot)
                for document in part.documents {
                    scores[document.id] = score.score(document, readsTexts: readsTexts)
                }
            }
        }
        return positions.map { Rank(score: scores[$0.id] ?? 0, position: $0) }.sorted(by: >)
    }
}
