/// Names one object of a store; a key is never given to a second object.
public struct ObjectID: Hashable, Codable, Sendable {
    public let entity: String
    /// Positive in the store; negative for an object that was inserted and not saved yet.
    public let key: Int64

    public init(entity: String, key: Int64) {
        self.entity = entity
        self.key = key
    }

    /// False until the object has been saved.
    public var isPermanent: Bool { key > 0 }
}

extension ObjectID: CustomStringConvertible {
    public var description: String { "\(entity) \(key)" }
}
