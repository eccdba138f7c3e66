import ClipsCore
import PersistentStore
import Platform

/// The titles of the clips in the history, and the values after changes, loaded for the rows on the screen.
struct HistoryTitles: Sendable {
    private var titles: [Int64: String] = [:]
    private var requested: Set<Int64> = []
    /// The values after changes, by the number of the change.
    private var values: [Int64: ValuesAfter] = [:]
    private var requestedValues: Set<TransactionSummary.Line> = []
    private var replaced = ReplacedTitles()

    subscript(_ clip: Int64) -> String? { clip == 0 ? "A quote" : titles[clip] }

    subscript(_ line: TransactionSummary.Line) -> String? {
        line.title ?? replaced.title(of: line.clip, at: line.number) ?? self[line.clip]
    }

    /// Returns those of the clips whose titles, and those of the changes whose values must be loaded, once.
    mutating func request(
        _ lines: [TransactionSummary.Line]
    ) -> (clips: [Int64], changes: [TransactionSummary.Line]) {
        let clips = lines.map(\.clip).filter { $0 > 0 && titles[$0] == nil && requested.insert($0).inserted }
        let changes = lines.filter { !$0.words.lacking.isEmpty && requestedValues.insert($0).inserted }
        return (clips, changes)
    }

    /// Returns those of the rows of a list that have no title, and whose texts must be loaded for one, once.
    mutating func request(untitled rows: some Sequence<ClipRow>) -> [Int64] {
        rows.filter { $0.title == Clip.untitled && titles[$0.id] == nil && requested.insert($0.id).inserted }
            .map(\.id)
    }

    /// Returns the title of a row.
    func title(of row: ClipRow) -> String {
        row.title == Clip.untitled ? titles[row.id] ?? row.title : row.title
    }

    mutating func add(_ titles: [Int64: String], values: [Int64: ValuesAfter]) {
        self.titles.merge(titles) { $1 }
        self.values.merge(values) { $1 }
    }

    /// The change, if the sign before the title does not express it.
    func detail(_ line: TransactionSummary.Line) -> String {
        let words = words(line)
        return line.kind != .insert || words.isReturn ? words.phrase : ""
    }

    func words(_ line: TransactionSummary.Line) -> ChangeWords {
        values[line.number].map(line.words.with) ?? line.words
    }

    /// Learns the titles of deleted clips, and discards those of changed ones.
    mutating func update(after transactions: [TransactionSummary]) {
        let lines = transactions.lazy.flatMap(\.lines)
        replaced.add(
            lines.filter { $0.clip > 0 }.map { ($0.number, $0.kind, $0.clip, $0.title) }
        )
        for line in lines {
            switch line.kind {
            case .delete: if let title = line.title, line.clip > 0 { titles[line.clip] = title }
            case .update, .insert:
                titles[line.clip] = nil
                requested.remove(line.clip)
            }
        }
    }
}

extension TransactionSummary {
    /// The author, with the machine from which an import came; without a name, the program.
    var shownAuthor: String {
        if let origin { return "\(author ?? ""): \(origin)" }
        let name = author.flatMap { $0.isEmpty ? nil : $0 } ?? program
        return AuthorName.shown(name, window: window)
    }
}

extension HistoryRow {
    /// The newest change that is known; in a row of changes of one clip, all of them as one.
    var newestLine: TransactionSummary.Line? {
        let newest = transactions.reversed().lazy.flatMap(\.lines).first
        guard let newest, newest.clip > 0, isOfExternalWriter, transactions.count <= Self.maxJoined else {
            return newest
        }
        let lines = transactions.flatMap(\.lines)
        guard lines.allSatisfy({ $0.clip == newest.clip }) else { return newest }
        return lines.dropFirst().reduce(lines[0]) { $0.followed(by: $1) }
    }

    private static let maxJoined = 100

    /// Whether the row has changes that may be of one statement, each of which is a transaction.
    private var isOfExternalWriter: Bool { isFolded && newest?.step == nil }

    /// The transactions whose changes the pane shows with their values; nil for the parts of a step of undo.
    var detailed: (token: HistoryToken, count: Int)? {
        guard !isFolded || isOfExternalWriter, let first = transactions.first else { return nil }
        return (first.token, min(transactions.count, Self.maxJoined))
    }

    /// Those that the pane of a folded row shows.
    var shownLines: ArraySlice<TransactionSummary.Line> {
        transactions.prefix(100).flatMap(\.lines).prefix(100)
    }

    /// The numbers of inserted, updated, and deleted clips.
    var sums: (inserted: Int, updated: Int, deleted: Int) {
        var sums = (inserted: 0, updated: 0, deleted: 0)
        // Without copies of the transactions, which a key path makes: a row may have a hundred thousand.
        for index in transactions.indices {
            sums.inserted += transactions[index].inserted
            sums.updated += transactions[index].updated
            sums.deleted += transactions[index].deleted
        }
        return sums
    }

    /// The number of changes.
    var count: Int { sums.inserted + sums.updated + sums.deleted }

    /// What was done to the other clips than that of a line, such as `and 14 more` or `and 3 saved, 1 deleted`.
    ///
    /// - Parameter isShort: Whether there is little room: `14 more`, `+3 -1`.
    func others(than first: TransactionSummary.Line, isShort: Bool = false) -> String {
        let kinds = kinds(besides: first)
        guard !kinds.isEmpty else { return "" }
        if isAlike(first, kinds) { return "\(isShort ? "" : "and ")\(shown(kinds[0].1)) more" }
        if isShort { return kinds.map { "\($0.0.sign)\(shown($0.1))" }.joined(separator: " ") }
        let saved = newest?.role == .work ? "saved" : "restored"
        let verbs: [HistoryChange.Kind: String] = [.insert: saved, .update: "changed", .delete: "deleted"]
        return "and " + kinds.map { "\(shown($0.1)) \(verbs[$0.0] ?? "")" }.joined(separator: ", ")
    }

    /// The number of all clips if the same was done to them as to that of a line, such as `15 clips`.
    func alike(_ first: TransactionSummary.Line) -> String? {
        let kinds = kinds(besides: first)
        guard !kinds.isEmpty, isAlike(first, kinds) else { return nil }
        return "\(shown(kinds[0].1 + 1)) clips"
    }

    private func isAlike(_ first: TransactionSummary.Line, _ kinds: [(HistoryChange.Kind, Int)]) -> Bool {
        guard kinds.count == 1, kinds[0].0 == first.kind else { return false }
        let words = newest?.words
        let kind = words?.withoutTags
        return first.kind != .update
            || words != nil && counted.allSatisfy { $0.words == words || $0.words?.withoutTags == kind }
    }

    /// Returns the numbers of clips of each kind besides that of a line.
    private func kinds(besides first: TransactionSummary.Line) -> [(HistoryChange.Kind, Int)] {
        // A clip that changes again counts once, unless some changes are not listed.
        var (clips, replaced): ([Int64: HistoryChange.Kind], Int) = ([:], 0)
        for line in counted.lazy.flatMap(\.lines) {
            let earlier = clips[line.clip]
            // Another clip got the ID, or the same one returned.
            if earlier == .delete, line.kind == .insert { replaced += 1 }
            clips[line.clip] = earlier == .insert && line.kind == .update ? .insert : line.kind
        }
        let isCounted = isWhole && counted.reduce(0) { $0 + $1.lines.count } >= count
        let sums = sums
        let kinds: [(HistoryChange.Kind, Int)] = [
            (.insert, sums.inserted), (.update, sums.updated), (.delete, sums.deleted),
        ]
        return kinds.map { kind, sum in
            let all = isCounted ? clips.values.count { $0 == kind } + (kind == .delete ? replaced : 0) : sum
            return (kind, all - (clips[first.clip] == kind ? 1 : 0))
        }.filter { $0.1 > 0 }
    }

    private var isWhole: Bool { transactions.count <= Self.maxCounted }

    /// Returns a number of clips; some of very many changes may be of one clip.
    private func shown(_ number: Int) -> String {
        "\(isWhole ? "" : "~")\(number.grouped)\(isCut ? "+" : "")"
    }
}

extension TransactionSummary.Line {
    var sign: String { kind.sign }
}

extension HistoryChange.Kind {
    var sign: String {
        switch self {
        case .insert: "+"
        case .update: "~"
        case .delete: "-"
        }
    }
}
