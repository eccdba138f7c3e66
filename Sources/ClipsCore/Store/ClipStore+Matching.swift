package import PersistentStore
import SearchIndex

/// Finds all clips of a query.
extension ClipStore {
    /// Returns the clips of a query in one state of the store, in its order, without their contents: eight bytes
    /// for each.
    package func ids(matching query: ClipQuery, limit: Int = .max) async throws(StoreError) -> [Int64] {
        let (search, isNewestFirst) = (query.search, query.sort == ClipQuery.newestFirst)
        var request = query.request
        request.limit = limit
        let (index, inOrder) = (index, request)
        return try await container.read { snapshot throws(StoreError) in
            guard limit > 0, !search.isEmpty else { return try snapshot.keys(inOrder) }
            let bounds = SearchBounds(limit: isNewestFirst ? limit : .max)
            let hits = try index.search(search, bounds: bounds, in: snapshot).hits.map(\.id)
            guard !isNewestFirst else { return hits }
            var found = inOrder
            found.predicate = .keys(hits)
            return try snapshot.keys(found)
        }
    }

    /// The number of clips that a bulk deletion, or a change by a query, affects without a question.
    package static let fewClips = 10

    /// Returns those of some clips that the list of a query lacks, and those that are deleted.
    package func ids(
        _ ids: Set<Int64>, missingIn query: ClipQuery
    ) async throws(StoreError) -> (hidden: Set<Int64>, deleted: Set<Int64>) {
        var query = query
        query.sort = ClipQuery.newestFirst
        let matching = query.admitsAll ? nil : Set(try await self.ids(matching: query))
        let all = ObjectPredicate.keys(ids.sorted())
        var request = query.request
        request.predicate = .and([all] + [request.predicate].compactMap(\.self))
        let shown = request
        return try await container.read { snapshot throws(StoreError) in
            let present = Set(try snapshot.keys(FetchRequest(ClipModel.entity, where: all)))
            let listed: Set<Int64>
            if let matching { listed = matching } else { listed = Set(try snapshot.keys(shown)) }
            return (hidden: present.subtracting(listed), deleted: ids.subtracting(present))
        }
    }

    /// Calls `body` with the clips of a query, in its order.
    ///
    /// A page that begins at a position would skip a clip that another process moves before it is read. So the IDs
    /// are read first, which do not move, and no snapshot is held while `body` waits for a reader of its output.
    package func forEachClip(
        _ query: ClipQuery, limit: Int = .max, _ body: (Clip) throws -> Void
    ) async throws {
        try await forEachClip(of: try await ids(matching: query, limit: limit), body)
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
        let name = ClipAttribute.tags.rawValue
        let request = FetchRequest(ClipModel.entity, where: .compare(name, .notEqual, .text("")))
        let lists = try await container.read { snapshot throws(StoreError) in
            try snapshot.valueCounts(of: name, over: request)
        }
        var counts: [String: Int] = [:]
        for list in lists {
            let names = Tags(joined: list.value.textValue ?? "").names
            for name in names { counts[name, default: 0] += list.count }
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// Returns the clips with one of these tags, oldest first.
    package func ids(taggedWith names: [String]) async throws(StoreError) -> [Int64] {
        let column = ClipAttribute.tags.rawValue
        let request = FetchRequest(clips: .or(names.map { .contains(column, $0) }), [.tags])
        return try await container.fetch(request).filter { object in
            Tags(joined: object[column].textValue ?? "").names.contains(where: names.contains)
        }.map(\.id.key)
    }

    /// Replaces tags by another one, or removes them.
    ///
    /// - Parameter new: The name that replaces them; nil to remove them.
    /// - Returns: The clips that changed.
    package func replaceTags(_ names: [String], with new: String?) async throws(StoreError) -> [Int64] {
        let old = Set(Tags(names).names).subtracting(new.map { [$0] } ?? [])
        guard !old.isEmpty else { return [] }
        return try await update(try await ids(taggedWith: old.sorted()), [.tags]) { clip in
            guard clip.tags.contains(where: old.contains) else { return nil }
            let tags = Tags(clip.tags.compactMap { old.contains($0) ? new : $0 })
            return [.tags: .text(tags.joined)]
        }.value
    }
}
