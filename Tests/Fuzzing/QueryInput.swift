import ClipsCore
import PersistentStore
import SearchIndex

/// Text that a user types to search.
enum QueryInput {
    /// A Wednesday, in a zone two hours east of UTC.
    private static let calendar = SearchCalendar.fixed(now: 1_795_593_600_000, secondsFromGMT: 7200)

    static func broken(by text: String) -> String? {
        let query = SearchQuery(text, calendar: calendar)
        let printed = query.description
        if SearchQuery(printed, calendar: calendar) != query {
            return "printed as \(printed.debugDescription) it is another query"
        }
        let document = SearchDocument(id: 1, ClipModel.searched) { _ in .text(text) }
        _ = query.matches(document)
        for field in [SearchField.text, .title, .url] {
            var from = text.startIndex
            for range in query.matches(in: text, of: field) {
                guard range.lowerBound >= from, range.lowerBound < range.upperBound,
                    range.upperBound <= text.endIndex
                else { return "a match lies outside of the text" }
                _ = text[from..<range.lowerBound]
                from = range.upperBound
            }
        }
        guard let excerpt = query.excerpt(of: text, in: .text, length: 20) else { return nil }
        // A longer match is whole.
        let match = query.matches(in: text, of: .text, limit: 1).first.map { text[$0].count } ?? 0
        return excerpt.text.count > max(20, match) + 2 ? "an excerpt is longer than requested" : nil
    }
}
