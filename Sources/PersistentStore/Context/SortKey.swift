/// An attribute by which objects are sorted; null sorts before every value.
///
/// Objects with equal values in all sort keys are sorted by their key, in the direction of the last one.
/// ``SortKey/id`` sorts by that key directly.
public struct SortKey: Hashable, Sendable {
    public let attribute: String
    public let isAscending: Bool

    public init(_ attribute: String, isAscending: Bool = true) {
        self.attribute = attribute
        self.isAscending = isAscending
    }

    /// The order in which the objects were inserted.
    public static let id = SortKey("id")
}

/// The total order that sort keys define for the objects of one entity.
package struct SortOrder: Hashable, Sendable {
    package struct Component: Hashable, Sendable {
        package let attribute: String
        let isAscending: Bool
        let ignoresCase: Bool

        package init(_ attribute: String, isAscending: Bool, ignoresCase: Bool) {
            self.attribute = attribute
            self.isAscending = isAscending
            self.ignoresCase = ignoresCase
        }
    }

    /// The attributes that are compared before the keys.
    package let components: [Component]
    let isKeyAscending: Bool

    package init(_ components: [Component], isKeyAscending: Bool) {
        self.components = components
        self.isKeyAscending = isKeyAscending
    }

    /// Creates the order of sort keys. Those after `id` have no effect, since no two objects share it.
    package init(_ sort: [SortKey], of entity: EntityDescription?) {
        let attributes = sort.prefix { $0.attribute != "id" }
        components = attributes.map { key in
            Component(
                key.attribute, isAscending: key.isAscending,
                ignoresCase: entity?.attribute(key.attribute)?.ignoresCase ?? false)
        }
        isKeyAscending = sort.dropFirst(attributes.count).first?.isAscending ?? sort.last?.isAscending ?? true
    }

    package func position(of object: StoredObject) -> SortPosition {
        SortPosition(components.map { object[$0.attribute] }, key: object.id.key, in: self)
    }

    /// Returns the position of an object with these values; an attribute without a value counts as null.
    package func position(of key: Int64, _ values: [String: AttributeValue]) -> SortPosition {
        SortPosition(components.map { values[$0.attribute] ?? .null }, key: key, in: self)
    }
}
