/// The same new values for many objects, as one transaction.
public struct BatchUpdateRequest: Sendable {
    public let entity: String
    /// Which objects; all when nil.
    public let predicate: Predicate?
    public let values: [String: Value]
    /// Costs the memory of the ids.
    public var returnsObjectIDs = false

    public init(_ entity: String, where predicate: Predicate? = nil, set values: [String: Value]) {
        self.entity = entity
        self.predicate = predicate
        self.values = values
    }
}
