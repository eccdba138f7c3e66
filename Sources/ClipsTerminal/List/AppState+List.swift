import ClipsCore
import FoundationEssentials
import LiveQuery
import PersistentStore

/// Messages from the store.
extension AppState {
    mutating func handle(_ message: ClipListMessage) {
        switch message {
        case .list(.state(let state)): sync.state = state
        case .list(.reached): break
        case .facets(let facets):
            sidebar.facets = facets
            if prompt != nil { emit(.loadNames) }
        case .indexing(let state, let wasBehind):
            let isReady =
                (wasBehind || !sync.indexing.isEmpty || list.deviation.isUnranked) && state.note.isEmpty
            sync.indexing = state.note
            // Without the index, the matches may not be ranked.
            if isReady, list.query.isRanked {
                // The words may have been typed before the index was ready.
                let pending = list.feed.pendingSelection?.id
                let jumps = list.feed.isLoading && list.feed.jumpsToFirstMatch && !list.feed.hasMoved
                list.feed.jumpsToFirstMatch = pending == nil && (jumps || list.clips.staysAtTop)
                let clip = list.feed.jumpsToFirstMatch ? nil : pending ?? list.clips.selectedID
                show(list.query, aroundClip: clip)
            }
        case .mirror(let summary, let conflicts):
            if conflicts != sync.conflicts, questions.contains(where: \.isOfMirror) { emit(.loadConflicts) }
            (sync.mirror, sync.conflicts) = (summary, conflicts)
        case .deviates(let deviation, let generation):
            if generation == list.feed.generation { list.deviation = deviation }
        case .list(let message):
            note(message)
            if list.pause == nil || !hold(message) { apply(message) }
        }
    }

    /// The changes after which a number of clips may be shown without a mark until it is counted again.
    private static let fewChanges = 20

    /// Updates everything that a pause of the list does not affect.
    private mutating func note(_ message: LiveMessage<ClipRow>) {
        switch message {
        case .transactions(let transactions):
            sync.hasFailedSave = false
            list.excerpts.apply(transactions)
            let changed = transactions.reduce(0) { $0 + $1.inserted + $1.updated + $1.deleted }
            sidebar.recount(after: changed > Self.fewChanges ? .large : .small, at: now)
            history.add(transactions)
            if screen == .history { history.invalidate(after: transactions) } else { history.hasNews = true }
            endReport(by: transactions)
            // Another window may have restored what a step needs.
            if transactions.contains(where: { !$0.isOwn && $0.role != .work }) { undoSteps.endSkipping() }
            for transaction in transactions {
                list.marks.remove(transaction.deletedClips, isOwn: transaction.isOwn) { id in
                    transaction.lines.first { $0.clip == id }?.title
                }
                if transaction.affects(list.marks.ids) { list.marks.invalidateHidden() }
                if !transaction.isRepair { sync.note(change(of: transaction)) }
            }
            if let step = sync.uncounted { emit(.countStep(step)) }
            if clipReader.isAffected(by: transactions) { reloadReader() }
            prompt?.note(transactions)
            rereadQuestions(after: transactions)
        case .window(let window, _) where window.requestNumber == nil:
            sync.skipped()
            if let step = sync.uncounted { emit(.countStep(step)) }
            if !list.feed.isLoading { emit(.loadNewest) }
            sidebar.recount(after: list.feed.isLoading ? .unknown : .large, at: now)
            list.marks.invalidateHidden()
            rereadQuestions()
            // The commit was too large to be reported change by change.
            if screen != .history, !history.isLoaded {
                history.discard()
            } else if !list.feed.isLoading {
                let known = history.transactions.first?.id
                emit(
                    known.map { .loadNewHistory(history.filter, after: $0) } ?? .loadHistory(history.filter))
            }
            reloadReader()
        // The window may include commits that are not reported.
        case .window: sidebar.recount(after: .unknown, at: now)
        default: break
        }
    }

    /// Notes the newest row of the history, of which some transactions may not have been reported.
    ///
    /// - Parameter isWhole: Whether these are all transactions of the row.
    mutating func noteUnreported(_ transactions: [TransactionSummary], isWhole: Bool) {
        list.arrivals.noteUnreported(areOwn: transactions.allSatisfy(\.isOwn))
        let reported = sync.lastChange?.transaction ?? 0
        let others = transactions.filter { $0.id > reported && !$0.isRepair }
        guard !others.isEmpty else { return }
        endReport(by: others)
        for transaction in others {
            var change = change(of: transaction)
            if !isWhole { (change.mayLackParts, change.line) = (true, nil) }
            sync.note(change)
        }
        if let step = sync.uncounted { emit(.countStep(step)) }
    }

    private func change(of transaction: TransactionSummary) -> SyncStatus.Change {
        let count = transaction.inserted + transaction.updated + transaction.deleted
        return SyncStatus.Change(
            token: transaction.token, author: transaction.isOwn ? "you" : transaction.shownAuthor,
            isOwn: transaction.isOwn, inserted: transaction.inserted, updated: transaction.updated,
            deleted: transaction.deleted, at: min(now, transaction.timestamp), role: transaction.role,
            words: transaction.words,
            line: transaction.lines.count == 1 ? transaction.lines.first : nil,
            lines: transaction.lines.count == count ? transaction.lines : [],
            title: transaction.clipTitle,
            step: transaction.step.map { [$0, Int64(transaction.process ?? 0)] },
            loose: transaction.process == nil && transaction.author == nil
                ? Dictionary(transaction.lines.map { ($0.clip, $0.kind) }) { $1 } : nil)
    }

    private mutating func reloadReader() {
        guard let id = clipReader.id else { return }
        // A clip that is not on the screen is loaded when it is.
        if screen == .list, layout.detail != nil { emit(.loadClip(id)) } else { clipReader.invalidate() }
    }

    private mutating func apply(_ message: LiveMessage<ClipRow>) {
        let (generation, isLoading) = (list.feed.generation, list.feed.isLoading)
        switch message {
        case .window(let window, generation):
            list.apply(window)
            let arrived = list.arrivals.uncertain
            if window.requestNumber == nil, !arrived.isEmpty { emit(.findArrivals(arrived, list.shownQuery)) }
        case .more(let rows, let direction, let reachedEdge, let number, generation) where !isLoading:
            list.clips.extend(with: rows, direction, reachedEdge: reachedEdge, requestNumber: number)
        case .count(let count, generation) where !isLoading: list.setCount(count)
        case .changes(let changes, generation) where !isLoading:
            list.arrivals.apply(changes)
            list.marks.note(list.clips.rows)
            list.clips.apply(changes: changes)
        case .transactions(let transactions): list.arrivals.mark(transactions, at: now)
        case .failed(let error, let number, generation):
            report(error.sentence, isError: true)
            list.feed.retryAt = now + 1
            if let number { list.clips.requestFailed(number: number) }
        default: break
        }
        selectPending()
    }

    private mutating func selectPending() {
        guard let pending = list.feed.pendingSelection, !list.feed.isLoading else { return }
        if list.clips.select(id: pending.id) {
            if let row = pending.screenRow {
                list.clips.scroll(by: list.clips.selectedIndex - list.clips.top - row)
            }
            if let filter = pending.origin?.query.filter, filter != list.query.filter {
                let title = list.clips.selectedRow.map { Clip.quoted($0.title) } ?? "the clip"
                let hides = filter.isEmpty ? "\(title) is archived" : "“\(filter)” does not find \(title)"
                let shown = list.query.filter.isEmpty ? "list of all clips" : "archive"
                report("\(hides); this is the \(shown).")
            }
        } else if let other = pending.elsewhere.first {
            show(other, aroundClip: pending.id)
            list.feed.pendingSelection?.elsewhere.removeFirst()
            return
        } else if let origin = pending.origin {
            report(alreadyDeleted([pending.id]))
            if let url = pending.url { prompt = Prompt(kind: .add, text: url) }
            return show(origin)
        }
        list.feed.pendingSelection = nil
    }
}

/// Requests to the store.
extension AppState {
    /// Requests the clips of a query, around a position or from the first.
    mutating func show(_ query: ClipQuery, around anchor: SortPosition?) {
        begin(query)
        emit(.show(query, generation: list.feed.generation, anchor: anchor))
    }

    /// Returns to a view.
    mutating func show(_ origin: ListState.Origin) {
        if origin.selection == nil { list.clips.stayAtStart() }
        // The clip may have another rank in the new list.
        show(origin.query, aroundClip: origin.selection?.id, or: origin.position)
        list.feed.pendingSelection = origin.selection
    }

    /// Requests the clips of a query around a clip, wherever it is in the list.
    ///
    /// - Parameter position: The position to show if the list does not have the clip.
    mutating func show(_ query: ClipQuery, aroundClip id: Int64?, or position: SortPosition? = nil) {
        guard let id else { return show(query, around: position) }
        begin(query)
        list.clips.holdSelection()
        emit(.showAround(id, query, generation: list.feed.generation, anchor: position))
    }

    private mutating func begin(_ query: ClipQuery) {
        list.begin(query)
        // They were moves in the results of the earlier words.
        if prompt?.kind == .filter, !list.feed.isReload { typing.ahead.removeAll { $0.isMove } }
    }

    mutating func refetch() {
        let row = list.clips.staysAtStart ? nil : list.clips.selectedRow
        guard !list.query.isRanked else { return show(list.query, aroundClip: row?.id, or: row?.position) }
        show(list.query, around: row?.position)
    }

    mutating func retry() {
        guard let due = list.feed.retryAt, due <= now else { return }
        list.feed.retryAt = nil
        if list.feed.isLoading { refetch() }
    }

    mutating func requestRows() {
        guard list.clips.isLoaded, !list.feed.isLoading, list.feed.retryAt == nil else { return }
        if !list.isCurrent {
            // An answer does not fit a list that lacks the messages held back; rows on the screen have to be read.
            var clips = list.clips
            let shown = min(clips.height, clips.count - clips.top)
            guard clips.visibleRows.count < shown, clips.nextRequest() != nil else { return }
            applyHeld()
        }
        let anchor = list.clips.staysAtStart ? nil : list.clips.selectedRow?.position
        while let request = list.clips.nextRequest() {
            emit(.answer(request, generation: list.feed.generation, anchor: anchor))
        }
        moveAnchor(to: anchor)
    }

    /// Lets the rows that the store reads after a large commit have the cursor among them, so that it stays where it is.
    private mutating func moveAnchor(to position: SortPosition?) {
        let index = position == nil ? 0 : list.clips.selectedIndex
        // Such a commit may give each clip another rank.
        let isFar =
            list.query.isRanked
            ? position?.key != list.feed.anchorID : abs(index - list.feed.anchorIndex) > 50
        guard position != nil || list.clips.staysAtStart, isFar else { return }
        (list.feed.anchorIndex, list.feed.anchorID) = (index, position?.key)
        emit(.anchor(position, generation: list.feed.generation))
    }

    /// Moves the cursor to a clip, and shows the list of all clips, or that of the archive, if it is not in this one.
    ///
    /// - Parameter url: A URL to ask for again if the clip is deleted.
    mutating func goToAnywhere(_ id: Int64, orAsk url: String? = nil) {
        let (sort, origin) = (list.query.sort, list.origin)
        goTo(id, elsewhere: [ClipQuery(sort: sort), ClipQuery(filter: "is:archived", sort: sort)])
        list.feed.pendingSelection?.origin = origin
        list.feed.pendingSelection?.url = url
    }

    /// Moves the cursor to a clip, wherever in the list it is.
    ///
    /// - Parameter elsewhere: The lists in which it is shown if it is not in this one.
    private mutating func goTo(_ id: Int64, elsewhere: [ClipQuery] = []) {
        saving.hasMoved = true
        reader.hasFocus = false
        guard !list.clips.select(id: id) else { return }
        show(list.query, aroundClip: id)
        list.feed.pendingSelection = PendingSelection(id: id, elsewhere: elsewhere)
    }

    /// Goes to the next row of a filtered list, or to the next clip with the words of the last filter.
    mutating func goToMatch(isForward: Bool, count: Int) {
        let query = list.query
        let words = query.filter.isEmpty ? list.lastWords : query.filter
        if reader.hasFocus {
            for _ in 0..<count { searchText(isForward: isForward) }
        } else if !query.filter.isEmpty {
            list.clips.move(by: isForward ? count : -count)
        } else {
            let wanted = ClipQuery(filter: words, sort: query.sort)
            list.feed.isSearching = true
            emit(.findMatch(wanted, from: list.clips.selectedRow?.position, isForward: isForward))
        }
    }

    mutating func goToUnread(isForward: Bool) {
        // A clip that left the list, such as a read one of unread clips, has made its successor the selected one.
        if isForward, reader.hasFocus, let row = list.clips.selectedRow, row.id != reader.id, row.isUnread {
            return read(row.id)
        }
        var wanted = list.query
        wanted.isUnreadOnly = true
        list.feed.isSearching = true
        list.feed.searchStart = target?.id
        emit(.findUnread(wanted, from: (bound ?? list.clips.selectedRow)?.position, isForward: isForward))
    }

    mutating func finishFindingUnread(_ id: Int64?) {
        list.feed.isSearching = false
        guard let id else { return report("No unread clips here.") }
        let isReading = reader.hasFocus
        guard id != list.feed.searchStart else { return report("This is the only unread clip.") }
        goTo(id)
        if isReading { read(id) }
    }

    mutating func finishSearch(_ id: Int64?) {
        list.feed.isSearching = false
        guard let id else { return report("\(ClipQuery.noClip(for: list.lastWords)).") }
        goTo(id)
    }
}

/// Following and pausing.
extension AppState {
    mutating func toggleFollowing() {
        list.clips.follows.toggle()
        let follows = list.clips.follows
        if follows, list.clips.selectedIndex == 0 { list.clips.stayAtStart() }
        try? settings.config.set(Setting.follow.rawValue, follows ? "on" : "off")
        report(follows ? "Following: at the top, new clips scroll into view." : "Not following new clips.")
    }

    mutating func togglePause() {
        guard list.pause != nil else {
            list.pause = Pause()
            return
        }
        applyHeld()
        list.pause = nil
    }

    /// Applies the messages of a pause, which continues.
    private mutating func applyHeld() {
        guard list.pause?.hasOverflowed != true else { return refetch() }
        for message in list.pause?.release() ?? [] { apply(message) }
    }

    /// Holds a message for the end of the pause. Returns false if the message must be applied immediately.
    private mutating func hold(_ message: LiveMessage<ClipRow>) -> Bool {
        var isOwn = false
        let (isLoading, isCurrent) = (list.feed.isLoading, list.isCurrent)
        switch message {
        case .window(let window, _):
            // The user's own filter or movement is shown even in a pause.
            if isLoading || isCurrent && window.requestNumber != nil { return false }
        case .more, .count, .failed: if isLoading || isCurrent { return false }
        case .changes:
            // The rows under way include them.
            if isLoading { return false }
        case .transactions(let transactions):
            isOwn = transactions.contains(where: \.isOwn)
        case .state, .reached: break
        }
        list.pause?.count(message)
        guard list.pause?.hasOverflowed != true else {
            if isOwn { refetch() }
            return true
        }
        list.pause?.hold(message)
        if isOwn {
            // The user must see their own change, which builds on the changes held before it.
            applyHeld()
        }
        return true
    }
}
