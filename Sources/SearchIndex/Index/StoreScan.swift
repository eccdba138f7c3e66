import PersistentStore

/// Reads objects from the store itself, newest first.
struct StoreScan {
    let index: SearchIndex
    let snapshot: StoreSnapshot
    /// Objects passed over in one step at most, where SQLite compares the flags.
    let stretch: Int

    init(_ index: SearchIndex, _ snapshot: StoreSnapshot, _ bounds: SearchBounds) {
        self.index = index
        self.snapshot = snapshot
        stretch = min(20_000, max(1, bounds.mostRead))
    }

    func documents(_ places: [SearchPlace]) throws -> [SearchDocument] {
        guard !places.isEmpty else { return [] }
        var request = FetchRequest(index.schema.entity, where: .keys(places.map(\.id)))
        request.attributes = index.schema.attributes
        return try snapshot.fetch(request).map { SearchDocument($0, index.schema) }.sorted {
            $0.place > $1.place
        }
    }

    /// The next objects, and where they end; nil at the end of the store. Those that the flags leave out are not
    /// read, and of them no more are passed over than others can wait for.
    func next(_ count: Int, after place: SearchPlace, flags: SearchFlags) throws -> (
        documents: [SearchDocument], end: SearchPlace?
    ) {
        let schema = index.schema
        var request = FetchRequest(schema.entity, where: flags.predicate(schema), sort: schema.newestFirst)
        request.attributes = schema.attributes
        request.after = position(place)
        // The few that have a star are found by themselves.
        let isDirect = flags.isEmpty || flags.starred == true
        let last = isDirect ? nil : try end(after: place)
        request.limit = count
        request.before = last.map { position(SearchPlace(created: $0.created, id: $0.id - 1)) }
        let documents = try snapshot.fetch(request).map { SearchDocument($0, schema) }
        return (documents, documents.count == count ? documents.last?.place : last)
    }

    /// The place some way on; nil when the end of the store comes before it.
    private func end(after place: SearchPlace) throws -> SearchPlace? {
        var request = FetchRequest(index.schema.entity, sort: index.schema.newestFirst, limit: 1)
        request.attributes = [index.schema.created]
        request.after = position(place)
        request.offset = stretch - 1
        return try snapshot.fetch(request).first.map {
            SearchPlace(created: $0[index.schema.created].integerValue ?? 0, id: $0.id.key)
        }
    }

    private func position(_ place: SearchPlace) -> SortPosition {
        snapshot.position(
            of: ObjectID(entity: index.schema.entity, key: place.id), value: .integer(place.created),
            in: index.schema.newestFirst)
    }
}
