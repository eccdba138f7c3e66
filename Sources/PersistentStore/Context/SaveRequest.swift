/// What a context wants committed.
struct SaveRequest: Sendable {
    enum Operation: Sendable {
        case insert(temporary: ObjectID, values: [String: Value])
        /// - Parameter version: what the change was made on; nil takes whatever is there.
        case update(ObjectID, changes: [String: Value], version: Int64?)
        case delete(ObjectID, version: Int64?)

        var entity: String {
            switch self {
            case .insert(let id, _), .update(let id, _, _), .delete(let id, _): id.entity
            }
        }
    }

    let author: String?
    let contextName: String?
    let session: Int64
    var operations: [Operation]
    /// Moved in the same commit, so that work and cursor are one.
    var cursor: CursorMove?
    /// Answered in the same transaction, before the operations.
    var lookup: FetchRequest?
}

/// A consumer's cursor and where it goes.
struct CursorMove: Sendable {
    let consumer: String
    let token: HistoryToken
}

/// What a save did.
public struct SaveResult: Sendable {
    /// The position of the new transaction; nil when nothing had changed.
    public let token: HistoryToken?
    /// The permanent ids of inserted objects, by their temporary ones.
    public let insertedIDs: [ObjectID: ObjectID]
    /// What the save's lookup found.
    package let found: [StoredObject]

    /// The permanent id of an object.
    public func permanentID(_ id: ObjectID) -> ObjectID { insertedIDs[id] ?? id }
}
