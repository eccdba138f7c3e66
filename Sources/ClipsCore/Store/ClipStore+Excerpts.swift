package import PersistentStore
import SearchIndex

extension ClipStore {
    /// Returns the parts of clips around the first match of words, on one line each, by ID.
    ///
    /// - Parameter length: The length of a part, in characters.
    package func excerpts(
        _ words: [Int64: ClipHighlight], length: Int
    ) async throws(StoreError) -> [Int64: String] {
        let ids = words.keys.sorted()
        let fields: [(ClipAttribute, SearchField)] = [
            (.title, .title), (.text, .text), (.note, .note), (.url, .url),
        ]
        var excerpts: [Int64: String] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.textsPerPage) {
            let page = Array(ids[start..<min(ids.count, start + Self.textsPerPage)])
            let request = FetchRequest(clips: .keys(page), fields.map(\.0) + [.uuid])
            let found = try await container.read { snapshot throws(StoreError) in
                let objects = try snapshot.fetch(request)
                return (objects, try ClipModel.searched.attached?.texts(of: objects, in: snapshot) ?? [:])
            }
            for object in found.0 {
                let quotes = found.1[object[ClipAttribute.uuid.rawValue]] ?? []
                guard let search = words[object.id.key]?.search.withoutNames else { continue }
                func excerpt(hasForms: Bool) -> SearchExcerpt? {
                    // A title with another form of a word is in the row.
                    for (attribute, field) in fields where !(hasForms && field == .title) {
                        // The search takes quotes as parts of the note.
                        for text in [object.text(attribute)] + (field == .note ? quotes : []) {
                            let found =
                                field == .text || field == .note
                                ? search.readExcerpt(of: text, in: field, length: length, hasForms: hasForms)
                                : search.excerpt(
                                    of: SearchQuery.oneLine(text), in: field, length: length,
                                    hasForms: hasForms)
                            // Of a whole address, which the user typed, no part says more.
                            let isWhole = found.map { field == .url && $0.isAddress } ?? false
                            if let found, !isWhole { return found }
                        }
                    }
                    return nil
                }
                excerpts[object.id.key] = (excerpt(hasForms: false) ?? excerpt(hasForms: true))?.text
            }
        }
        return excerpts
    }

    /// Texts may have many megabytes each.
    private static let textsPerPage = 4
}

extension SearchExcerpt {
    /// Whether all of it is a match, except for the scheme.
    fileprivate var isAddress: Bool {
        guard let match = matches.first, match.upperBound == text.endIndex else { return false }
        return ["https://www.", "http://www."].contains { $0.hasPrefix(text[..<match.lowerBound]) }
    }
}
