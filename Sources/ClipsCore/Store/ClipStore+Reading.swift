import PersistentStore

extension ClipStore {
    /// Hands over the clips of a query in its order, reading them a page at a time.
    package func forEachClip(
        _ query: ClipQuery, limit: Int = .max, _ body: (Clip) throws -> Void
    ) async throws {
        var request = query.request
        request.attributes = nil
        var left = limit
        while left > 0 {
            request.limit = min(left, 200)
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
}
