/// The values of one object as they were read.
public struct StoredObject: Hashable, Sendable, Identifiable {
    /// The index of each value; shared by all objects of one fetch.
    package final class Layout: Hashable, Sendable {
        package let names: [String]
        /// Whether each change of an object raises its version. Otherwise, the version is the state in which it was read.
        let hasVersions: Bool
        private let indexes: [String: Int]

        package init(names: [String], hasVersions: Bool = true) {
            (self.names, self.hasVersions) = (names, hasVersions)
            indexes = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        }

        package func index(of name: String) -> Int? { indexes[name] }

        package static func == (left: Layout, right: Layout) -> Bool { left.names == right.names }
        package func hash(into hasher: inout Hasher) { hasher.combine(names) }
    }

    /// A version that no object in a store has.
    static let noVersion: Int64 = 0
    /// The version of a new object.
    static let firstVersion: Int64 = 1

    public let id: ObjectID
    /// The version, which rises from 1 with every save of the object, even if it was deleted and restored. A row of
    /// another program's table has none: there it is the position in the history up to which the row is known.
    public let version: Int64
    package let layout: Layout
    package private(set) var stored: [AttributeValue]

    package init(id: ObjectID, version: Int64, layout: Layout, values: [AttributeValue]) {
        self.id = id
        self.version = version
        self.layout = layout
        stored = values
    }

    /// Returns the value of an attribute; null for an attribute that was not fetched.
    public subscript(_ attribute: String) -> AttributeValue {
        layout.index(of: attribute).map { stored[$0] } ?? .null
    }

    /// All fetched values, by attribute.
    public var values: [String: AttributeValue] {
        Dictionary(uniqueKeysWithValues: zip(layout.names, stored))
    }

    public static func == (left: StoredObject, right: StoredObject) -> Bool {
        left.id == right.id && (left.version == right.version || !left.layout.hasVersions)
            && (left.layout === right.layout || left.layout == right.layout) && left.stored == right.stored
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(stored)
    }

    mutating func set(_ changes: [String: AttributeValue]) {
        for (name, value) in changes {
            if let index = layout.index(of: name) { stored[index] = value }
        }
    }
}
