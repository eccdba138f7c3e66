import ClipsCore
import FoundationEssentials
import HistoryTracking
import PersistentStore
import Terminal

/// All that the app shows and remembers, as a value: events change it and say what is to be done outside.
struct AppState: Sendable {
    enum Screen: Sendable { case list, history, help }

    /// Something to tell in the status line until the next key.
    struct Message: Hashable, Sendable {
        var text: String
        var isError: Bool
    }

    var size: Size
    var now: Date
    let keys: KeyMap
    var screen = Screen.list
    /// The clip has the keys: it stays open whatever happens to the list.
    var isReading = false

    var list = LiveList<ClipRow>(height: 1)
    var query = ClipQuery()
    var feed = ListFeed()
    var arrivals = Arrivals()
    var sync = SyncStatus()
    var pause: Pause?

    var detail = DetailState()
    var history = HistoryList()
    var help = HelpPlace()

    var prompt: Prompt?
    /// Where the person was before filtering.
    var beforeFilter: (query: ClipQuery, place: Wanted?, position: SortPosition?)?
    var typedCount: Int?
    var message: Message?
    var saving = SavingStatus()
    var isQuitting = false

    private var outbox: [Effect] = []

    init(size: Size, now: Date, config: ConfigFile = ConfigFile()) {
        self.size = size
        self.now = now
        keys = config.keys
        list.follows = config.follows
        list.scrollMargin = 2
        detail.isWrapped = config.wraps
        if let first = config.mistakes.first {
            let others = config.mistakes.count - 1
            tell(others == 0 ? first : "\(first) (and \(others) more)", isError: true)
        }
        settle()
    }

    /// Takes one event and tells what is to be done.
    mutating func handle(_ event: AppEvent, at now: Date) -> [Effect] {
        self.now = now
        arrivals.expire(at: now)
        switch event {
        case .key(let key): take(key)
        case .resized(let size): self.size = size
        case .tick: retry()
        case .message(let message): take(message)
        case .opened: break
        case .openingFailed(let sentence), .failure(let sentence): tell(sentence, isError: true)
        case .notice(let sentence): tell(sentence)
        case .clipLoaded(let id, let clip): if id == detail.id { detail.show(clip) }
        case .detailMeasured(let id, let text): if id == detail.id { detail.moveToEnd(of: text) }
        case .historyLoaded(let transactions): history.add(transactions)
        case .worked(let result): take(result)
        case .editLoaded(let clip): emit(.edit(form: ClipForm(clip).text, clip))
        case .edited(let form): take(form)
        }
        settle()
        defer { outbox = [] }
        return outbox
    }

    mutating func emit(_ effect: Effect) { outbox.append(effect) }

    mutating func tell(_ text: String, isError: Bool = false) {
        message = Message(text: text, isError: isError)
    }

    var layout: Layout { Layout(size, isReading: isReading, isOneScreen: screen != .list) }

    /// The clip that a key acts on.
    var target: (id: Int64, row: ClipRow?)? {
        if isReading, let id = detail.id { return (id, list.rows.first { $0.id == id }) }
        return list.selectedRow.map { ($0.id, $0) }
    }

    /// Brings sizes, the detail and the list's requests in line with what just happened.
    private mutating func settle() {
        let layout = layout
        switch screen {
        case .list:
            list.resize(height: layout.list?.size.rows ?? list.height)
            settleDetail(layout)
        case .history: history.resize(height: HistoryScreen.listRows(layout))
        case .help:
            help.layOut(
                count: HelpScreen.lines(keys, columns: size.columns).count,
                height: layout.list?.size.rows ?? 0)
        }
        arrivals.settle(top: list.row(at: list.top)?.position, reachesTop: list.isLoaded && list.top == 0)
        askForRows()
    }

    private mutating func settleDetail(_ layout: Layout) {
        if !isReading, list.isLoaded, let id = list.selectedID ?? (list.count == 0 ? .none : detail.id) {
            detail.select(id)
        } else if !isReading, list.isLoaded, list.count == 0 {
            detail.select(nil)
        }
        guard let area = layout.detail else { return }
        if let id = detail.id, detail.needsLoading {
            detail.isAsked = true
            emit(.loadClip(id))
        }
        detail.layOut(width: area.size.columns, height: area.size.rows)
    }

    /// When something on the screen is next due to change by itself.
    var nextDeadline: Date? {
        var deadlines = [arrivals.nextExpiry, feed.retryAt, saving.noticeDue(at: now)]
        if screen == .list {
            var ages = [sync.lastChange.flatMap { Age(of: $0.at, at: now).changes }]
            for index in list.top..<list.top + list.height {
                guard let row = list.row(at: index) else { continue }
                ages.append(Age(of: row.created, at: now).changes)
            }
            // Ages change on the full second, all at once: many clips of one minute cost one drawing a second.
            deadlines.append(
                ages.compactMap { $0 }.min().map {
                    Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate.rounded(.up))
                })
        }
        return deadlines.compactMap { $0 }.min()
    }

    /// Nothing is on its way from the list's side, and all we saved has been seen.
    var isSettled: Bool {
        list.isLoaded && sync.state != .stopped && (list.isCounted || feed.retryAt != nil) && !feed.isShowing
            && saving.awaited <= sync.newestTransaction && saving.count == 0
    }
}
