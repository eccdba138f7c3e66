/// The end of many objects, as one transaction.
public struct BatchDeleteRequest: Sendable {
    public let entity: String
    /// Which objects; all when nil.
    public let predicate: Predicate?
    /// Costs the memory of the ids.
    public var returnsObjectIDs = false

    public init(_ entity: String, where predicate: Predicate? = nil) {
        self.entity = entity
        self.predicate = predicate
    }
}
