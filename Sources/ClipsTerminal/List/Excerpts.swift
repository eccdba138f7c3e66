import ClipsCore
import LiveQuery
import PersistentStore
import Terminal

/// The parts of clips around the words of a filter, for rows that do not show why they match.
struct Excerpts: Sendable {
    struct Request: Hashable, Sendable {
        var ids: [Int64]
        let filter: String
        let length: Int
    }

    /// Empty for a clip whose row shows a match, or that has none.
    private var known: [Int64: String] = [:]
    private var last = Request(ids: [], filter: "", length: 0)

    subscript(id: Int64) -> String { known[id] ?? "" }

    /// Returns the request for the rows of a list, if one is needed.
    mutating func request(_ rows: some Sequence<ClipRow>, _ filter: String, _ columns: ListColumns)
        -> Request?
    {
        let length = max(20, columns.title.width - ListLine.minExcerpt)
        var wanted = Request(ids: [], filter: filter, length: length)
        if (last.filter, last.length) != (filter, length) {
            (known, last) = ([:], wanted)
        }
        guard columns.title.width >= ListLine.minTitleWithExcerpt, ClipQuery(filter: filter).hasWords,
            let highlight = ClipHighlight(filter)
        else { return nil }
        for row in rows where known[row.id] == nil {
            if ListLine.showsMatch(row, highlight, columns) {
                known[row.id] = ""
            } else {
                wanted.ids.append(row.id)
            }
        }
        guard !wanted.ids.isEmpty, wanted != last else { return nil }
        last = wanted
        return wanted
    }

    mutating func add(_ excerpts: [Int64: String], for request: Request) {
        guard (last.filter, last.length) == (request.filter, request.length) else { return }
        for id in request.ids { known[id] = excerpts[id] ?? "" }
    }

    /// Discards those of changed clips.
    mutating func apply(_ transactions: [TransactionSummary]) {
        for transaction in transactions {
            if transaction.updated + transaction.deleted > transaction.lines.count { known = [:] }
            for line in transaction.lines { known[line.clip] = nil }
        }
        last.ids = []
    }
}
