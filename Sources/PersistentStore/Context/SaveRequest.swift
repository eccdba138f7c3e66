/// What a context wants committed.
struct SaveRequest: Sendable {
    enum Operation: Sendable {
        case insert(temporary: ObjectID, values: [String: Value])
        case update(ObjectID, changes: [String: Value], ChangeBasis)
        case delete(ObjectID, ChangeBasis)

        var entity: String {
            switch self {
            case .insert(let id, _), .update(let id, _, _), .delete(let id, _): id.entity
            }
        }
    }

    let origin: TransactionOrigin
    var operations: [Operation]
    var policy = MergePolicy.error
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
    /// What was saved by the context's merge policy although somebody else had saved it meanwhile.
    public var settledConflicts: [SaveConflict] { outcomes.compactMap(\.conflict) }
    /// What the save's lookup found.
    package let found: [StoredObject]
    let outcomes: [SaveOutcome]

    /// The versions that the saved objects have now, by their permanent ids.
    public var versions: [ObjectID: Int64] {
        let pairs = outcomes.compactMap { outcome in outcome.object.map { ($0.id, $0.version) } }
        return Dictionary(pairs) { $1 }
    }
    /// The rows of history that it wrote.
    var recorded: ClosedRange<Int64>?

    /// The permanent id of an object.
    public func permanentID(_ id: ObjectID) -> ObjectID { insertedIDs[id] ?? id }
}
