import LiveQuery
import PersistentStore
import Platform
import SearchIndex

/// The clips that a search has found so far, the best matches first, updated with each change.
///
/// A clip retains its rank while its score does, so that a mark moves nothing. A changed or new one moves to the rank of
/// its score, in which the words weigh as when the search began, once all are ranked. After ``ClipQuery/maxRanked``, the
/// other matches follow, newest first, as all do while the index of a large store is built; those retain their place.
///
/// - Complexity: 16 bytes for each clip. A change passes once over the keys.
struct RankedSelection: ListSelection {
    private let index: SearchIndex
    private let report: (@Sendable (SearchDeviation) -> Void)?
    private let typed: SearchQuery
    /// The query with similar words, if the typed one has no matches.
    private var query: SearchQuery
    private var deviation = SearchDeviation()
    private var stages: [SearchQuery]
    /// The ranking, until it is complete.
    private var ranking: SearchRanking?
    /// The position of the search for the matches after the ranked ones; nil at its start and end.
    private var next: SearchCursor?
    /// Whether the first clips are known, and the one around which they are shown.
    private(set) var isSorted = false
    private(set) var isComplete = false
    private var keys: [Int64] = []
    /// The stages and numbers of the results, ascending; of a clip that has moved, those of the result that precedes it.
    private var ranks: [Double] = []
    /// The scores of the ranked stages, and the numbers of their results and of those of the stages before them.
    private var scores: [SearchRanking.Scores] = []
    private var stageEnds: [Int] = []
    /// The clips that have moved, and their ranks among those after the same result.
    private var arrived: [Int64: SearchRanking.Rank] = [:]
    /// The clips that changed while others were ranked.
    private var unmoved: Set<Int64> = []
    /// The number of results of the ranking that have been added or were known.
    private var taken = 0
    /// The clips that the ranking has added, and those that changed since then.
    private var known: Set<Int64> = []
    /// The clips that changed before the first ones were known.
    private var changed: Set<Int64> = []
    /// The number of clips that suffices for the first screen.
    private var wanted = 0
    private var sought: Sought?
    private var start: ContinuousClock.Instant?
    private var step = 1000

    private struct Match {
        let document: SearchDocument
        /// The first stage that admits it.
        let stage: Int
    }

    /// The result after which a clip comes, and its rank among those there.
    private struct Place: Equatable {
        let result: Double
        let rank: SearchRanking.Rank

        init(_ result: Double, _ rank: SearchRanking.Rank) { (self.result, self.rank) = (result, rank) }
    }

    /// The clip around which the list is shown; nil if only its rank in another search is known.
    private struct Sought { let key: Int64? }

    private static let order = SortOrder(
        [SortKey("rank"), SortKey("score", isAscending: false), SortKey("created", isAscending: false)],
        of: nil)
    private let maxRanked: Int
    private static let stepBounds = 500...16_000
    private static let stepTime = Duration.milliseconds(2)
    /// Without the index, each stage reads the store, so a ranking that takes longer is left out.
    private let unindexedTime: Duration

    init(
        _ query: ClipQuery, _ index: SearchIndex, maxRanked: Int = ClipQuery.maxRanked,
        unindexedTime: Duration = .milliseconds(100), report: (@Sendable (SearchDeviation) -> Void)? = nil
    ) {
        self.index = index
        (self.maxRanked, self.unindexedTime) = (maxRanked, unindexedTime)
        self.report = report
        (typed, self.query) = (query.search, query.search)
        stages = self.query.stages
        ranking = ranking(of: self.query)
    }

    private func ranking(of query: SearchQuery) -> SearchRanking {
        SearchRanking(query, limit: maxRanked, effort: .typing, includesRelated: false)
    }

    var count: Int { keys.count }

    func keys(_ range: Range<Int>) -> [Int64] { Array(keys[range]) }

    func position(at index: Int) -> SortPosition? { position(of: keys[index], ranks[index]) }

    private func position(of key: Int64, _ rank: Double) -> SortPosition {
        let moved = arrived[key]
        // A result precedes those that have moved to the place after it.
        return SortPosition(
            [.real(rank), .real(moved?.score ?? .infinity), .integer(moved?.position.created ?? .max)],
            key: key, in: Self.order)
    }

    /// Returns the index of a position of this list, or of the clip at a position in another order.
    func index(of position: SortPosition, in snapshot: borrowing StoreSnapshot) -> Int {
        guard position.isRank else { return keys.firstIndex(of: position.key) ?? 0 }
        return index(of: position)
    }

    private func index(of position: SortPosition) -> Int {
        keys.indices.partitionPoint { self.position(of: keys[$0], ranks[$0]) >= position }
    }

    func index(around position: SortPosition, in snapshot: borrowing StoreSnapshot) -> Int {
        keys.firstIndex(of: position.key) ?? index(of: position, in: snapshot)
    }

    private static func rank(stage: Int, _ number: Int) -> Double { Double(stage << 32 + number) }

    private static let lastNumber = 1 << 32 - 1

    mutating func seek(
        _ position: SortPosition, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Bool {
        if try snapshot.matches(query, position.key) {
            sought = Sought(key: position.key)
        } else if position.isRank {
            sought = Sought(key: nil)
        }
        return sought != nil
    }

    mutating func extend(wanted: Int?, in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard !isComplete else { return }
        if start == nil { start = .now }
        if let wanted { self.wanted = wanted }
        let end = ContinuousClock.now + Self.stepTime
        let wasSorted = isSorted
        repeat {
            if ranking != nil { try rank(in: snapshot) } else { try addRest(in: snapshot) }
        } while !isComplete && (isSorted == wasSorted || keys.isEmpty) && .now < end
    }

    private mutating func rank(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard var found = ranking else { return }
        try found.extend(with: index, in: snapshot)
        ranking = found
        addRanked(found)
        if let start, !found.isFromIndex, start.duration(to: .now) > unindexedTime {
            ranking = nil
            if !isSorted {
                (keys, ranks, known, changed, scores) = ([], [], [], [], [])
                deviation.isUnranked = true
                report?(deviation)
            }
            return try show(in: snapshot)
        }
        let isWhole = found.stageEnds.count == stages.count
        guard isWhole || found.isComplete else {
            let isFound = sought.map { $0.key.map(known.contains) ?? false } ?? true
            if isFound, keys.count >= wanted { try show(in: snapshot) }
            return
        }
        if found.hits.isEmpty, known.isEmpty, changed.isEmpty, deviation.correction == nil, let report,
            let close = try index.correction(of: query, in: snapshot)
        {
            (query, stages, deviation.correction) = (close, close.stages, close.description)
            ranking = ranking(of: close)
            return report(deviation)
        }
        ranking = nil
        isComplete = isWhole && found.hits.count < maxRanked
        try show(in: snapshot)
    }

    /// Adds the further results of the ranking, which follow the known ones.
    private mutating func addRanked(_ found: SearchRanking) {
        (scores, stageEnds) = (found.scores, found.stageEnds)
        var stage = 0
        for hit in found.hits[taken...] {
            while stage < found.stageEnds.count, taken >= found.stageEnds[stage] { stage += 1 }
            taken += 1
            if known.insert(hit.id).inserted { add(hit.id, stage: stage) }
        }
    }

    private mutating func add(_ key: Int64, stage: Int) {
        keys.append(key)
        ranks.append(Self.rank(stage: stage, taken))
    }

    /// Makes the list one that can be shown, with the changes since the search began.
    private mutating func show(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        guard !isSorted else { return }
        // It may be among the matches after the ranked ones.
        if let key = sought?.key, !isComplete, !keys.contains(key), !changed.contains(key) { return }
        isSorted = true
        guard !changed.isEmpty else { return }
        let request = FetchRequest(ClipModel.entity, where: .keys(Array(changed)))
        let objects = Dictionary(
            uniqueKeysWithValues: try snapshot.fetch(request).map { ($0.id.key, $0) })
        _ = try apply(changed.sorted().map { ($0, objects[$0]) }, in: snapshot)
        changed = []
    }

    private mutating func addRest(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        let began = ContinuousClock.now
        let bounds = SearchBounds(limit: step, maxRead: step)
        let page = try index.search(query, after: next, bounds: bounds, in: snapshot)
        for hit in page.hits where !known.contains(hit.id) {
            taken += 1
            add(hit.id, stage: stages.count)
        }
        next = page.next
        isComplete = next == nil
        try show(in: snapshot)
        let duration = ContinuousClock.now - began
        let size = duration < .milliseconds(2) ? step * 2 : duration > .milliseconds(4) ? step / 2 : step
        step = min(max(size, Self.stepBounds.lowerBound), Self.stepBounds.upperBound)
    }

    mutating func apply(
        _ changes: [ListCandidate], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [(old: SortPosition?, new: SortPosition?)] {
        guard isSorted else {
            changed.formUnion(changes.map(\.key))
            return changes.map { _ in (nil, nil) }
        }
        return try apply(changes.map { ($0.key, $0.object) }, in: snapshot)
    }

    private mutating func apply(
        _ changes: [(key: Int64, object: StoredObject?)], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [(old: SortPosition?, new: SortPosition?)] {
        // With the quotes of the clips.
        let documents = try snapshot.documents(changes.compactMap(\.object), ClipModel.searched)
        let found = Dictionary(documents.map { ($0.id, $0) }) { $1 }
        return changes.map { apply($0.key, found[$0.key]) }
    }

    /// Applies the change of one clip. Returns its old and new position.
    private mutating func apply(
        _ key: Int64, _ document: SearchDocument?
    ) -> (old: SortPosition?, new: SortPosition?) {
        known.insert(key)
        let match = document.flatMap { document in
            let close = stages.firstIndex { $0.matches(document) }
            let isTyped = close == nil && deviation.correction != nil && typed.matches(document)
            return (isTyped ? 0 : close).map { Match(document: document, stage: $0) }
        }
        guard let index = keys.firstIndex(of: key) else { return (nil, match.map { insert($0) }) }
        let old = position(at: index)
        if let match {
            if ranking != nil { unmoved.insert(key) }
            guard ranking == nil, !hasRank(match, at: index) else { return (old, old) }
        }
        keys.remove(at: index)
        ranks.remove(at: index)
        arrived[key] = nil
        return (old, match.map { insert($0) })
    }

    /// Whether the clip at an index has the rank of its words. Those after the ranked ones do.
    private func hasRank(_ match: Match, at index: Int) -> Bool {
        let ranked = Int(ranks[index]) >> 32
        guard ranked < stages.count else { return true }
        if let rank = arrived[match.document.id] { return place(of: match) == Place(ranks[index], rank) }
        guard ranked == match.stage, let scores = scores(ofStage: ranked) else {
            return ranked == match.stage
        }
        let number = Int(ranks[index]) & Self.lastNumber
        return scores.isRank(of: match.document, at: number - 1 - start(ofStage: ranked))
    }

    /// Returns the scores of a stage whose end is known.
    private func scores(ofStage stage: Int) -> SearchRanking.Scores? {
        stage < min(scores.count, stageEnds.count) ? scores[stage] : nil
    }

    private func start(ofStage stage: Int) -> Int { stage > 0 ? stageEnds[stage - 1] : 0 }

    mutating func takeUnmoved() -> [Int64] {
        guard ranking == nil else { return [] }
        defer { unmoved = [] }
        return unmoved.sorted()
    }

    /// Returns the place of a match among the results; at the end of a stage without scores, and before the results that
    /// are still to be found.
    private func place(of match: Match) -> Place {
        let unscored = SearchRanking.Rank(position: match.document.position)
        guard ranking == nil || match.stage < stageEnds.count else {
            return Place(Self.rank(stage: stageEnds.count, taken), unscored)
        }
        guard let scores = scores(ofStage: match.stage) else {
            return Place(Self.rank(stage: match.stage, Self.lastNumber), unscored)
        }
        let (rank, better) = scores.rank(of: match.document)
        return Place(Self.rank(stage: match.stage, start(ofStage: match.stage) + better), rank)
    }

    /// Inserts a match. Returns its position.
    private mutating func insert(_ match: Match) -> SortPosition {
        let key = match.document.id
        let place = place(of: match)
        if ranking != nil { unmoved.insert(key) }
        arrived[key] = place.rank
        let position = position(of: key, place.result)
        let index = index(of: position)
        keys.insert(key, at: index)
        ranks.insert(place.result, at: index)
        return position
    }
}

extension SortPosition {
    /// Whether it is one in a list of ranks.
    fileprivate var isRank: Bool { if case .real? = values.first { true } else { false } }
}
