import ClipsCore
import PersistentStore

/// The parts of clips around the words of a filter that their rows do not show.
struct Excerpts: Sendable {
    struct Request: Hashable, Sendable {
        /// The words that the row of each clip lacks.
        var words: [Int64: ClipHighlight] = [:]
        let filter: String
        let columns: ListColumns

        var length: Int { max(20, columns.title.width - ListLine.minExcerpt) }
    }

    struct Excerpt: Hashable, Sendable {
        var text = ""
        var words: ClipHighlight?
        /// Those that it consists of.
        var tags: [String] = []
    }

    /// Empty for a clip whose row shows all words, or that has none.
    private var known: [Int64: Excerpt] = [:]
    private var last = Request(filter: "", columns: ListColumns(width: 0))

    subscript(id: Int64) -> Excerpt { known[id] ?? Excerpt() }

    /// Returns the request for the rows of a list, if one is needed.
    mutating func request(_ rows: some Sequence<ClipRow>, _ filter: String, _ columns: ListColumns)
        -> Request?
    {
        var wanted = Request(filter: filter, columns: columns)
        if last.filter != filter || last.columns != columns {
            (known, last) = ([:], wanted)
        }
        guard columns.title.width >= ListLine.minTitleWithExcerpt, ClipQuery(filter: filter).hasWords,
            let highlight = ClipHighlight(filter)
        else { return nil }
        for row in rows where known[row.id] == nil {
            guard let words = ListLine.wordsLacking(row, highlight, columns) else {
                let tags = ListLine.namedTags(row, highlight, columns)
                known[row.id] = Excerpt(text: ListLine.tagText(tags), words: highlight, tags: tags)
                continue
            }
            // Those for which their column has no room.
            let tags = row.tags.filter { !words.ranges(inExcerpt: "#" + $0).isEmpty }
            if words.lacking({ word in tags.contains { !word.ranges(inExcerpt: "#" + $0).isEmpty } }) == nil {
                known[row.id] = Excerpt(text: ListLine.tagText(tags), words: words, tags: tags)
            } else {
                wanted.words[row.id] = words
            }
        }
        guard !wanted.words.isEmpty, wanted != last else { return nil }
        last = wanted
        return wanted
    }

    mutating func add(_ excerpts: [Int64: String], for request: Request) {
        guard last.filter == request.filter, last.columns == request.columns else { return }
        for (id, words) in request.words { known[id] = Excerpt(text: excerpts[id] ?? "", words: words) }
    }

    /// Discards those of changed clips.
    mutating func apply(_ transactions: [TransactionSummary]) {
        for transaction in transactions {
            if transaction.updated + transaction.deleted > transaction.lines.count { known = [:] }
            for line in transaction.lines { known[line.clip] = nil }
        }
        last.words = [:]
    }
}
