package import PersistentStore
package import SearchIndex

/// The filter and the order of a list of clips.
package struct ClipQuery: Hashable, Sendable {
    /// The text that the user typed; see `SearchQuery` for its syntax.
    package var filter: String
    package var sort: SortKey
    /// Whether a query without a filter admits archived clips, as an export does. A filter always does.
    package var includesArchived: Bool
    /// Whether the query admits only unread clips of the list.
    package var isUnreadOnly = false

    /// Whether the best matches of words come first, regardless of the order.
    package var ranksWords = false

    package static let newestFirst = SortKey(ClipAttribute.created.rawValue, isAscending: false)

    package init(filter: String = "", sort: SortKey = ClipQuery.newestFirst, includesArchived: Bool = false) {
        self.filter = filter
        self.sort = sort
        self.includesArchived = includesArchived
    }

    /// Returns the order with a name of `--sort`: times and flags descending, texts ascending.
    package static func sort(named name: String) -> SortKey? {
        switch ClipAttribute(rawValue: name) {
        case .created, .updated, .starred, .unread: SortKey(name, isAscending: false)
        case .title, .url, .author, .tags: SortKey(name)
        default: nil
        }
    }

    /// The values of `is:`.
    package static let flags = SearchQuery.Flag.allCases.map(\.rawValue)

    /// The maximum length of a filter; the text after it is ignored.
    package static var maxFilterLength: Int { SearchQuery.maxLength }

    /// The filter as a query at the present time; words like `yesterday` depend on it.
    package var search: SearchQuery {
        let search = SearchQuery(filter)
        guard isUnreadOnly else { return search }
        let unread = search.requiring(.unread)
        return search.isEmpty && !includesArchived ? unread.requiring(.archived, isNegated: true) : unread
    }

    /// Whether there is no filter.
    package var admitsAll: Bool { search.isEmpty }

    /// Whether the filter has words, whose matches have a relevance.
    package var hasWords: Bool { search.hasWords }

    /// Whether the filter has words alone, which clips contain, and no conditions, which they match.
    package var hasOnlyWords: Bool { search.hasOnlyWords }

    /// A sentence about a word that is probably meant as an operator, for a list without clips.
    package var hint: String? { search.hint }

    /// Whether the list is in the order of relevance.
    package var isRanked: Bool { ranksWords && hasWords }

    /// The number of matches that a list has in the order of their relevance; newer ones then precede older ones.
    package static let maxRanked = 5000

    /// Returns a sentence about the first invalid word of the filter; while the user types, only a word that
    /// more letters cannot complete.
    package func problem(isTyping: Bool) -> String? {
        search.problems.first { !isTyping || !$0.isUnfinished }?.description
    }

    package func hasSameFilter(as other: ClipQuery) -> Bool { search == other.search }

    /// The clips in the order of the query, without the filter.
    package var request: FetchRequest {
        let predicate = includesArchived || !admitsAll ? nil : ClipModel.notArchived
        return FetchRequest(
            ClipModel.entity, where: predicate, sort: [sort], attributes: ClipModel.listAttributes)
    }
}

/// The matches of a filter in the shown texts of clips.
package struct ClipHighlight: Hashable, Sendable {
    let search: SearchQuery

    /// Returns nil for a filter that admits everything.
    package init?(_ filter: String) {
        search = SearchQuery(filter)
        if search.isEmpty { return nil }
    }

    /// Creates the highlight of a text as it is, without operators and fields; nil for an empty one.
    package init?(literal text: String) {
        search = SearchQuery(literal: text)
        if search.isEmpty { return nil }
    }

    private init?(_ search: SearchQuery) {
        guard !search.isEmpty else { return nil }
        self.search = search
    }

    /// Returns the words that a closure does not find; nil if it finds all.
    package func lacking(_ isFound: (ClipHighlight) -> Bool) -> ClipHighlight? {
        ClipHighlight(search.lacking { ClipHighlight($0).map(isFound) ?? true })
    }

    package func names(tag: String) -> Bool { search.names(tag: tag) }

    package func ranges(inTitle title: String) -> [Range<String.Index>] {
        search.matches(in: title, of: .title)
    }

    /// - Parameter limit: The number of matches of each word.
    package func ranges(
        inText text: String, of field: SearchField = .text, limit: Int = SearchQuery.maxMatches
    ) -> [Range<String.Index>] {
        search.matches(in: text, of: field, limit: limit)
    }

    /// Returns the matches in the words around one, of whichever field.
    package func ranges(inExcerpt text: String) -> [Range<String.Index>] {
        let fields: [SearchField] = [.text, .note, .url, .tag]
        return fields.lazy.map { search.matches(in: text, of: $0) }.first { !$0.isEmpty } ?? []
    }
}
