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
        private(set) var authors: [String?] = []

        fileprivate mutating func add(_ change: HistoryChange) {
            let replaced = change.kind == .delete ? change.tombstone ?? [:] : change.oldValues
            left.merge(replaced) { first, _ in first }
        }

        fileprivate mutating func add(_ author: String?) {
            if !authors.contains(author) { authors.append(author) }
        }
    }

    private let clips: Set<Int64>
    private let others: TransactionPredicate?
    private let undo: (author: String, work: String?)
    private var changes: [Int64: [(number: Int64, author: String?)]] = [:]
    /// The position up to which the history was read.
    var end: HistoryToken

    /// Creates no changes, which ``read(in:)`` finds.
    ///
    /// - Parameters:
    ///   - author: The author of the undo.
    ///   - work: The context name of the undo, without its step.
    init?(of step: UndoPieces, author: String, work: String?) {
        guard let first = step.pieces.first else { return nil }
        (clips, others, end) = (step.clips, step.others, first.token)
        undo = (author, work)
    }

    /// Reads the changes from the end on.
    mutating func read(in snapshot: borrowing StoreSnapshot) throws(StoreError) {
        var (transaction, isOwn, author) = (Int64?.none, false, String?.none)
        var found = self
        let request = HistoryFetchRequest(.after(end), where: others, changes: .entity(ClipModel.entity))
        try snapshot.forEachChange(request) { change, origin in
            if transaction != origin.number {
                transaction = origin.number
                isOwn = origin.author == found.undo.author && found.isPart(origin.contextName)
                let window = StepName(origin.contextName).window
                author = origin.author.map { AuthorName.shown($0, window: window) }
            }
            let key = change.objectID.key
            if !isOwn, found.clips.contains(key) {
                found.changes[key, default: []].append((change.number, author))
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
        var numbers: [Int64] = []
        for id in ids {
            for change in changes[id] ?? [] where change.number > token.number {
                values[id, default: Values()].add(change.author)
                numbers.append(change.number)
            }
        }
        try snapshot.forEachChange(numbered: numbers.sorted()) { change in
            values[change.objectID.key]?.add(change)
        }
        return values
    }
}
