import PersistentStore

/// The changes of a step's clips after the step, by all but the step itself and the parts of its undo.
///
/// The history is read once for all parts of an undo, and continued from there with the write lock. Only the numbers of
/// the changes are in memory.
struct LaterChanges {
    /// What later changes replaced in a clip.
    struct Values {
        /// The values after the step, of the attributes that changed later.
        private(set) var left: [String: AttributeValue] = [:]
        /// The attributes that another session than that of the step and its undo set last.
        private(set) var foreign: Set<String> = []
        /// The clip when it was first deleted: another clip may have its ID now, and it another ID.
        private(set) var tombstone: [String: AttributeValue]?
        /// Whether the last change was by another session.
        private(set) var endsForeign = false
        /// The last author of each attribute.
        private(set) var authors: [String: String?] = [:]

        /// Those of a clip that has another ID now, without what happened to the clip that has its ID.
        var ofMovedClip: Values {
            var values = self
            (values.foreign, values.authors) = ([], [:])
            return values
        }

        fileprivate mutating func add(_ change: HistoryChange, by author: String?, isForeign: Bool) {
            let replaced = change.kind == .delete ? change.tombstone ?? [:] : change.oldValues
            left.merge(replaced) { first, _ in first }
            tombstone = tombstone ?? change.tombstone
            // A deleted clip returns as it was.
            if change.kind == .update {
                for name in replaced.keys { authors.updateValue(author, forKey: name) }
                if isForeign { foreign.formUnion(replaced.keys) } else { foreign.subtract(replaced.keys) }
            }
            endsForeign = isForeign
        }
    }

    private let clips: Set<Int64>
    private let others: TransactionPredicate?
    private let undo: (author: String, work: String?)
    /// The session whose own step is undone; nil for a step of another one.
    private let session: Int64?
    private var changes: [Int64: [(number: Int64, author: String?, isForeign: Bool)]] = [:]
    /// The position up to which the history was read.
    var end: HistoryToken

    /// Creates no changes, which ``read(in:)`` finds.
    ///
    /// - Parameters:
    ///   - author: The author of the undo.
    ///   - work: The context name of the undo, without its step.
    ///   - session: That of the undo.
    init?(of step: UndoPieces, author: String, work: String?, session: Int64) {
        guard let first = step.pieces.first else { return nil }
        (clips, others, end) = (step.clips, step.others, first.token)
        self.session = step.session == session ? session : nil
        undo = (author, work)
    }

    /// Reads the changes from the end on.
    mutating func read(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        var (transaction, isOwn, author, isForeign) = (Int64?.none, false, String?.none, false)
        var found = self
        let request = HistoryFetchRequest(.after(end), where: others, changes: .entity(ClipModel.entity))
        try snapshot.forEachChange(request) { change, origin in
            if transaction != origin.number {
                transaction = origin.number
                isOwn = origin.author == found.undo.author && found.isPart(origin.contextName)
                let window = StepName(origin.contextName).window
                author = origin.author.map { AuthorName.shown($0, window: window) }
                // An undo restores an earlier state.
                let isUndo = UndoHistory.Role(contextName: origin.contextName).isUndo
                isForeign = found.session != nil && origin.session != found.session && !isUndo
            }
            let key = change.objectID.key
            if !isOwn, found.clips.contains(key) {
                found.changes[key, default: []].append((change.number, author, isForeign))
            }
            return true
        }
        found.end = try snapshot.newestToken()
        self = found
    }

    private func isPart(_ contextName: String?) -> Bool {
        let name = StepName(contextName)
        return name.start != nil && name.work == undo.work
    }

    /// Returns what the changes after a transaction replaced, for each clip that has any.
    func values(
        of ids: [Int64], after token: HistoryToken, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> [Int64: Values] {
        var values: [Int64: Values] = [:]
        var origins: [Int64: (author: String?, isForeign: Bool)] = [:]
        for id in ids {
            for change in changes[id] ?? [] where change.number > token.number {
                values[id] = Values()
                origins[change.number] = (change.author, change.isForeign)
            }
        }
        try snapshot.forEachChange(numbered: origins.keys.sorted()) { change in
            guard let (author, isForeign) = origins[change.number] else { return }
            values[change.objectID.key]?.add(change, by: author, isForeign: isForeign)
        }
        return values
    }
}

extension ClipAttribute {
    /// The attributes of which a clip that exists has the same as a deleted one, if it is that clip under another ID:
    /// another program may give its UUID to other contents.
    static let identifying: [ClipAttribute] = [.uuid, .url, .title, .text, .note]

    static func identity(_ values: [String: AttributeValue]) -> [AttributeValue] {
        identifying.map { values[$0.rawValue] ?? .null }
    }
}
