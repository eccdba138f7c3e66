package import PersistentStore
import SearchIndex

/// A part of the list of clips that are not archived, newest first.
package struct ClipPage: Sendable {
    package let clips: [ClipSummary]
    /// The number of clips in the list.
    package let count: Int
    /// The position after the page; nil at the end.
    package let next: ClipCursor?
}

/// A position in the list of clips, newest first, as text for another program.
package struct ClipCursor: Hashable, Sendable, LosslessStringConvertible {
    let created: Int64
    let id: Int64

    init(_ object: StoredObject) {
        created = object[ClipAttribute.created.rawValue].integerValue ?? 0
        id = object.id.key
    }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let created = parts[0], let id = parts[1] else { return nil }
        (self.created, self.id) = (created, id)
    }

    package var description: String { "\(created).\(id)" }

    func position(in snapshot: borrowing StoreSnapshot) -> SortPosition {
        let values = [ClipAttribute.created.rawValue: AttributeValue.integer(created)]
        return snapshot.position(of: ClipModel.objectID(id), values, in: [ClipQuery.newestFirst])
    }
}

extension ClipStore {
    /// Returns the clips that are not archived after a position; with nil, the newest ones.
    ///
    /// - Parameter maxBytes: The size of the JSON at which the page ends.
    package func page(
        after cursor: ClipCursor?, limit: Int, maxBytes: Int
    ) async throws(StoreError) -> ClipPage {
        let start = FetchRequest(
            clips: ClipModel.notArchived, [.created], sort: [ClipQuery.newestFirst], limit: limit + 1)
        return try await container.read { snapshot throws(StoreError) in
            var page = start
            page.after = cursor?.position(in: snapshot)
            let objects = try snapshot.fetch(page)
            let ids = objects.prefix(limit).map(\.id.key)
            let clips = try Self.summaries(ids, maxBytes: maxBytes, in: snapshot).clips
            let count = try snapshot.count(FetchRequest(ClipModel.entity, where: ClipModel.notArchived))
            let isLast = clips.count == objects.count
            let last = isLast || clips.isEmpty ? nil : ClipCursor(objects[clips.count - 1])
            return ClipPage(clips: clips, count: count, next: last)
        }
    }

    /// Returns the number of clips that are not archived.
    package func count() async throws(StoreError) -> Int {
        try await container.count(FetchRequest(ClipModel.entity, where: ClipModel.notArchived))
    }

    /// Returns the best matches of a query that is not empty, without deleted clips.
    ///
    /// - Parameter showsMatches: Whether the text of a clip is the part around its first match.
    /// - Returns: up to `limit` clips, and whether there are more.
    package func matches(
        _ query: ClipQuery, limit: Int, maxBytes: Int, showsMatches: Bool = false
    ) async throws(StoreError) -> (clips: [ClipSummary], hasMore: Bool) {
        let shown = showsMatches ? query.search : nil
        var search = ClipSearch(query.search, sort: .relevance, limit: limit + 1, in: self)
        var clips: [ClipSummary] = []
        var left = maxBytes
        var isCut = false
        while !isCut, clips.count <= limit {
            let next = try await search.next { [left] hits, snapshot throws(StoreError) in
                [try Self.summaries(hits, maxBytes: left, around: shown, in: snapshot)]
            }
            guard let page = next?.first else { break }
            clips += page.clips
            left -= page.clips.reduce(0) { $0 + $1.json.utf8.count + 1 }
            isCut = page.isCut
        }
        return (Array(clips.prefix(limit)), isCut || clips.count > limit)
    }

    /// Returns the newest clip with each URL; nil for none.
    ///
    /// - Parameter maxBytes: The size of the JSON after which all results are nil.
    package func clips(
        withURLs urls: [String], maxBytes: Int
    ) async throws(StoreError) -> (clips: [ClipSummary?], isCut: Bool) {
        let values = Set(urls).subtracting([""]).sorted().map(AttributeValue.text)
        let lookup = FetchRequest(clips: .isOneOf(ClipAttribute.url.rawValue, values), [.url])
        return try await container.read { snapshot throws(StoreError) in
            var ids: [String: Int64] = [:]
            for object in try snapshot.fetch(lookup) {
                if let url = object[ClipAttribute.url.rawValue].textValue { ids[url] = object.id.key }
            }
            let wanted = urls.compactMap { ids[$0] }
            let (clips, isCut) = try Self.summaries(wanted, maxBytes: maxBytes, in: snapshot)
            let byID = Dictionary(clips.map { ($0.id, $0) }) { first, _ in first }
            return (urls.map { ids[$0].flatMap { byID[$0] } }, isCut)
        }
    }
}
