import ClipsCore
import FoundationEssentials
import HistoryTracking
import PersistentStore
import Terminal

/// All that the app shows and remembers, as a value: events change it and say what is to be done outside.
struct AppState: Sendable {
    enum Screen: Hashable, Sendable { case list, history, consumers, help, errors, conflict }

    /// Something to tell in the status line until the next key.
    struct Message: Hashable, Sendable {
        var text: String
        var isError: Bool
    }

    var size: Size
    var now: Date
    let keys: KeyMap
    var config: ConfigFile
    private var colors: ColorCapability
    private(set) var theme: Theme
    var screen = Screen.list
    /// The clip has the keys: it stays open whatever happens to the list.
    var isReading = false
    /// What has the keys has the screen.
    var isZoomed = false
    var isMouseOn: Bool

    var list = LiveList<ClipRow>(height: 1)
    var query = ClipQuery()
    var feed = ListFeed()
    var arrivals = Arrivals()
    var marks = Marks()
    var sync = SyncStatus()
    var pause: Pause?

    var detail = DetailState()
    var history = HistoryList()
    var help = HelpList()
    var pageOfText = ScrolledLines()
    var cleaning: CleaningPreview?
    /// When to ask for it again, while it is shown: cursors move without a commit.
    var cleaningDue: Date?

    var prompt: Prompt?
    var menu: Menu?
    var questions: [OpenQuestion] = []
    var commands = CommandHistory()
    /// The store's tags, the most used first; read when they may be typed.
    var knownTags: [String] = []
    var knownAuthors: [String] = []
    /// What was filtered for last.
    var lastWords = ""
    /// Where the person was before filtering.
    var beforeFilter: (query: ClipQuery, place: Wanted?, position: SortPosition?)?
    var typedCount: Int?
    var message: Message?
    var saving = SavingStatus()
    var isQuitting = false

    private var outbox: [Effect] = []

    init(
        size: Size, now: Date, config: ConfigFile = ConfigFile(), colors: ColorCapability = .palette
    ) {
        self.size = size
        self.now = now
        self.config = config
        self.colors = colors
        keys = config.keys
        theme = Theme(config.theme, colors)
        isMouseOn = config.takesMouse
        list.scrollMargin = 2
        takeSettings()
        outbox = []
        if !config.errors.isEmpty { tell(config.errors.joined(separator: "\n"), isError: true) }
        settle()
    }

    /// Takes one event and tells what is to be done.
    mutating func handle(_ event: AppEvent, at now: Date) -> [Effect] {
        self.now = now
        arrivals.expire(at: now)
        switch event {
        case .key(let key) where keepsForLater(key): break
        case .key(let key):
            let place = list.selectedID
            take(key)
            if saving.count > 0, list.selectedID != place { saving.hasMoved = true }
            stretchRange()
        case .resized(let size): self.size = size
        case .tick:
            retry()
            askForConsumers()
            if saving.asksForWriter(at: now) { emit(.findWriter) }
        case .message(let message): take(message)
        case .opened: break
        case .openedToRead(let reason): saving.obstacle = reason
        case .openingFailed(let sentence), .failure(let sentence):
            feed.isFinding = false
            marks.endGathering()
            giveUpEarlierWork()
            tell(sentence, isError: true)
        case .notice(let sentence): tell(sentence)
        case .programFailed(let sentence): tell(sentence, isError: true)
        case .clipLoaded(let id, let clip): if id == detail.id { detail.show(clip) }
        case .detailMeasured(let id, let text): if id == detail.id { detail.moveToEnd(of: text) }
        case .rangeGathered(let ids, let end): take(range: ids, end: end)
        case .gathered(let clips, let purpose): take(clips, for: purpose)
        case .matchFound(let id): takeMatch(id)
        case .namesLoaded(let tags, let authors): (knownTags, knownAuthors) = (tags, authors)
        case .ownWorkLoaded(let work): take(work)
        case .historyLoaded(let transactions, let filter):
            if filter == history.filter { history.add(transactions) }
        case .changesLoaded(let token, let detail): history.take(detail, of: token)
        case .consumersLoaded(let preview):
            cleaning = preview
            cleaningDue = now + 2
        case .writerFound(let name): saving.take(writer: name)
        case .colorsChanged(let colors):
            self.colors = colors
            theme = Theme(config.theme, colors)
        case .worked(let result):
            take(result)
            history.outdate()
        case .editLoaded(let clip): emit(.edit(form: ClipForm(clip).text, clip))
        case .edited(let form): take(form)
        }
        if marks.range?.isWaiting == true, list.selectedRow != nil, !feed.isShowing { stretchRange() }
        settle()
        takeTypedAhead()
        showWaitingQuestion()
        defer { outbox = [] }
        return outbox
    }

    private mutating func askForConsumers() {
        guard screen == .consumers, let due = cleaningDue, due <= now else { return }
        cleaningDue = nil
        emit(.loadConsumers)
    }

    mutating func emit(_ effect: Effect) { outbox.append(effect) }

    mutating func tell(_ text: String, isError: Bool = false) {
        message = Message(text: text, isError: isError)
    }

    /// Makes what is set be so.
    mutating func takeSettings() {
        list.follows = config.follows
        detail.isWrapped = config.wraps
        theme = Theme(config.theme, colors)
        if isMouseOn != config.takesMouse {
            isMouseOn = config.takesMouse
            emit(.setMouse(isMouseOn))
        }
    }

    var layout: Layout {
        Layout(size, isReading: isReading, isOneScreen: screen != .list, isZoomed: isZoomed)
    }

    /// The clip that a key acts on, if none are marked.
    var target: (id: Int64, row: ClipRow?)? {
        if isReading, let id = detail.id { return (id, list.rows.first { $0.id == id }) }
        return list.selectedRow.map { ($0.id, $0) }
    }

    /// Brings sizes, the detail and the list's requests in line with what just happened.
    mutating func settle() {
        let layout = layout
        let rows = layout.list?.size.rows ?? 0
        switch screen {
        case .list:
            list.resize(height: layout.list?.size.rows ?? list.height)
            settleDetail(layout)
        case .history:
            history.resize(height: HistoryScreen.listRows(layout))
            if let token = history.nextRequest() { emit(.loadChanges(token)) }
        case .help:
            help.layOut(HelpScreen.lines(help.entries(keys), keys, columns: size.columns), height: rows)
        case .consumers, .errors:
            pageOfText.layOut(count: TextScreen(state: self).lines(columns: size.columns).count, height: rows)
        case .conflict:
            let count = ConflictScreen(state: self).lineCount(layout)
            pageOfText.layOut(count: count, height: ConflictScreen.rows(layout, questions.first))
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
            detail.ask()
            emit(.loadClip(id))
        }
        detail.layOut(width: area.size.columns, height: area.size.rows)
    }

    /// When something on the screen is next due to change by itself.
    var nextDeadline: Date? {
        var deadlines = [arrivals.nextExpiry, feed.retryAt, saving.noticeDue(at: now)]
        if screen == .consumers { deadlines.append(cleaningDue) }
        if screen == .history { deadlines.append(history.nextAge(at: now)) }
        if screen == .list {
            var ages = [sync.lastChange.flatMap { Age.change(of: $0.at, at: now) }]
            for row in list.visibleRows { ages.append(Age.change(of: row.created, at: now)) }
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
