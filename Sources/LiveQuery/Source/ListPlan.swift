import PersistentStore

/// The way in which the rows of a list and its changes are found.
struct ListPlan: Sendable {
    /// The rows of the list, with the attributes of its order.
    let request: FetchRequest
    let order: SortOrder
    /// The attributes of a row, and those that decide whether the list contains it; nil for all.
    let changedAttributes: [String]?
    /// Whether the history records every value on which the position and the presence of an object depend,
    /// so that the earlier ones can be derived from it. Otherwise, a window is read after each change.
    let isRecorded: Bool
    /// Whether an index of the store has the order of the list. Otherwise, the order is in memory.
    let hasIndex: Bool

    init(_ query: FetchRequest, _ model: StoreModel) {
        let entity = model.entity(query.entity)
        let order = SortOrder(query.sort, of: entity)
        let sorted = order.components.map(\.attribute)
        var request = FetchRequest(query.entity, where: query.predicate, sort: query.sort)
        request.attributes = query.attributes.map { names in names + sorted.filter { !names.contains($0) } }
        let compared = entity.flatMap { query.predicate?.attributes(of: $0) } ?? []
        changedAttributes = request.attributes.map { Array(Set($0 + compared.filter { $0 != "id" })) }
        let isRecorded = (compared + sorted).allSatisfy { name in
            let history = entity?.attribute(name)?.history ?? []
            return name == "id" || history.isSuperset(of: [.preservesValueOnDeletion, .recordsOldValue])
        }
        self.request = request
        self.order = order
        self.isRecorded = isRecorded
        hasIndex = isRecorded && entity.map { order.isIndexed($0, where: query.predicate) } ?? false
    }
}
