import ClipsCore
import FoundationEssentials
import HistoryTracking
import PersistentStore

/// A clip to be selected as soon as it is in the list, and on which screen row.
struct Wanted: Sendable {
    var id: Int64
    var screenRow: Int?
}

/// What the app knows about its messages from the store.
struct ListFeed: Sendable {
    /// Messages of an earlier generation belong to another filter.
    var generation = 0
    /// Another selection was asked for and has not come.
    var isShowing = false
    /// When to ask again after a failure.
    var retryAt: Date?
    var wanted: Wanted?
    var jumpsToFirstMatch = false
    /// The next clip with the words is looked for.
    var isFinding = false
    /// Keys for what was asked for and has not come.
    var typedAhead: [TypedKey] = []
}

/// Messages held back while the list stands still.
struct Pause: Sendable {
    var messages: [ClipListMessage] = []
    var newCount = 0
    /// Too much came to be kept; the list is read anew at the end.
    var isOverfull = false

    static let most = 4000
}

/// How the list and the store stand to each other.
struct SyncStatus: Sendable {
    struct Change: Sendable {
        var author: String
        var inserted: Int
        var updated: Int
        var deleted: Int
        var at: Date

        /// `extension saved 3`, and `cli +3 ~1` where it is more than one kind.
        var told: String {
            let kinds = [(inserted, "+", "saved"), (updated, "~", "changed"), (deleted, "-", "deleted")]
                .filter { $0.0 > 0 }
            guard kinds.count == 1, let only = kinds.first else {
                return "\(author) " + kinds.map { $0.1 + StatusLine.grouped($0.0) }.joined(separator: " ")
            }
            return "\(author) \(only.2) \(StatusLine.grouped(only.0))"
        }
    }

    var state = TrackingState.stopped {
        didSet { if state == .live || state == .polling { hasBeenLive = true } }
    }
    private(set) var hasBeenLive = false
    /// What somebody committed last.
    var lastChange: Change?
    var newestTransaction: Int64 = 0
    /// How far the search index is, while it is made.
    var indexing = ""
}

extension AppState {
    mutating func take(_ message: ClipListMessage) {
        if case .state(let state) = message {
            sync.state = state
            return
        }
        if let note = message.indexingNote {
            sync.indexing = note
            return
        }
        if case .reached(let number) = message {
            sync.newestTransaction = max(sync.newestTransaction, number)
            return
        }
        note(message)
        if pause != nil, hold(message) { return }
        apply(message)
    }

    /// What counts whether or not the list stands still.
    private mutating func note(_ message: ClipListMessage) {
        switch message {
        case .transactions(let transactions):
            history.add(transactions)
            outdateHistory(by: transactions)
            for transaction in transactions { marks.remove(transaction.deletedClips) }
            for transaction in transactions {
                sync.newestTransaction = max(sync.newestTransaction, transaction.id)
                sync.lastChange = SyncStatus.Change(
                    author: transaction.isOwn ? "you" : AuthorName.shown(transaction.author),
                    inserted: transaction.inserted,
                    updated: transaction.updated, deleted: transaction.deleted,
                    at: min(now, transaction.timestamp))
            }
            reloadDetail(after: transactions)
        case .window(let window, _) where window.requestNumber == nil:
            saving.awaited = 0
            // Too much was committed to be told one by one.
            if !feed.isShowing, !history.transactions.isEmpty { emit(.loadHistory(history.filter)) }
            if detail.id != nil { reloadDetail() }
        default: break
        }
    }

    /// Whether a clip is there, and what came after a change, may have changed.
    private mutating func outdateHistory(by transactions: [TransactionSummary]) {
        guard screen == .history, let detail = history.selectedDetail else { return }
        let shown = Set(detail.changes.map(\.clip))
        let concerns = transactions.contains { transaction in
            (transaction.insertedClips + transaction.deletedClips).contains { shown.contains($0) }
                || transaction.lines.contains { shown.contains($0.clip) }
        }
        if concerns { history.outdate() }
    }

    private mutating func reloadDetail(after transactions: [TransactionSummary]) {
        guard let id = detail.id else { return }
        let concerns = transactions.contains { transaction in
            transaction.lines.contains { $0.clip == id }
                || transaction.updated + transaction.deleted > transaction.lines.count
        }
        if concerns { reloadDetail() }
    }

    private mutating func reloadDetail() {
        guard let id = detail.id else { return }
        // What is not on the screen is read again when it is.
        if layout.detail == nil { detail.outdate() } else { emit(.loadClip(id)) }
    }

    private mutating func apply(_ message: ClipListMessage) {
        switch message {
        case .window(let window, feed.generation): take(window)
        case .more(let rows, let direction, let reachedEdge, let number, feed.generation)
        where !feed.isShowing:
            list.extend(with: rows, direction, reachedEdge: reachedEdge, requestNumber: number)
        case .count(let count, feed.generation) where !feed.isShowing: list.setCount(count)
        case .changes(let changes, feed.generation) where !feed.isShowing:
            arrivals.take(changes)
            list.apply(changes: changes)
        case .transactions(let transactions): arrivals.take(transactions, at: now)
        case .failed(let sentence, let number, feed.generation):
            tell(sentence, isError: true)
            feed.retryAt = now + 1
            if let number { list.requestFailed(number: number) }
        default: break
        }
        selectWanted()
    }

    private mutating func selectWanted() {
        guard let wanted = feed.wanted, !feed.isShowing else { return }
        if list.select(id: wanted.id) {
            if let row = wanted.screenRow { list.scroll(by: list.selectedIndex - list.top - row) }
        } else if saving.awaited > sync.newestTransaction {
            return
        }
        feed.wanted = nil
    }

    private mutating func take(_ window: LiveList<ClipRow>.Window) {
        let wasShowing = feed.isShowing
        if window.requestNumber == nil {
            feed.isShowing = false
            arrivals.forget()
        } else if wasShowing {
            return
        }
        let held = list.selectedID
        list.replace(window: window)
        feed.retryAt = nil
        if wasShowing, feed.jumpsToFirstMatch, held == nil || list.selectedID != held { list.moveToStart() }
        feed.jumpsToFirstMatch = false
    }

    /// Asks for another selection. Without an anchor it is shown from its first row.
    mutating func show(_ query: ClipQuery, around anchor: SortPosition?) {
        begin(query)
        emit(.show(query, generation: feed.generation, anchor: anchor))
    }

    /// The same, shown around a clip wherever it is.
    mutating func show(_ query: ClipQuery, aroundClip id: Int64?) {
        guard let id else { return show(query, around: nil) }
        begin(query)
        emit(.showAround(id, query, generation: feed.generation))
    }

    private mutating func begin(_ query: ClipQuery) {
        // A range is a stretch of one list; in another it is marks.
        if query != self.query { marks.closeRange() }
        self.query = query
        feed.generation += 1
        feed.isShowing = true
        feed.retryAt = nil
        // Moves in what was filtered before another letter came.
        if prompt?.kind == .filter { feed.typedAhead.removeAll { $0.isMove } }
        pause?.messages = []
        pause?.isOverfull = false
    }

    mutating func retry() {
        guard let due = feed.retryAt, due <= now else { return }
        feed.retryAt = nil
        if feed.isShowing { show(query, around: list.selectedRow?.position) }
    }

    mutating func askForRows() {
        // While messages are held back an answer could not be put in its place.
        guard list.isLoaded, !feed.isShowing, feed.retryAt == nil, pause?.messages.isEmpty ?? true,
            pause?.isOverfull != true
        else { return }
        while let request = list.nextRequest() {
            emit(.answer(request, generation: feed.generation, anchor: list.selectedRow?.position))
        }
    }
}

extension AppState {
    mutating func togglePause() {
        guard let ended = pause else {
            pause = Pause()
            return
        }
        pause = nil
        if ended.isOverfull {
            show(query, around: list.selectedRow?.position)
        } else {
            for message in ended.messages { apply(message) }
        }
    }

    /// Keeps a message for the end of the pause; false for one that can be shown at once.
    private mutating func hold(_ message: ClipListMessage) -> Bool {
        var isOwn = false
        let isCurrent = pause?.messages.isEmpty ?? true && pause?.isOverfull != true
        switch message {
        case .window(let window, _):
            // The person's own filter is shown, whatever is held, and so is where they went.
            if feed.isShowing || isCurrent && window.requestNumber != nil { return false }
        case .more, .count, .failed: if feed.isShowing || isCurrent { return false }
        case .changes:
            // The list that is to come has them already.
            if feed.isShowing { return false }
        case .transactions(let transactions):
            isOwn = transactions.contains(where: \.isOwn)
            pause?.newCount += transactions.filter { !$0.isOwn }.reduce(0) { $0 + $1.inserted }
        case .state, .reached, .indexing: break
        }
        guard pause?.isOverfull != true else {
            if isOwn { show(query, around: list.selectedRow?.position) }
            return true
        }
        pause?.messages.append(message)
        if isOwn {
            // What the person does must be seen, and it cannot be told apart from what came before it.
            let held = pause?.messages ?? []
            pause?.messages = []
            for message in held { apply(message) }
        } else if (pause?.messages.count ?? 0) > Pause.most {
            pause?.messages = []
            pause?.isOverfull = true
        }
        return true
    }
}
