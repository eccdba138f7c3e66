package import PersistentStore

/// The texts of objects that belong to a searched object, such as the quotes of a clip.
package struct AttachedTexts: Hashable, Sendable {
    let entity: String
    /// The attribute with the identifier of the searched object.
    let reference: String
    /// The attribute of the searched entity that contains it.
    let identifier: String
    let texts: [String]

    package init(entity: String, reference: String, identifier: String, texts: [String]) {
        (self.entity, self.reference, self.identifier, self.texts) = (entity, reference, identifier, texts)
    }

    func identifier(of object: StoredObject) -> AttributeValue { object[identifier] }

    /// Returns the texts by the identifiers of the objects to which they belong.
    package func texts(
        of objects: [StoredObject], in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [AttributeValue: [String]] {
        guard !objects.isEmpty else { return [:] }
        let request = FetchRequest(
            entity, where: .isOneOf(reference, objects.map { $0[identifier] }), sort: [SortKey("id")])
        var found: [AttributeValue: [String]] = [:]
        for object in try snapshot.fetch(request) {
            found[object[reference], default: []] += texts.compactMap { object[$0].textValue }
        }
        return found
    }

    /// Returns the objects to which changed ones belong, or belonged.
    func owners(
        of changes: [HistoryChange], _ owner: String, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Int64] {
        guard !changes.isEmpty else { return [] }
        let present = try snapshot.fetch(
            FetchRequest(entity, where: .keys(changes.map(\.objectID.key))))
        let earlier = changes.compactMap { $0.tombstone?[reference] ?? $0.oldValues[reference] }
        let identifiers = Set(present.map { $0[reference] } + earlier)
        let request = FetchRequest(owner, where: .isOneOf(identifier, Array(identifiers)), attributes: [])
        return try snapshot.fetch(request).map(\.id.key)
    }
}

extension StoreSnapshot {
    /// Returns the documents of objects in their order.
    package func documents(
        _ objects: [StoredObject], _ schema: SearchSchema
    ) throws(StoreError) -> [SearchDocument] {
        let attached = try schema.attached?.texts(of: objects, in: self) ?? [:]
        return objects.map { object in
            let texts = schema.attached.flatMap { attached[$0.identifier(of: object)] }
            return SearchDocument(object, schema, attached: texts ?? [])
        }
    }
}
