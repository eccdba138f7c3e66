import PersistentStore

/// Reads objects from the store itself, newest first.
struct StoreScan {
    let index: SearchIndex
    let snapshot: StoreSnapshot

    func documents(_ places: [SearchPlace]) throws -> [SearchDocument] {
        guard !places.isEmpty else { return [] }
        var request = FetchRequest(index.schema.entity, where: .keys(places.map(\.id)))
        request.attributes = index.schema.attributes
        return try snapshot.fetch(request).map { SearchDocument($0, index.schema) }.sorted {
            $0.place > $1.place
        }
    }

    func next(_ count: Int, after place: SearchPlace) throws -> [SearchDocument] {
        let schema = index.schema
        var request = FetchRequest(schema.entity, sort: schema.newestFirst, limit: count)
        request.attributes = schema.attributes
        request.after = snapshot.position(
            of: ObjectID(entity: schema.entity, key: place.id), value: .integer(place.created),
            in: schema.newestFirst)
        return try snapshot.fetch(request).map { SearchDocument($0, schema) }
    }
}
