package import PersistentStore
import Platform

/// The context name of a transaction: what it does, and the step of undo of which it is a part.
///
/// Work on many clips is divided into transactions of one session and one name that ends in `#` and the number of the
/// transaction before them, such as `dedupe #4711`. An undo that is divided ends all names but the last in `+`: until
/// the last part is saved, the step can be undone again.
struct StepName: Hashable {
    private var words: [Substring]
    /// The number of the transaction before the first part; nil for a step of one transaction.
    let start: Int64?
    /// Whether parts of an undo follow.
    let isContinued: Bool

    init(_ contextName: String?) {
        var text = (contextName ?? "")[...]
        isContinued = text.hasSuffix("+")
        if isContinued { text.removeLast() }
        words = text.split(separator: " ")
        start = words.last.flatMap { $0.hasPrefix("#") ? Int64($0.dropFirst()) : nil }
        if start != nil { words.removeLast() }
    }

    /// The name without the step.
    var work: String { words.joined(separator: " ") }

    /// The number of the window that did the work, if the name says it.
    var window: Int? { words.first.flatMap(WindowNumber.number) }

    /// The name without the step and the window.
    var workOfWindow: String { words.dropFirst(window == nil ? 0 : 1).joined(separator: " ") }

    /// Returns the name of a part of a step.
    ///
    /// Work inside a step is a part of that step.
    static func part(of work: String?, after start: Int64, isContinued: Bool = false) -> String {
        if let work, StepName(work).start != nil { return work }
        return [work, "#\(start)"].compactMap(\.self).joined(separator: " ") + (isContinued ? "+" : "")
    }
}

extension ClipStore {
    /// Returns a store whose transactions are one step of undo, for a command that saves in several.
    package func asOneStep() async throws(StoreError) -> ClipStore {
        var store = self
        let start = try await container.currentToken().number
        store.stepName = StepName.part(of: stepName, after: start)
        return store
    }

    /// Does work on many items as several transactions, so that no other writer waits long. They are one step of undo.
    ///
    /// - Returns: the results of the parts, joined, and the newest transaction.
    func inParts<Item: Sendable, Value: Sendable>(
        _ items: [Item], work: String? = nil,
        _ body: @Sendable (inout StoreTransaction, [Item]) throws(StoreError) -> [Value]
    ) async throws(StoreError) -> Written<[Value]> {
        guard items.count > Self.partSize else {
            return try await write(work: work) { transaction throws(StoreError) in
                try body(&transaction, items)
            }
        }
        let start = try await container.currentToken().number
        let name = StepName.part(of: work.map(named) ?? stepName, after: start)
        var (values, token): ([Value], HistoryToken?) = ([], nil)
        for begin in stride(from: 0, to: items.count, by: Self.partSize) {
            let part = Array(items[begin..<min(items.count, begin + Self.partSize)])
            let written = try await write(named: name) { transaction throws(StoreError) in
                try body(&transaction, part)
            }
            values += written.value
            token = written.token ?? token
        }
        return Written(value: values, token: token)
    }

    /// The number of clips that one transaction changes.
    static var partSize: Int { 500 }
}

/// A step of undo as pieces of bounded size, oldest first.
struct UndoPieces {
    /// A transaction of the step, or a piece of a long one.
    struct Piece {
        let token: HistoryToken
        fileprivate let before: HistoryToken
        fileprivate let resumption: HistoryResumption?
    }

    private(set) var pieces: [Piece] = []
    /// The changes in words, without the values after them: one if all clips changed alike.
    private(set) var words: Set<String> = []
    private(set) var clips: Set<Int64> = []
    private var kinds: [HistoryChange.Kind: Set<Int64>] = [:]
    /// The first change.
    private(set) var first: HistoryChange?
    /// The update, if there is one only.
    var update: HistoryChange? { kinds[.update]?.count == 1 ? firstUpdate : nil }
    private var firstUpdate: HistoryChange?
    /// The clips that a description names: one or two, and the only one of a kind of change.
    var named: Set<Int64> {
        clips.count <= 2 ? clips : kinds.values.reduce(into: []) { if $1.count == 1 { $0.formUnion($1) } }
    }

    /// The first changes whose words need values, which can be compared.
    private(set) var lacking: [(number: Int64, clip: Int64, words: ChangeWords)] = []
    static let maxCompared = 5000
    /// Tags are compared without texts.
    static let maxTags = 100_000
    /// The quotes that the last transaction changed, if it concerns one clip.
    private(set) var quotes: QuoteCounts?
    private(set) var session: Int64?
    private(set) var role = UndoHistory.Role.work
    /// Whether the work was the return of deleted clips, even if the step undid that, or did it again.
    private(set) var isRestoring = false
    /// Excludes the transactions of the step, if it has several.
    private(set) var others: TransactionPredicate?

    /// Finds the pieces.
    ///
    /// - Parameters:
    ///   - token: The position after the newest transaction of the step.
    ///   - hasMore: Whether the step may have later transactions, which count, too.
    init(
        of token: HistoryToken, hasMore: Bool = false, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        guard let newest = try snapshot.transaction(token, maxChanges: 1) else {
            throw .tokenExpired(oldest: token)
        }
        session = newest.session
        role = UndoHistory.Role(contextName: newest.contextName)
        isRestoring = try snapshot.isRestoring(newest)
        var request = HistoryFetchRequest(.ending(at: token), limit: 1)
        if let start = StepName(newest.contextName).start {
            var name = newest.contextName ?? ""
            if name.hasSuffix("+") { name.removeLast() }
            let names = [name, name + "+"]
            let own = TransactionPredicate.and([
                .author(newest.author), .or(names.map(TransactionPredicate.contextName)),
            ])
            request = HistoryFetchRequest(.afterTransaction(start), where: own)
            others = .not(own)
        }
        request.maxChangesAtOnce = ClipStore.partSize
        var resumption: HistoryResumption?
        var found = self
        try snapshot.forEachTransaction(request) { piece in
            guard hasMore || piece.number <= token.number else { return false }
            guard piece.session == newest.session else { return true }
            found.pieces.append(Piece(token: piece.token, before: piece.tokenBefore, resumption: resumption))
            resumption = HistoryResumption(after: piece)
            let quotes = QuoteCounts(ofClipsIn: piece.changes)
            for change in piece.changes where change.objectID.entity == ClipModel.entity {
                found.first = found.first ?? change
                if change.kind == .update { found.firstUpdate = found.firstUpdate ?? change }
                found.quotes = quotes
                let words = ChangeWords(change, quotes: quotes)
                if found.words.count < 2 { found.words.insert(words.phrase) }
                if found.lacking.count <= Self.maxTags, !words.lacking.isEmpty {
                    found.lacking.append((change.number, change.objectID.key, words))
                }
                found.clips.insert(change.objectID.key)
                found.kinds[change.kind, default: []].insert(change.objectID.key)
            }
            return true
        }
        self = found
    }

    var counts: StepCounts {
        func count(_ kind: HistoryChange.Kind) -> Int { kinds[kind]?.count ?? 0 }
        return StepCounts(
            inserted: count(.insert), updated: count(.update), deleted: count(.delete),
            areAlike: words.count == 1, end: pieces.last?.token.number ?? 0)
    }

    /// Clips that did not change alike, in numbers: `changed 2 clips, deleted 3`, or `changed “One” (starred),
    /// deleted “Other”`.
    ///
    /// - Parameters:
    ///   - isReverse: Whether to describe the opposite.
    ///   - titles: Those of ``named``, in quotation marks.
    func numbers(isReverse: Bool, _ titles: [Int64: String] = [:]) -> String {
        let verbs: [(HistoryChange.Kind, String)] = [
            (isReverse ? .delete : .insert, "saved"), (.update, "changed"),
            (isReverse ? .insert : .delete, "deleted"),
        ]
        var hasNoun = false
        return verbs.compactMap { kind, verb in
            kinds[kind].map { clips in
                let names = clips.count > 2 ? [] : clips.sorted().compactMap { titles[$0] }
                guard names.count < clips.count else { return "\(verb) \(names.listed("and"))" }
                let noun = hasNoun ? "" : clips.count == 1 ? " clip" : " clips"
                hasNoun = true
                return "\(verb) \(clips.count.grouped)\(noun)"
            }
        }.joined(separator: ", ")
    }
}

/// The clips that a step of undo changed.
package struct StepCounts: Hashable, Sendable {
    package let inserted: Int
    package let updated: Int
    package let deleted: Int
    /// Whether all of them changed alike.
    package let areAlike: Bool
    /// Their change with the values after it that the words need, if they are the same.
    package var words: ChangeWords?
    /// The last transaction that is counted.
    package let end: Int64

    package init(inserted: Int, updated: Int, deleted: Int, areAlike: Bool = true, end: Int64) {
        (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
        (self.areAlike, self.end) = (areAlike, end)
    }
}

extension ClipStore {
    /// Counts the clips that a step has changed so far.
    ///
    /// - Parameter token: A transaction of the step.
    package func stepCounts(of token: HistoryToken) async throws(StoreError) -> StepCounts {
        try await container.read { snapshot throws(StoreError) in
            let step = try UndoPieces(of: token, hasMore: true, in: snapshot)
            var counts = step.counts
            if let values = try snapshot.commonValues(after: step), let first = step.first {
                counts.words = ChangeWords(first, after: values, quotes: step.quotes, role: step.role)
            }
            return counts
        }
    }
}

extension StoreSnapshot {
    /// Returns the values after the changes of a step that the words of these need, if all clips got the same; nil if
    /// they did not, or are too many.
    func commonValues(after step: UndoPieces) throws(StoreError) -> ValuesAfter? {
        guard step.words.count == 1, let first = step.lacking.first,
            step.lacking.count
                <= (first.words.lacking == [.tags] ? UndoPieces.maxTags : UndoPieces.maxCompared)
        else { return nil }
        let all = try values(first.words.lacking, after: step.lacking.map { ($0.number, $0.clip) })
        let phrases = step.lacking.map { one in all[one.number].map { one.words.with($0).phrase } ?? "" }
        return Set(phrases).count == 1 ? all[first.number] : nil
    }

    /// Whether a transaction restored clips, or undid or did again one that did.
    fileprivate func isRestoring(_ transaction: HistoryTransaction) throws(StoreError) -> Bool {
        var (name, token) = (transaction.contextName, transaction.token)
        while true {
            switch UndoHistory.Role(contextName: name) {
            case .work: return false
            case .restore: return true
            case .undo(let number, _), .redo(let number, _):
                // Any program can give any name.
                guard number > 0, number < token.number else { return false }
                token = HistoryToken(storeID: token.storeID, generation: token.generation, number: number)
                guard let earlier = try transactionIfRetained(token) else { return false }
                name = earlier.contextName
            }
        }
    }

    private func transactionIfRetained(_ token: HistoryToken) throws(StoreError) -> HistoryTransaction? {
        do throws(StoreError) {
            let found = try transaction(token, maxChanges: 1)
            return found?.token == token ? found : nil
        } catch .tokenExpired {
            return nil
        }
    }

    /// Returns a piece with its changes.
    func transaction(_ piece: UndoPieces.Piece) throws(StoreError) -> HistoryTransaction {
        var request = HistoryFetchRequest(.after(piece.before), limit: 1)
        request.maxChangesAtOnce = ClipStore.partSize
        request.resumption = piece.resumption
        var found: HistoryTransaction?
        try forEachTransaction(request) { transaction in
            if transaction.token == piece.token { found = transaction }
            return false
        }
        guard let found else { throw .tokenExpired(oldest: piece.token) }
        return found
    }
}
