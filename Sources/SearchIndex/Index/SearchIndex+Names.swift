package import PersistentStore
import SQLite

extension SearchIndex {
    /// Returns the tags or authors with a prefix, sorted by name, ignoring case and accents; for completing
    /// `tag:` and `author:`. Excludes names that no object uses.
    package nonisolated func names(
        _ kind: SearchName, beginning prefix: String, limit: Int, in snapshot: StoreSnapshot
    ) throws -> [String] {
        try assumeIsolated { index in
            let folded = Folding.fold(prefix)
            let known =
                try index.use(.reading) { connection, _ -> [String] in
                    var names: [String] = []
                    let rows = try connection.prepare(
                        "SELECT name FROM name WHERE kind = ?1 AND folded >= ?2 AND folded < ?3 ORDER BY folded, name"
                    )
                    try rows.bind(kind.rawValue, at: 1)
                    try rows.bind(folded, at: 2)
                    // UTF-8 never contains this byte.
                    try rows.bind(folded + [0xFF], at: 3)
                    // The margin is for names that no object uses.
                    while names.count < limit + 100, try rows.step() { names.append(rows.text(0)) }
                    return names
                } ?? []
            var used: [String] = []
            for name in known where used.count < limit {
                let bounds = SearchBounds(limit: 1, maxRead: 100)
                let query = SearchQuery(name, of: kind)
                if try !index.search(query, bounds: bounds, in: snapshot).hits.isEmpty { used.append(name) }
            }
            return used
        }
    }
}

extension SearchQuery {
    /// Creates a query for objects with exactly this name.
    init(_ name: String, of kind: SearchName) {
        let text = SearchText(name, .phrase)
        clauses = [[Literal(isNegated: false, condition: .text(text, in: kind == .tag ? .tag : .author))]]
    }
}
