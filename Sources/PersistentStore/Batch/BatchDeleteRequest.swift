/// A deletion of many objects as one transaction.
public struct BatchDeleteRequest: Sendable {
    public let entity: String
    /// The condition on objects; nil deletes all.
    public let predicate: Predicate?
    /// Whether to return the IDs of the objects, which costs their memory.
    public var returnsObjectIDs = false

    public init(_ entity: String, where predicate: Predicate? = nil) {
        self.entity = entity
        self.predicate = predicate
    }
}
