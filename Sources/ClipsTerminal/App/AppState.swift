import ClipsCore
import FoundationEssentials
import HistoryTracking
import LiveQuery
import PersistentStore
import Platform
import Terminal

/// The whole state of the app, as a value: events change it and return the effects to perform.
struct AppState: Sendable {
    enum Screen: Hashable, Sendable { case list, history, consumers, help, errors, conflict, output }

    /// A message in the status line until the next key.
    struct Message: Hashable, Sendable {
        var text: String
        var isError: Bool
        var at: Date?
    }

    var size: Size
    var now: Date
    var screen = Screen.list
    var settings: Settings
    var list = ListState()
    var clipReader = Reader()
    /// The output of the last program.
    var printed = Reader()
    var history = HistoryList()
    var consumers = ConsumersState()
    var help = HelpList()
    /// The scroll position of a screen of plain lines.
    var page = ScrolledLines()
    var prompt: Prompt?
    var menu: Menu?
    /// Conflicts that wait for an answer, the oldest first.
    var questions: [OpenQuestion] = []
    var typing = Typing()
    /// The clip that a later action of a key means, while it is performed.
    var bound: ClipRow?
    var sidebar = Sidebar()
    var message: Message?
    var sync = SyncStatus()
    var saving = SavingStatus()
    var undoSteps = UndoSteps()
    /// The mode of `clips pick`; nil in the app.
    var pick: Pick?
    private var outbox: [Effect] = []

    /// The text that the keys for reading scroll and search: a clip, or the output of a program.
    var reader: Reader {
        get { screen == .output ? printed : clipReader }
        _modify {
            if screen == .output { yield &printed } else { yield &clipReader }
        }
    }

    var keys: KeyMap { settings.config.keys }
    var theme: Theme { settings.theme }

    init(
        size: Size, now: Date, config: ConfigFile = ConfigFile(), colors: ColorCapability = .direct
    ) {
        self.size = size
        self.now = now
        settings = Settings(config: config, colors: colors)
        list.clips.scrollMargin = 2
        list.query.sort = config.sort
        applySettings()
        if !config.errors.isEmpty { report(config.errors.joined(separator: "\n"), isError: true) }
        reconcile()
        outbox = []
    }

    /// Applies an event, and returns the effects to perform.
    mutating func handle(_ event: AppEvent, at now: Date) -> [Effect] {
        self.now = now
        list.arrivals.expire(at: now)
        apply(event)
        if list.marks.range?.isWaiting == true { stretchRange() }
        reconcile()
        runTypedAhead()
        showWaitingQuestion()
        defer { outbox = [] }
        return outbox
    }

    private mutating func apply(_ event: AppEvent) {
        switch event {
        case .key(let key):
            guard !defers(key) else { return }
            let selected = list.clips.selectedID
            handle(key)
            if saving.count > 0, list.clips.selectedID != selected { saving.hasMoved = true }
            stretchRange()
        case .resized(let size):
            // It may be about the size.
            if size != self.size, message?.isError == false { message = nil }
            self.size = size
        case .tick:
            retry()
            refreshConsumers()
            if let due = typing.linkDue, now >= due { openTypedLink() }
            if saving.requestsWriter(at: now) { emit(.findWriter) }
        case .message(let message): handle(message)
        case .picking(let pick): begin(pick)
        case .opened(let readOnlyReason):
            saving.unavailabilityReason = readOnlyReason
            emit(.loadFilters)
            emit(.checkCommits)
        case .answered(let reply): reply.apply(&self)
        case .openingFailed(let sentence), .failure(let sentence):
            cancelAwaitedQuestion()
            clipReader.failLoading()
            list.feed.isSearching = false
            list.marks.endGathering()
            undoSteps.waiting = []
            typing.awaitsResult = false
            report(sentence, isError: true)
        case .pagesOpened(let clips): markAsOpened(clips)
        case .notice(let sentence): report(sentence)
        case .performed: typing.awaitsResult = false
        case .programFailed(let sentence):
            typing.awaitsResult = false
            report(sentence, isError: true)
        case .colorsChanged(let colors): settings.colors = colors
        case .backgroundReported(let color): settings.background = color
        case .edited(let form): save(form)
        case .printed(let output): show(output)
        }
    }

    mutating func emit(_ effect: Effect) {
        if effect.isAwaited { typing.awaitsResult = true }
        outbox.append(effect)
    }

    /// Ends a report that has been read, so that it does not hide what others do, or that others may have undone.
    mutating func endReport(by transactions: [TransactionSummary]) {
        let others = transactions.filter { !$0.isOwn }
        guard !others.isEmpty, let message, !message.isError, let start = message.at else { return }
        if now >= start + 5 || others.contains(where: { $0.role != .work }) { self.message = nil }
    }

    /// Shows a message. An error remains until the next key, and ends the actions of a key.
    mutating func report(_ text: String, isError: Bool = false) {
        if isError { typing.endActions() } else if message?.isError == true { return }
        let isMore =
            typing.group != nil && message != nil && message?.text == saving.reported?.text
            && (!isError || saving.reported?.group == typing.group)
        let whole = isMore ? "\(message?.text ?? "") · \(text)" : text
        message = Message(text: whole, isError: isError, at: now)
        guard isMore else { return }
        let more = saving.reported?.more.map { "\($0) · \(text)" } ?? text
        saving.reported?.more = more
        saving.reported?.text = whole
    }

    /// Applies the options to the state that they affect.
    mutating func applySettings() {
        list.clips.follows = settings.config.follows
        (clipReader.isWrapped, printed.isWrapped) = (settings.config.wraps, settings.config.wraps)
        if settings.update() { emit(.setMouse(settings.isMouseOn)) }
    }

    var layout: Layout {
        Layout(
            size, isReading: reader.hasFocus, isOneScreen: screen != .list && screen != .output,
            isZoomed: reader.isZoomed,
            share: settings.config.split, hasSidebar: settings.config.showsSidebar, names: settings.columns,
            textWidth: screen == .output || !reader.isWrapped ? nil : settings.config.textWidth,
            hasMargins: screen != .output,
            hasHints: screen != .conflict || size.rows >= Layout.minRowsOfConflict)
    }

    /// Fits scroll positions, the clip being read, and the list's requests to the changed state.
    mutating func reconcile() {
        let layout = layout
        let rows = layout.list?.size.rows ?? 0
        switch screen {
        case .list:
            list.clips.resize(height: layout.list?.size.rows ?? list.clips.height)
            reconcileReader(layout)
            if !list.feed.isLoading,
                let request = list.excerpts.request(
                    list.clips.visibleRows, highlightedWords,
                    columns(of: layout)
                )
            {
                emit(.loadExcerpts(request))
            }
            reconcileSidebar(layout)
            if list.clips.isLoaded, !list.feed.isLoading, saving.count == 0,
                let marks = list.marks.requestHidden(among: list.clips.rows)
            {
                emit(.findHidden(marks, list.query))
            }
            if list.requestsHidden(after: sync.lastChange?.transaction ?? 0) { emit(.loadHidden) }
            loadTitleOfLastChange(layout)
            load((history.titles.request(untitled: list.clips.visibleRows), []))
        case .output: layOutReader(layout)
        case .history:
            history.resize(height: HistoryScreen.listRows(layout))
            if let (token, count) = history.nextRequest() { emit(.loadChanges(token, count: count)) }
            if let count = history.nextOlder() { emit(.loadHistory(history.filter, after: count)) }
            if history.endsEarly, message == nil, prompt == nil, menu == nil {
                let (count, key) = (HistoryList.mostCount.grouped, keys.name(of: .filter))
                report("The newest \(count) commits; \(key) before:DATE finds older ones.")
            }
            load(history.nextTitles())
            loadTitleOfLastChange(layout)
        case .help:
            help.layOut(
                HelpScreen.lines(help.entries(keys), isFiltered: !help.filter.isEmpty, columns: size.columns),
                height: rows)
        case .consumers, .errors:
            page.layOut(count: TextScreen(state: self).lines(columns: size.columns).count, height: rows)
        case .conflict:
            let count = ConflictScreen(state: self).lineCount(layout)
            page.layOut(count: count, height: ConflictScreen.rows(layout, questions.first))
        }
        let clips = list.clips
        // Until its row is found, a list that was read again is not where the user left it.
        if !list.seeksCursor {
            list.arrivals.scrolled(
                toTop: clips.row(at: clips.top)?.position, index: clips.top,
                isStart: clips.isLoaded && clips.top == 0)
        }
        if target != nil, message?.text == missingClip { message = nil }
        requestRows()
    }

    private mutating func loadTitleOfLastChange(_ layout: Layout) {
        guard let change = sync.lastChange, layout.status != nil else { return }
        let lines = change.lines.filter { change.number(of: $0.kind) == 1 || !$0.words.lacking.isEmpty }
        load(history.titles.request(change.line.map { [$0] } ?? lines))
    }

    private mutating func load(_ titles: (clips: [Int64], changes: [TransactionSummary.Line])) {
        guard !titles.clips.isEmpty || !titles.changes.isEmpty else { return }
        emit(.loadTitles(titles.clips, changes: titles.changes))
    }

    private mutating func reconcileReader(_ layout: Layout) {
        if !reader.hasFocus, list.clips.isLoaded {
            if list.clips.count == 0 {
                reader.select(nil)
            } else if let id = list.clips.selectedID {
                reader.select(id)
            }
        }
        if let row = list.clips.rows.first(where: { $0.id == reader.id }) { reader.place = row.position }
        if layout.detail != nil, let id = reader.id, reader.needsLoading {
            reader.beginLoading()
            emit(.loadClip(id))
        }
        layOutReader(layout)
    }

    private mutating func layOutReader(_ layout: Layout) {
        guard let area = layout.text else { return }
        reader.layOut(width: area.size.columns, height: area.size.rows, dates: settings.config.dates)
        if reader.hasFocus { reader.countMatches(of: textHighlight) }
        countManyMatches()
    }

    /// The time when something on the screen next changes without an event.
    var nextDeadline: Date? {
        var deadlines = [
            list.arrivals.nextExpiry, list.feed.retryAt, saving.noticeDue(at: now), typing.linkDue,
        ]
        if screen == .consumers { deadlines.append(consumers.refreshDue) }
        if screen == .history { deadlines.append(history.nextAge(at: now)) }
        if screen == .list {
            var ages = [sync.lastChange.flatMap { Age.change(of: $0.at, at: now) }]
            for row in list.clips.visibleRows { ages.append(Age.change(of: row.created, at: now)) }
            deadlines.append(sidebar.nextChange(at: now))
            // Rounded to the second, so that many clips of one minute cost one drawing a second.
            deadlines.append(
                ages.compactMap { $0 }.min().map {
                    Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate.rounded(.up))
                })
        }
        return deadlines.compactMap { $0 }.min()
    }

    /// Whether nothing is under way.
    var isSettled: Bool {
        list.isSettled && sync.state != .stopped && saving.count == 0
    }
}
