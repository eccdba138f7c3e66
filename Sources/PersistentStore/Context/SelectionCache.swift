import Synchronization

/// The columns of the attributes that requests fetch, as SQL text and as the layout of the objects. Writing them
/// takes longer than reading one object.
final class SelectionCache: Sendable {
    struct Selection: Sendable {
        let columns: String
        let layout: StoredObject.Layout
    }

    private struct Key: Hashable {
        let entity: String
        let attributes: [String]?
    }

    private let known = Mutex<[Key: Selection]>([:])

    /// Larger than the number of combinations that a program requests.
    private static let maxKnown = 64

    /// Returns the columns of attributes; nil for all.
    func selection(of attributes: [String]?, _ entity: EntityDescription) throws(StoreError) -> Selection {
        let key = Key(entity: entity.name, attributes: attributes)
        if let selection = known.withLock({ $0[key] }) { return selection }
        let names = attributes ?? entity.attributes.map(\.name)
        for name in names where entity.attribute(name) == nil {
            throw .unknownAttribute(name, entity: entity.name)
        }
        let selection = Selection(
            columns: "id, version" + names.map { ", " + StoreSchema.qualified($0, of: entity) }.joined(),
            layout: StoredObject.Layout(names: names))
        known.withLock { if $0.count < Self.maxKnown { $0[key] = selection } }
        return selection
    }
}
