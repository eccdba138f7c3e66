import Platform
import Synchronization

/// The columns of the attributes that requests fetch, as SQL text and as the layout of the objects. Writing them
/// takes longer than reading one object.
final class SelectionCache: Sendable {
    struct Selection: Sendable {
        let columns: String
        let layout: StoredObject.Layout
        /// The statements that find objects by one key, and by a JSON array of keys.
        let byKey: String
        let byKeys: String
        fileprivate let entity: String
        fileprivate let attributes: [String]?
    }

    private let known = Mutex<[Selection]>([])

    /// Larger than the number of combinations that a program requests.
    private static let maxKnown = 64

    /// Returns the columns of attributes; nil for all.
    ///
    /// - Complexity: A comparison for each known combination, which is one of addresses for the same array.
    func selection(of attributes: [String]?, _ entity: EntityDescription) throws(StoreError) -> Selection {
        let found = known.withLock { known in
            known.first { $0.attributes == attributes && $0.entity == entity.name }
        }
        if let found { return found }
        let names = attributes ?? entity.attributes.map(\.name)
        for name in names where entity.attribute(name) == nil {
            throw .unknownAttribute(name, entity: entity.name)
        }
        let columns = "id, version" + names.map { ", " + StoreSchema.qualified($0, of: entity) }.joined()
        let (source, order) = ("FROM \(entity.source) WHERE", SortOrder([], of: entity))
        let clause = order.clause(entity, isReversed: false)
        let selection = Selection(
            columns: columns, layout: StoredObject.Layout(names: names, hasVersions: entity.attached == nil),
            byKey: "SELECT \(columns) \(source) (\(ObjectPredicate.hasKey))\(clause)",
            byKeys: "SELECT \(columns) \(source) (\(ObjectPredicate.hasOneOfKeys))\(clause)",
            entity: entity.name, attributes: attributes)
        known.withLock { if $0.count < Self.maxKnown { $0.append(selection) } }
        return selection
    }
}
