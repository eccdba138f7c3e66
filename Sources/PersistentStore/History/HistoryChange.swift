/// One insert, update or delete of one object.
public struct HistoryChange: Hashable, Sendable {
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
        case insert = 0
        case update = 1
        case delete = 2
    }

    /// Rises from change to change, over all transactions.
    public let number: Int64
    public let kind: Kind
    public let objectID: ObjectID
    /// The attributes that an update changed, in the order of the model; empty for inserts and deletes.
    public let updatedAttributes: [String]
    /// What was kept of a deleted object: the attributes that ask for it, with their types.
    public let tombstone: [String: Value]?
    /// What an update replaced, for the attributes that ask for it.
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
