import ClipsCore
import LiveQuery
import Mirroring
import PersistentStore
import Terminal

/// Work that the state requests from its surroundings; ``performance`` has the rest.
enum Effect: Sendable {
    case answer(LiveList<ClipRow>.Request, generation: Int, anchor: SortPosition?)
    case anchor(SortPosition?, generation: Int)
    case show(ClipQuery, generation: Int, anchor: SortPosition?)
    /// Requests the clips of a query around a clip.
    case showAround(Int64, ClipQuery, generation: Int, anchor: SortPosition?)
    case loadClip(Int64)
    /// Reads the parts of clips around the words of a filter.
    case loadExcerpts(Excerpts.Request)
    /// Lays out a whole text, which may take a while.
    case measure(id: Int64, ReaderText)
    /// Reads the IDs between two positions of the list.
    case gatherRange(ClipQuery, from: SortPosition, through: SortPosition, end: SortPosition)
    /// Reads clips for use outside the store, in an order; without one, in the given order.
    case gather([Int64], SortKey?, Purpose)
    case findMatch(ClipQuery, from: SortPosition?, isForward: Bool)
    /// Reads the IDs of a list.
    case gatherList(ClipQuery)
    case findUnread(ClipQuery, from: SortPosition?, isForward: Bool)
    /// Finds those of the marked clips that a list lacks.
    case findHidden(Set<Int64>, ClipQuery)
    /// Finds those of the clips counted as new that a list lacks.
    case findArrivals(Set<Int64>, ClipQuery)
    /// Searches a text of which the first lines have no match.
    case findLine(id: Int64, ReaderText, ClipHighlight, from: Int, isForward: Bool, isWrapped: Bool)
    case countMatches(id: Int64, ReaderText, ClipHighlight)
    case loadNames
    /// Reads whether an empty list has archived or deleted clips.
    case loadHidden
    /// Checks that the store has all commits that the search index has read.
    case checkCommits
    case loadFilters
    /// Counts tags and sites, once; their numbers then follow the commits.
    case countFacets
    /// Counts the unread clips of lists.
    case countUnread([ClipQuery])
    case remember(FilterMemory.Change)
    /// Reads older work of this author from the history.
    case loadUndoHistory(UndoHistory, isRedoing: Bool)
    /// Reads what a step of another run changed.
    case describeUndo(UndoStep, UndoSteps.Direction)
    /// Reads the newest transactions, or older ones after a number of them.
    case loadHistory(HistoryFilter, after: Int = 0)
    /// Reads the transactions after a known one.
    case loadNewHistory(HistoryFilter, after: Int64)
    /// Reads the changes of a number of transactions from the one of a token on.
    case loadChanges(HistoryToken, count: Int = 1)
    /// Counts the clips of the step of a transaction.
    case countStep(HistoryToken)
    /// Reads who committed last, after commits that were not reported.
    case loadNewest
    /// Reads the titles of clips in the history, and the values after changes.
    case loadTitles([Int64], changes: [TransactionSummary.Line])
    case loadConsumers
    case loadConflicts
    case work(Work)
    /// Finds the process that holds the write lock.
    case findWriter
    case loadForEdit(Int64)
    case loadForNote(Int64)
    case loadForDeletion(Int64)
    /// Reads a clip whose edit waits for an answer.
    case loadForConflict(Int64)
    /// Edits a form in the user's editor.
    case edit(form: String, Clip?)
    case removeFile(String)
    /// Writes the text of work that is not saved to a file.
    case retain(Work)
    /// Opens URLs in the browser; then the clips are read.
    case open(urls: [String], clips: [Int64])
    /// Opens URLs in a browser in this terminal, one after the other; then the clips are read.
    case openHere(urls: [String], clips: [Int64], subject: String)
    /// Runs programs one after the other on the terminal, or next to the app.
    case run([ProgramCall], inBackground: Bool)
    case copy(String, what: String)
    case setMouse(Bool)
    case setColors(ColorCapability.Choice)
    case redraw
    case suspend
    case quit
    /// Ends a pick.
    case finish(Picked)

    /// Whether the later actions of a key wait for its result.
    var isAwaited: Bool {
        switch self {
        case .gather, .loadForEdit, .loadForNote, .loadForDeletion, .edit, .open, .openHere, .run, .copy: true
        default: false
        }
    }

    /// How an effect is performed.
    enum Performance {
        case store(StoreRequest)
        case terminal((AppRunner) -> Void)
    }

    /// The request to the store, with its queue and what its result does to the state; or the work of the thread
    /// that draws. A new effect does not compile until it has one.
    var performance: Performance {
        switch self {
        // The list
        case .answer(let request, let generation, let anchor):
            .list { await $0.source.list.answer(request, generation: generation, anchor: anchor) }
        case .anchor(let position, let generation):
            .list { await $0.source.list.setAnchor(position, generation: generation) }
        case .show(let query, let generation, let anchor):
            .list(superseding: .all) { await $0.show(query, generation: generation, anchor: anchor) }
        case .showAround(let clip, let query, let generation, let anchor):
            .list(superseding: .all) {
                await $0.show(query, generation: generation, anchor: anchor, around: clip)
            }
        case .gatherRange(let query, let first, let last, let end):
            .read(
                {
                    try await $0.source.list.keys(
                        query, from: first, through: last, limit: Marks.maxCount + 1)
                },
                then: { $0.finishRange($1, end: end) })
        case .gatherList(let query):
            .read(
                { try await $0.source.list.keys(query, limit: Marks.maxCount + 1) },
                then: { $0.finishInverting($1, of: query) })
        case .findMatch(let query, let position, let isForward):
            .read(
                { try await $0.source.nearestClip(query, to: position, isForward: isForward) },
                then: { $0.finishSearch($1) })
        case .findUnread(let query, let position, let isForward):
            .read(
                { try await $0.source.nearestClip(query, to: position, isForward: isForward) },
                then: { $0.finishFindingUnread($1) })
        case .findHidden(let marks, let query):
            .read {
                try await $0.store.ids(marks, missingIn: query)
            } then: {
                $0.list.marks.remove($1.deleted)
                if query == $0.list.query {
                    $0.list.marks.setHidden($1.hidden)
                    $0.updateQuestion(deleted: $1.deleted, hidden: $1.hidden)
                } else {
                    $0.list.marks.invalidateHidden()
                }
            }
        case .findArrivals(let ids, let query):
            .read(
                superseding: .arrivals,
                { try await $0.store.ids(ids, missingIn: query) },
                then: {
                    if query == $0.list.shownQuery { $0.list.arrivals.remove($1.deleted.union($1.hidden)) }
                })
        case .countFacets:
            .read(on: .counts, { try? await $0.source.countFacets() }, then: { _, _ in })
        case .countUnread(let queries):
            // Without a count, the sidebar shows none.
            .read(
                on: .counts, { (try? await $0.store.unreadCounts(queries)) ?? [:] },
                then: { $0.sidebar.finishCounting($1, at: $0.now) })

        // Clips
        case .loadClip(let id):
            // Only the clip under the cursor is needed.
            .read(
                superseding: .clips, { try await $0.store.clipIfStored(id) },
                then: { if id == $0.clipReader.id { $0.clipReader.show($1) } })
        case .loadExcerpts(let request):
            // Without them, the rows show their titles.
            .read(superseding: .excerpts) {
                (try? await $0.store.excerpts(request.words, length: request.length)) ?? [:]
            } then: {
                $0.list.excerpts.add($1, for: request)
            }
        case .measure(let id, let text):
            .read { _ in
                await StoreWorker.onOwnThread { [text] in
                    var text = text
                    _ = text.count(upTo: .max)
                    return text
                }
            } then: {
                guard id == $0.reader.id else { return }
                if $0.reader.seeksEnd { $0.reader.moveToEnd(of: $1) } else { _ = $0.reader.use($1) }
            }
        case .findLine(let id, let text, let highlight, let start, let isForward, let isWrapped):
            .read(superseding: .lines) { _ in
                await StoreWorker.onOwnThread { [text] in
                    var text = text
                    let line = text.line(matching: highlight, from: start, isForward: isForward).line
                    return (text: text, line: line)
                }
            } then: {
                guard id == $0.reader.id, highlight == $0.textHighlight, $0.reader.use($1.text) else {
                    return
                }
                $0.finishSearch($1.line, from: start, isForward: isForward, isWrapped: isWrapped)
            }
        case .countMatches(let id, let text, let highlight):
            .read(on: .counts, superseding: .matches) { _ in
                await StoreWorker.onOwnThread {
                    text.matches(of: highlight, maxBytes: .max, maxCount: Reader.maxCount)?.count
                        ?? Reader.maxCount
                }
            } then: {
                if id == $0.printed.id { $0.printed.finishLongCount($1, of: highlight) }
                if id == $0.clipReader.id { $0.clipReader.finishLongCount($1, of: highlight) }
            }
        case .gather(let ids, let sort, let purpose):
            .read {
                try await $0.store.clips(
                    ids, in: sort, attributes: ids.count == 1 ? nil : purpose.attributes,
                    maxBytes: Purpose.maxBytes)
            } then: {
                $0.typing.awaitsResult = false
                $0.use($1, of: ids, for: purpose)
            }
        case .loadForEdit(let id):
            .readClip(id) { if $0.opens(.edit(id)) { $0.edit($1) } }
        case .loadForNote(let id):
            .readClip(id) { $0.promptForNote($1) }
        case .loadForDeletion(let id):
            .readClip(id) { $0.askToDelete($1) }
        case .work(let work): .save(work)
        case .findWriter:
            .read({ $0.store.lockHolder }, then: { $0.saving.setWriter($1) })

        // Words
        case .loadNames:
            .read(on: .counts, { try await $0.source.names() }, then: { $0.show($1) })
        case .checkCommits:
            // A store that cannot be checked is reported by its list.
            .read(
                { try? await $0.store.lossReport() },
                then: { if let sentence = $1 { $0.report(sentence, isError: true) } })
        case .loadHidden:
            .read({ try await $0.store.hiddenClips() }, then: { $0.list.hidden = $1 })
        case .loadFilters:
            .read({ try? $0.store.filterMemory() }, then: { $0.show($1) })
        case .remember(.typed(let filter)):
            // A store in a folder that cannot be written has no memory.
            .read(on: .memory, { try? $0.store.remember(.typed(filter)) }, then: { $0.show($1) })
        case .remember(let change):
            .read(on: .memory, { try $0.store.remember(change) }, then: { $0.show($1) })

        // The history
        case .loadUndoHistory(let known, let isRedoing):
            .read(
                { try await $0.store.undoHistory(behind: known, isRedoing: isRedoing) },
                then: { $0.finishLoading($1) })
        case .describeUndo(let step, let direction):
            .read(
                { try await ForeignChange.read(step, direction, in: $0.store) },
                then: { $0.finishDescribing(step, direction, $1) })
        case .loadHistory(let filter, let count):
            .read {
                let loaded = try await $0.recentTransactions(
                    limit: HistoryList.loadCount, offset: count, where: filter.predicate)
                return (loaded, count > 0 ? 0 : try await $0.lastPurged())
            } then: {
                guard filter == $0.history.filter else { return }
                $0.history.addLoad($1.0, isOlder: count > 0, purged: $1.1)
            }
        case .loadNewHistory(let filter, let known):
            .read {
                try await $0.transactions(after: known, limit: HistoryList.loadCount, where: filter.predicate)
            } then: {
                if filter == $0.history.filter { $0.history.addLoad($1) }
            }
        case .loadForConflict(let id):
            .read({ try await $0.store.clipIfStored(id) }, then: { $0.update($1, id) })
        case .countStep(let token):
            // Without the numbers, the status line says "many".
            .read(
                on: .counts, superseding: .steps, { try? await $0.store.stepCounts(of: token) },
                then: { if let counts = $1 { $0.sync.noteCounts(counts, of: token) } })
        case .loadNewest:
            .read(superseding: .newest) {
                try? await $0.newestRow()
            } then: {
                if let (transactions, isWhole) = $1 { $0.noteUnreported(transactions, isWhole: isWhole) }
            }
        case .loadChanges(let token, let count):
            .read(
                superseding: .changes, { try await $0.detail(of: token, count: count) },
                then: { $0.finishLoading($1, of: token) })
        case .loadTitles(let ids, let changes):
            .read(
                { (titles: try await $0.store.titles(of: ids), values: try await $0.values(after: changes)) },
                then: { $0.history.titles.add($1.titles, values: $1.values) })
        case .loadConsumers:
            .read(
                { (preview: try await $0.cleaningPreview(), machines: try await $0.store.mirrorMachines()) },
                then: { $0.consumers.show($1.preview, $1.machines, at: $0.now) })
        case .loadConflicts:
            .read({ try await $0.store.mirrorConflicts() }, then: { $0.ask($1) })

        // Surroundings
        case .edit(let form, let clip): .terminal { $0.edit(form, clip) }
        case .removeFile(let path): .terminal { $0.removeFile(path) }
        case .retain(let work): .terminal { $0.retain(work) }
        case .open(let urls, let clips): .terminal { $0.open(urls, clips) }
        case .openHere(let urls, let clips, let subject): .terminal { $0.openHere(urls, clips, subject) }
        case .run(let calls, let inBackground): .terminal { $0.run(calls, inBackground: inBackground) }
        case .copy(let text, let what): .terminal { $0.copy(text, what) }
        case .setMouse(let isOn): .terminal { $0.screen.setMouse(isOn) }
        case .setColors(let choice): .terminal { $0.setColors(choice) }
        case .redraw: .terminal { $0.screen.clear() }
        case .suspend: .terminal { $0.suspend() }
        case .quit: .terminal { $0.finish() }
        case .finish(let picked): .terminal { $0.finish(picked) }
        }
    }
}

/// The place where a page opens.
enum PagePlace: Hashable, Sendable {
    case browser, terminal
    /// The page in the Internet Archive, in the browser.
    case archive
}

/// The use of clips read from the store.
enum Purpose: Hashable, Sendable {
    case copy(CopyForm)
    case open(PagePlace)
    case run(ClipCommand, withInput: Bool)
    case pick(CopyForm)

    /// The size of the clips that are used together.
    static let maxBytes = 64 << 20

    /// The attributes to read of several clips; nil for all. Of a single one, all are: a message may name it.
    var attributes: [ClipAttribute]? {
        switch self {
        case .open: [.url, .created]
        case .copy(.url): [.url]
        case .copy(.title), .copy(.markdown), .pick(.markdown), .pick(.url): [.title, .url]
        case .copy(.text): [.text]
        case .pick(.text): [.title, .url, .text]
        case .copy(.id), .pick(.id): [.created]
        case .copy(.json), .pick(.json), .pick(.title), .run: nil
        }
    }
}
