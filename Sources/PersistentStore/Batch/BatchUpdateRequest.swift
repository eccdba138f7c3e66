/// An update of many objects with the same new values as one transaction.
public struct BatchUpdateRequest: Sendable {
    public let entity: String
    /// The condition on objects; nil updates all.
    public let predicate: Predicate?
    public let values: [String: Value]
    /// Whether to return the IDs of the objects, which costs their memory.
    public var returnsObjectIDs = false

    public init(_ entity: String, where predicate: Predicate? = nil, set values: [String: Value]) {
        self.entity = entity
        self.predicate = predicate
        self.values = values
    }
}
