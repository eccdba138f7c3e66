/// The ID of one object of a store; a key is never reused.
public struct ObjectID: Hashable, Codable, Sendable {
    public let entity: String
    /// The key: positive in the store, negative for an inserted object that is not saved yet.
    public let key: Int64

    public init(entity: String, key: Int64) {
        self.entity = entity
        self.key = key
    }

    /// Whether the object has been saved.
    public var isPermanent: Bool { key > 0 }
}

extension ObjectID: CustomStringConvertible {
    public var description: String { "\(entity) \(key)" }
}
