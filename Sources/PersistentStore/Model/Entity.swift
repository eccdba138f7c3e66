/// A kind of object: a table with the columns `id` and `version` and one column per attribute.
public struct Entity: Hashable, Sendable {
    public let name: String
    public let attributes: [Attribute]
    /// Whether commits to this entity are recorded in the history.
    public let tracksHistory: Bool

    public init(_ name: String, attributes: [Attribute], tracksHistory: Bool = true) {
        self.name = name
        self.attributes = attributes
        self.tracksHistory = tracksHistory
    }

    /// Returns the attribute of that name, if the entity has it.
    public func attribute(_ name: String) -> Attribute? {
        attributes.first { $0.name == name }
    }

    /// The attributes whose values the history retains, in deletions or in updates.
    var retainedAttributes: [Attribute] { attributes.filter { !$0.history.isEmpty } }
}
