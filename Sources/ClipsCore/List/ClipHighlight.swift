import SearchIndex

/// Where the words of a filter stand in what is shown of clips.
package struct ClipHighlight: Sendable {
    private let search: SearchQuery

    /// Nil for a filter that admits everything.
    package init?(_ filter: String) {
        search = SearchQuery(filter)
        if search.isEmpty { return nil }
    }

    package func ranges(inTitle title: String) -> [Range<String.Index>] {
        search.matches(in: title, of: .title)
    }

    package func ranges(inText text: String) -> [Range<String.Index>] { search.matches(in: text, of: .text) }
}
