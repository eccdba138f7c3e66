package import PersistentStore
import SearchIndex

/// All tags, authors, and sites of the clips, archived ones included, the most used first, with which a query is
/// completed.
package struct KnownNames: Hashable, Sendable {
    package var tags: [String]
    package var authors: [String]
    package var sites: [String]

    package init(tags: [String] = [], authors: [String] = [], sites: [String] = []) {
        (self.tags, self.authors, self.sites) = (tags, authors, sites)
    }

    /// The tags that filters distinguish, each in its most frequent spelling.
    package var distinctTags: [String] { Self.distinct(tags) }

    private static func distinct(_ names: [String]) -> [String] {
        var known = Set<[UInt8]>()
        return names.filter { known.insert(Folding.foldName($0)).inserted }
    }

    /// Returns the candidates for a word of a query without its sign: fields, or a field with its values.
    package func candidates(for typed: String) -> [String] {
        let values = [
            ("tag:", tags), ("author:", authors), ("site:", sites), ("is:", ClipQuery.flags),
            ("after:", Self.days), ("before:", Self.days), ("on:", Self.days),
        ]
        for (field, names) in values where typed.lowercased().hasPrefix(field) {
            let begun = typed.dropFirst(field.count).drop { $0 == "\"" }
            let (small, folded) = (begun.lowercased(), Folding.foldName(String(begun)))
            let fitting = names.filter {
                $0.lowercased().hasPrefix(small) && Folding.foldName($0) != folded
            }
            // A shell cannot complete a word by names in different cases.
            let ordered = fitting.filter { $0.hasPrefix(begun) } + fitting.filter { !$0.hasPrefix(begun) }
            return Self.distinct(ordered).map {
                field + ($0.contains { " \"".contains($0) } ? SearchQuery.quoted($0) : $0)
            }
        }
        let fields = values.map(\.0) + ["title:", "url:", "text:", "note:"]
        return fields.filter { $0.hasPrefix(typed) && $0 != typed }
    }

    private static let days = ["today", "yesterday", "last-week", "monday", "3d"]
}

extension ClipStore {
    package func knownNames() async throws(StoreError) -> KnownNames {
        try await FacetCounter.names(in: container)
    }

    /// Returns the authors of the newest transactions, without repetition.
    package func recentAuthors(of count: Int) async throws(StoreError) -> [String] {
        let all = HistoryFetchRequest(.newest, limit: count, includesChanges: false)
        let transactions = try await container.read { snapshot throws(StoreError) in
            try snapshot.transactions(all)
        }
        var seen = Set<String>()
        return transactions.compactMap(\.author).filter { seen.insert($0).inserted }
    }
}
