import ClipsCore
import FoundationEssentials
import LiveQuery
import PersistentStore
import Platform

/// The state of the list screen: the clips, the query they match, and the requests for more of them.
struct ListState: Sendable {
    /// A view to return to.
    struct Origin: Sendable {
        let query: ClipQuery
        fileprivate let clip: Int64?
        fileprivate let screenRow: Int
        let position: SortPosition?

        var selection: PendingSelection? { clip.map { PendingSelection(id: $0, screenRow: screenRow) } }
    }

    var clips = LiveList<ClipRow>(height: 1)
    /// The clip under the cursor and its index before the list was read again, until it is in the new rows, and the
    /// number of ranked clips, if they may have another order.
    private var refreshed: (id: Int64, index: Int, count: Int?)?
    /// The rows by which the cursor moved then, and the earlier number of clips, until the new one is known.
    private var moved: (rows: Int, count: Int)?
    var query = ClipQuery()
    var deviation = SearchDeviation()
    /// The query of the clips in the list.
    var shownQuery: ClipQuery {
        var shown = query
        if let correction = deviation.correction { shown.filter = correction }
        return shown
    }
    var feed = ListFeed()
    /// The clips that the empty list does not show; nil until they are known.
    var hidden: HiddenClips?
    /// The newest transaction when ``hidden`` was requested.
    private var hiddenRequest: Int64?
    var arrivals = Arrivals()
    var excerpts = Excerpts()
    var marks = Marks()
    var pause: Pause?
    /// The words of the last filter.
    var lastWords = ""
    var beforeFilter: Origin?

    /// Whether every message so far has been applied, and none is held for the end of a pause.
    var isCurrent: Bool { pause.map { $0.messages.isEmpty && !$0.hasOverflowed } ?? true }

    /// Whether the rows of a query are complete and no request is under way.
    var isSettled: Bool {
        clips.isLoaded && (clips.isCounted || feed.retryAt != nil) && !feed.isLoading
    }

    /// The view to return to when filtering is canceled.
    var origin: Origin {
        let row = clips.staysAtStart ? nil : clips.selectedRow
        return Origin(
            query: query, clip: row?.id, screenRow: clips.selectedIndex - clips.top, position: row?.position)
    }

    /// Whether to read the clips that the list does not show, once for each transaction that leaves it empty.
    mutating func requestsHidden(after transaction: Int64) -> Bool {
        guard clips.isLoaded, clips.count == 0, query.admitsAll, hiddenRequest != transaction else {
            return false
        }
        hiddenRequest = transaction
        return true
    }

    mutating func begin(_ query: ClipQuery) {
        (refreshed, moved) = (nil, nil)
        // A range belongs to one list; in another its clips are marks.
        if query != self.query { marks.changeList() }
        feed.isReload = query == self.query && (feed.isReload || !feed.isLoading)
        self.query = query
        deviation = SearchDeviation()
        feed.generation += 1
        (feed.isLoading, feed.retryAt, feed.anchorIndex, feed.anchorID) = (true, nil, 0, nil)
        if pause != nil { pause = Pause() }
    }

    mutating func apply(_ window: LiveList<ClipRow>.Window) {
        let wasLoading = feed.isLoading
        if window.requestNumber == nil {
            // Until a clip is found, or all are searched, the list shows those before the filter.
            guard !window.rows.isEmpty || window.reachesEnd else { return }
            if wasLoading, !feed.isReload {
                arrivals.reset()
            } else {
                arrivals.refresh(top: clips.row(at: clips.top)?.position)
            }
            feed.isLoading = false
        } else if wasLoading {
            return
        }
        let (held, index) = (clips.selectedID, clips.selectedIndex)
        // Only the order by relevance changes without new clips.
        let count = query.isRanked ? clips.isCounted ? clips.count : .max : nil
        if !wasLoading { marks.note(clips.rows) }
        clips.replace(window: window, isRefresh: !wasLoading || feed.isReload)
        feed.retryAt = nil
        if window.requestNumber == nil, !wasLoading || feed.isReload, let held, !clips.staysAtStart {
            refreshed = refreshed ?? (held, index - (moved?.rows ?? 0), moved?.count ?? count)
            moved = nil
        }
        // The row of the cursor may arrive after a further request.
        if let refreshed, clips.selectedRow?.id == refreshed.id {
            let rows = clips.selectedIndex - refreshed.index
            if let count = refreshed.count { moved = (rows, count) } else { arrivals.addUnreported(rows) }
            self.refreshed = nil
        }
        addMoved()
        // The best match is selected until the user selects another one.
        let isStaying = held != nil && clips.selectedID == held && (feed.hasMoved || !query.isRanked)
        if wasLoading, feed.jumpsToFirstMatch, !isStaying { clips.stayAtStart() }
        feed.jumpsToFirstMatch = false
    }

    /// Whether the row of the cursor is still to be found in a list that was read again.
    var seeksCursor: Bool { refreshed != nil && clips.isAwaitingCursor }

    mutating func setCount(_ count: Int) {
        clips.setCount(count)
        addMoved()
    }

    /// Counts the rows that moved the cursor as new ones, except those that were only in another order.
    private mutating func addMoved() {
        guard let moved, clips.isCounted else { return }
        arrivals.addUnreported(min(moved.rows, clips.count - moved.count))
        self.moved = nil
    }
}

/// A clip to select once it is in the list, and its row on the screen.
struct PendingSelection: Sendable {
    var id: Int64
    var screenRow: Int?
    /// The lists to show in turn while none has the clip.
    var elsewhere: [ClipQuery] = []
    /// What to return to if none has it.
    var origin: ListState.Origin?
    /// A URL that is not saved because the clip has it.
    var url: String?
}

/// The requests of the list to the store.
struct ListFeed: Sendable {
    /// The number of the current query. Messages of earlier generations are ignored.
    var generation = 0
    /// Whether a query was sent whose rows have not arrived.
    var isLoading = false
    /// Whether that is the query of the rows on the screen.
    var isReload = false
    /// The index of the row around which the store reads the list again, and its clip.
    var anchorIndex = 0
    var anchorID: Int64?
    /// The time of the next attempt after a failure.
    var retryAt: Date?
    var pendingSelection: PendingSelection?
    var jumpsToFirstMatch = false
    /// Whether the user has moved in the list while typing a filter.
    var hasMoved = false
    /// Whether clips are searched in the store, for the next match or for marks.
    var isSearching = false
    /// The clip from which the next unread one is searched, which an action may have removed from the list.
    var searchStart: Int64?
}

/// Messages held back while live updates are paused.
struct Pause: Sendable {
    private(set) var messages: [LiveMessage<ClipRow>] = []
    /// The clips that the end of the pause adds to the list.
    private var arrivals: Set<Int64> = []
    /// The clips that were saved during the pause: one that the list shows had their ID before.
    private(set) var saved: Set<Int64> = []
    /// Whether the list was read again, so that its new clips are unknown.
    private var isReadAgain = false
    /// Whether messages were dropped, so that the end of the pause requires a full refresh.
    private(set) var hasOverflowed = false

    static let maxMessages = 4000

    /// What the end of the pause shows, such as "3 new"; nil if nothing is held.
    var news: String? {
        if isReadAgain { return "changed" }
        return arrivals.isEmpty ? nil : "\(arrivals.count.grouped) new"
    }

    mutating func count(_ message: LiveMessage<ClipRow>) {
        switch message {
        case .changes(let changes, _):
            for change in changes {
                if change.new == nil {
                    arrivals.remove(change.id)
                } else if change.old == nil {
                    arrivals.insert(change.id)
                }
            }
        case .transactions(let transactions):
            saved.formUnion(transactions.lazy.filter { $0.role == .work }.flatMap(\.insertedClips))
        case .window: isReadAgain = true
        default: break
        }
    }

    mutating func hold(_ message: LiveMessage<ClipRow>) {
        messages.append(message)
        guard messages.count > Self.maxMessages else { return }
        (messages, arrivals, isReadAgain, hasOverflowed) = ([], [], true, true)
    }

    /// Returns the messages, after which nothing is held.
    mutating func release() -> [LiveMessage<ClipRow>] {
        defer { self = Pause() }
        return messages
    }
}
