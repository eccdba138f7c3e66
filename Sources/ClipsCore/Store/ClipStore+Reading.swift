import PersistentStore
import SearchIndex

extension ClipStore {
    /// Hands over the clips of a query in its order, reading them a page at a time.
    package func forEachClip(
        _ query: ClipQuery, limit: Int = .max, _ body: (Clip) throws -> Void
    ) async throws {
        guard query.admitsAll else { return try await forEachFound(query, limit: limit, body) }
        guard limit <= Self.page || Self.isOrdered(by: query.sort) else {
            return try await forEachSorted(query, limit: limit, body)
        }
        var request = query.request
        request.attributes = nil
        var left = limit
        while left > 0 {
            request.limit = min(left, Self.page)
            let page = request
            let (objects, last) = try await container.read { snapshot in
                let objects = try snapshot.fetch(page)
                return (objects, objects.last.map { snapshot.position(of: $0, in: query.sort) })
            }
            for object in objects { try body(Clip(object)) }
            guard let last, objects.count == request.limit else { return }
            left -= objects.count
            request.after = last
        }
    }

    private static let page = 200

    /// Whether the store has an index in this order.
    private static func isOrdered(by sort: SortOrder) -> Bool {
        [.created, .url].contains(ClipAttribute(rawValue: sort.attribute))
    }

    /// In an order without an index every page would sort the store anew: it is sorted once, by SQLite, which has
    /// room on the disk; here are only ids.
    private func forEachSorted(_ query: ClipQuery, limit: Int, _ body: (Clip) throws -> Void) async throws {
        var request = query.request
        request.limit = limit
        let wanted = request
        let ids = try await container.read { try $0.keys(wanted) }
        for first in stride(from: 0, to: ids.count, by: Self.page) {
            for clip in try await clips(Array(ids[first..<min(ids.count, first + Self.page)])) {
                try body(clip)
            }
        }
    }

    private func forEachFound(_ query: ClipQuery, limit: Int, _ body: (Clip) throws -> Void) async throws {
        guard query.sort == ClipQuery.newestFirst else {
            return try await forEachFoundAndSorted(query, limit: limit, body)
        }
        var search = ClipSearch(query.search, sort: .newest, limit: limit, in: self)
        while let hits = try await search.next() { for hit in hits { try body(hit) } }
    }

    /// In another order than that of the search, the last found may come first: all are found before the first is
    /// handed over, by their keys.
    private func forEachFoundAndSorted(
        _ query: ClipQuery, limit: Int, _ body: (Clip) throws -> Void
    ) async throws {
        var search = ClipSearch(query.search, sort: .newest, limit: .max, in: self)
        var places: [SortPosition] = []
        while let hits = try await search.nextHits() {
            var request = FetchRequest(ClipModel.entity, where: .keys(hits.map(\.id)))
            request.attributes = [query.sort.attribute]
            let wanted = request
            places += try await container.read { snapshot in
                try snapshot.fetch(wanted).map { snapshot.position(of: $0, in: query.sort) }
            }
        }
        places = Array(places.sorted().prefix(limit))
        for first in stride(from: 0, to: places.count, by: 200) {
            for clip in try await clips(places[first..<min(places.count, first + 200)].map(\.key)) {
                try body(clip)
            }
        }
    }

    /// The clips with these ids, in this order; those that are gone are left out.
    func clips(_ ids: [Int64]) async throws(StoreError) -> [Clip] {
        let request = FetchRequest(ClipModel.entity, where: .keys(ids))
        let objects = try await container.read { try $0.fetch(request) }
        let byKey = Dictionary(uniqueKeysWithValues: objects.map { ($0.id.key, $0) })
        return ids.compactMap { byKey[$0].map(Clip.init) }
    }
}
