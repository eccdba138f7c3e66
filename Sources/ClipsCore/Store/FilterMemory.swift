package import AppGroup
import PersistentStore

/// A filter and an order under a name.
package struct SavedSearch: Hashable, Sendable {
    package let name: String
    package let query: ClipQuery

    package init(name: String, query: ClipQuery) {
        self.name = String(name.filter { !$0.isNewline && $0 != "\t" }.prefix(60))
        self.query = query
    }

    /// The search on one line: name, filter, attribute, and direction, after which the order by relevance is named.
    fileprivate init?(line: String) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, ClipQuery.sort(named: parts[2]) != nil else { return nil }
        let order = parts[3].split(separator: " ")
        var query = ClipQuery(
            filter: parts[1], sort: SortKey(parts[2], isAscending: order.first == "ascending"))
        query.ranksWords = order.contains("relevance")
        self.init(name: parts[0], query: query)
    }

    fileprivate var line: String {
        let filter = query.filter.split { $0 == "\t" || $0.isNewline }.joined(separator: " ")
        let direction = query.sort.isAscending ? "ascending" : "descending"
        let order = direction + (query.isRanked ? " relevance" : "")
        return [name, filter, query.sort.attribute, order].joined(separator: "\t")
    }
}

/// The filters that the user typed, and the saved searches. They are in shared defaults next to the store, so that
/// all of its apps have the same.
package struct FilterMemory: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case typed(String)
        case saved(SavedSearch)
        case removed(name: String)
    }

    /// The oldest first.
    package private(set) var typed: [String] = []
    /// By name.
    package private(set) var searches: [SavedSearch] = []

    private static let maxTyped = 200
    private static let longestTyped = 1000
    private static let typedKey = "filters"
    private static let searchesKey = "searches"

    package init() {}

    package mutating func apply(_ change: Change) {
        switch change {
        case .typed(let filter):
            guard !filter.isEmpty, filter.utf8.count <= Self.longestTyped else { return }
            typed = typed.filter { $0 != filter }.suffix(Self.maxTyped - 1) + [filter]
        case .saved(let search):
            searches = (searches.filter { $0.name != search.name } + [search]).sorted { $0.name < $1.name }
        case .removed(let name): searches.removeAll { $0.name == name }
        }
    }
}

extension ClipStore {
    private func filterDefaults() throws(AppGroupError) -> SharedDefaults {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        let name = (parts.last ?? "").prefix { $0 != "." }.filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
        }
        return try SharedDefaults(
            folder: folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder,
            suite: name.isEmpty ? "clips" : String(name.prefix(64)))
    }

    package func filterMemory() throws(AppGroupError) -> FilterMemory {
        try FilterMemory(filterDefaults().contents())
    }

    /// Changes the memory as it is now, which another app may have changed.
    package func remember(_ change: FilterMemory.Change) throws(AppGroupError) -> FilterMemory {
        var memory = FilterMemory()
        try filterDefaults().update { contents throws(AppGroupError) in
            memory = try FilterMemory(contents)
            memory.apply(change)
            try memory.write(to: &contents)
        }
        return memory
    }
}

extension FilterMemory {
    fileprivate init(_ contents: SharedDefaultsContents) throws(AppGroupError) {
        typed = try contents.value([String].self, forKey: Self.typedKey) ?? []
        searches = try (contents.value([String].self, forKey: Self.searchesKey) ?? [])
            .compactMap(SavedSearch.init(line:))
    }

    fileprivate func write(to contents: inout SharedDefaultsContents) throws(AppGroupError) {
        try contents.set(typed, forKey: Self.typedKey)
        try contents.set(searches.map(\.line), forKey: Self.searchesKey)
    }
}
