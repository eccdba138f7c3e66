/// One insert, update, or delete of one object.
public struct HistoryChange: Hashable, Sendable {
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    /// The number of the change, which rises over all transactions.
    public let number: Int64
    public let kind: Kind
    public let objectID: ObjectID
    /// The attributes that an update changed, in the order of the model; empty for inserts and deletes.
    public let updatedAttributes: [String]
    /// The values retained from a deleted object: those of the attributes that are preserved after deletion.
    public let tombstone: [String: Value]?
    /// The values that an update replaced, for the attributes that record old values.
    public let oldValues: [String: Value]
}

extension HistoryChange.Kind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .insert: "insert"
        case .update: "update"
        case .delete: "delete"
        }
    }
}
