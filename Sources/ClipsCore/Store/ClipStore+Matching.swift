package import PersistentStore
import SearchIndex

/// Finds the clips for a change of many.
extension ClipStore {
    /// Returns the clips of a query, in its order, without their contents.
    package func ids(matching query: ClipQuery) async throws(StoreError) -> [Int64] {
        guard !query.admitsAll else {
            let request = query.request
            return try await container.read { snapshot throws(StoreError) in try snapshot.keys(request) }
        }
        var search = ClipSearch(query.search, sort: .newest, limit: .max, in: self)
        var ids: [Int64] = []
        while let hits = try await search.next({ hits, _ throws(StoreError) in hits }) { ids += hits }
        return ids
    }

    /// Calls `body` with clips, one page at a time, in this order, without deleted ones.
    package func forEachClip(of ids: [Int64], _ body: (Clip) throws -> Void) async throws {
        for first in stride(from: 0, to: ids.count, by: Self.pageSize) {
            for clip in try await clips(Array(ids[first..<min(ids.count, first + Self.pageSize)])) {
                try body(clip)
            }
        }
    }

    /// Returns the greatest ID; 0 in an empty store.
    package func newestID() async throws(StoreError) -> Int64 {
        let request = FetchRequest(ClipModel.entity, sort: [SortKey("id", isAscending: false)], limit: 1)
        return try await container.read { snapshot throws(StoreError) in try snapshot.keys(request) }.first
            ?? 0
    }

    /// Returns the first clip of a search, best match first; nil if none matches.
    package func bestMatch(_ words: String) async throws(StoreError) -> Clip? {
        var search = ClipSearch(ClipQuery(filter: words).search, sort: .relevance, limit: 1, in: self)
        return try await search.next()?.first
    }
}

/// Changes tags across all clips, each time as one transaction.
extension ClipStore {
    /// Returns all tags with the number of their clips, most used first.
    package func tagCounts() async throws(StoreError) -> [(name: String, count: Int)] {
        try await tagUses(amongNewest: .max)
    }

    /// Returns the clips with one of these tags, oldest first.
    package func ids(taggedWith names: [String]) async throws(StoreError) -> [Int64] {
        let column = ClipAttribute.tags.rawValue
        var request = FetchRequest(ClipModel.entity, where: .or(names.map { .contains(column, $0) }))
        request.attributes = [column]
        return try await container.fetch(request).filter { object in
            Tags(joined: object[column].textValue ?? "").names.contains(where: names.contains)
        }.map(\.id.key)
    }

    /// Replaces tags by another one, or removes them.
    ///
    /// - Parameter new: The name that replaces them; nil to remove them.
    /// - Returns: The number of clips that changed.
    package func replaceTags(_ names: [String], with new: String?) async throws(StoreError) -> Int {
        let old = Set(Tags(names).names).subtracting(new.map { [$0] } ?? [])
        guard !old.isEmpty else { return 0 }
        return try await update(try await ids(taggedWith: old.sorted()), [.tags]) { clip in
            guard clip.tags.contains(where: old.contains) else { return nil }
            let tags = Tags(clip.tags.compactMap { old.contains($0) ? new : $0 })
            return [.tags: .text(tags.joined)]
        }.count
    }
}
