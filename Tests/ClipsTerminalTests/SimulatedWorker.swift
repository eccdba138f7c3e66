import ClipsCore
import Foundation
import HistoryTracking
import LiveQuery
import Mirroring
import PersistentStore
import TestSupport

@testable import ClipsTerminal

/// A store worker without threads: the test decides when jobs run and when their messages arrive.
struct SimulatedWorker {
    enum Job {
        case effect(Effect)
        case count(generation: Int)
    }

    /// A message, and the list after it.
    struct Mail {
        let event: AppEvent
        var rows: [ClipRow]?
        /// The effect that the event answers.
        var answered: Effect?
        /// The clips that the answered save deleted, or that the answered search found to be deleted.
        var deleted: Set<Int64> = []
    }

    var store = SimulatedClips()
    var mailbox: [Mail] = []
    private(set) var queues: [[Job]] = [[], [], []]
    private(set) var query = ClipQuery()
    private(set) var rows: [ClipRow] = []
    private var generation = 0
    private var delivered = 0
    /// The number of saves.
    private(set) var works = 0
    /// The results of saves whose commits the list has not received.
    private var held: [Mail] = []
    /// How likely a request fails.
    var failureRate = 0.03

    var isIdle: Bool {
        queues.allSatisfy(\.isEmpty) && mailbox.isEmpty && delivered == store.commits.count && held.isEmpty
    }

    mutating func post(_ event: AppEvent, rows: [ClipRow]? = nil) {
        mailbox.append(Mail(event: event, rows: rows))
    }

    private mutating func post(_ message: LiveMessage<ClipRow>) {
        post(AppEvent.message(message), rows: rows)
    }

    mutating func open() {
        refetch(around: nil)
        post(AppEvent.message(.state(.live)))
    }

    /// Queues an effect as ``StoreWorker`` does.
    mutating func add(_ effect: Effect) {
        switch effect {
        case .answer: queues[0].append(.effect(effect))
        case .show, .showAround: queues[0] = [.effect(effect)]
        case .loadClip:
            queues[1].removeAll { if case .effect(.loadClip) = $0 { true } else { false } }
            queues[1].append(.effect(effect))
        case .work: queues[2].append(.effect(effect))
        default: queues[1].append(.effect(effect))
        }
    }

    /// Runs the next job of a queue.
    mutating func work(_ queue: Int, using random: inout SeededRandom) {
        guard !queues[queue].isEmpty else { return }
        let fails = random.isLikely(failureRate)
        switch queues[queue].removeFirst() {
        case .count(let generation):
            guard generation == self.generation else { return }
            deliver()
            post(.count(rows.count, generation: generation))
        case .effect(.answer(let request, let generation, _)):
            guard generation == self.generation else { return }
            if fails {
                return post(.failed(.cancelled, requestNumber: request.number, generation: generation))
            }
            deliver()
            answer(request)
        case .effect(.show(let query, let generation, let anchor)):
            show(query, generation, around: anchor, fails: fails)
        case .effect(.showAround(let id, let query, let generation, let anchor)):
            let place = SimulatedClips.position(of: id, store.items[id], in: query) ?? anchor
            show(query, generation, around: place, fails: fails)
        case .effect(.work(let work)):
            works += 1
            let outcome = fails ? .failed("No.") : store.perform(work)
            var mail = Mail(event: .answer(.work(work), outcome), answered: .work(work))
            if case .delete(let ids, _) = work, case .done = outcome { mail.deleted = Set(ids) }
            if outcome.token == nil { mailbox.append(mail) } else { held.append(mail) }
        case .effect(let effect):
            let event = fails ? .failure("No.") : event(effect)
            guard let event else { return }
            var mail = Mail(event: event, answered: fails ? nil : effect)
            // In a pause, a clip that is already deleted can be marked.
            if case .findHidden(let marks, _) = effect, !fails {
                mail.deleted = marks.filter { store.clip($0) == nil }
            }
            mailbox.append(mail)
        }
    }

    /// Posts the commits since the last call.
    mutating func deliver() {
        let news = store.commits[delivered...]
        guard !news.isEmpty else { return }
        delivered = store.commits.count
        var firsts: [Int64: SimulatedClips.Item?] = [:]
        for change in news.flatMap(\.changes) where firsts[change.id] == nil {
            firsts[change.id] = .some(change.before)
        }
        var changes: [LiveList<ClipRow>.Change] = []
        for (id, first) in firsts.sorted(by: { $0.key < $1.key }) {
            let old = SimulatedClips.position(of: id, first, in: query)
            let new = store.row(id, in: query)
            guard old != nil || new != nil else { continue }
            if let old { rows.removeAll { $0.id == id && $0.position == old } }
            if let new { rows.insert(new, at: rows.firstIndex { $0.position > new.position } ?? rows.count) }
            changes.append(LiveList.Change(id: id, old: old, new: new))
        }
        if !changes.isEmpty { post(.changes(changes, generation: generation)) }
        post(.transactions(news.map(SimulatedClips.summary)))
        releaseHeld()
    }

    /// Posts the results of saves, after the messages of their commits.
    private mutating func releaseHeld() {
        mailbox += held
        held = []
    }

    /// Posts a window, as after a commit that is too large to be reported by its changes.
    mutating func refresh(around id: Int64?) {
        refetch(around: id.flatMap { SimulatedClips.position(of: $0, store.items[$0], in: query) })
    }

    private mutating func show(
        _ query: ClipQuery, _ generation: Int, around place: SortPosition?, fails: Bool
    ) {
        guard generation > self.generation else { return }
        (self.query, self.generation) = (query, generation)
        deliver()
        if fails { return post(.failed(.cancelled, requestNumber: nil, generation: generation)) }
        refetch(around: place)
    }

    private mutating func refetch(around place: SortPosition?) {
        delivered = store.commits.count
        rows = store.rows(query)
        var window: LiveList<ClipRow>.Window
        if let place {
            let middle = offset(of: place)
            window = self.window(middle - 20, middle + 20)
            window.around = place
        } else {
            window = self.window(0, 40)
        }
        window.count = window.reachesEnd ? rows.count : nil
        post(.window(window, generation: generation))
        post(AppEvent.message(.reached(Int64(delivered))))
        releaseHeld()
        if window.count == nil { queues[0].append(.count(generation: generation)) }
    }

    private func offset(of place: SortPosition) -> Int {
        rows.firstIndex { $0.position >= place } ?? rows.count
    }

    private func window(_ first: Int, _ end: Int) -> LiveList<ClipRow>.Window {
        let end = max(0, min(end, rows.count))
        let first = max(0, min(first, end))
        if first == end, !rows.isEmpty { return first > 0 ? window(first - 1, end) : window(first, end + 1) }
        return LiveList.Window(
            rows: Array(rows[first..<end]), lowerIndex: first, count: nil, reachesStart: first == 0,
            reachesEnd: end == rows.count)
    }

    private mutating func answer(_ request: LiveList<ClipRow>.Request) {
        var window: LiveList<ClipRow>.Window
        switch request.kind {
        case .start(let limit): window = self.window(0, limit)
        case .end(let limit):
            window = self.window(rows.count - limit, rows.count)
            window.count = rows.count
        case .around(let place, let before, let after):
            window = self.window(offset(of: place) - before, offset(of: place) + after)
        case .at(let index, let before, let after):
            window = self.window(min(index, rows.count) - before, min(index, rows.count) + after)
        case .after(let place, let limit):
            var first = offset(of: place)
            if first < rows.count, rows[first].position == place { first += 1 }
            let end = min(rows.count, first + limit)
            return post(
                .more(
                    Array(rows[first..<end]), .after, reachedEdge: end == rows.count,
                    requestNumber: request.number, generation: generation))
        case .before(let place, let limit):
            let end = offset(of: place)
            let first = max(0, end - limit)
            return post(
                .more(
                    Array(rows[first..<end]), .before, reachedEdge: first == 0,
                    requestNumber: request.number, generation: generation))
        }
        window.requestNumber = request.number
        if window.reachesEnd { window.count = rows.count }
        post(.window(window, generation: generation))
    }

    private func event(_ effect: Effect) -> AppEvent? {
        func answer(_ value: Any) -> AppEvent { .answer(effect, value) }
        switch effect {
        case .loadClip(let id): return answer(store.clip(id) as Any)
        case .measure(_, var text):
            _ = text.count(upTo: .max)
            return answer(text)
        case .gather(let ids, _, _): return answer(ids.compactMap(store.clip))
        case .gatherRange(let query, let first, let last, _):
            return answer(
                store.rows(query).filter { $0.position >= first && $0.position <= last }.map(\.id))
        case .findMatch(let query, let place, let isForward),
            .findUnread(let query, let place, let isForward):
            return answer(store.nearest(query, to: place, isForward: isForward) as Any)
        case .findHidden(let marks, let query), .findArrivals(let marks, let query):
            let missing = marks.subtracting(store.rows(query).map(\.id))
            let deleted = missing.filter { store.clip($0) == nil }
            return answer((hidden: missing.subtracting(deleted), deleted: deleted))
        case .gatherList(let query): return answer(store.rows(query).map(\.id))
        case .countUnread(let queries):
            return answer(
                Dictionary(uniqueKeysWithValues: Set(queries).map { ($0, UnreadCount(store.rows($0).count)) })
            )
        case .loadNames:
            return answer(KnownNames(tags: ["alpha", "alps", "beta"], authors: ["app", "extension"]))
        case .loadFilters: return answer(FilterMemory?.none as Any)
        case .loadUndoHistory: return answer(UndoHistory(all: [], session: 7))
        case .loadConflicts: return answer([MirrorConflict]())
        case .loadHistory(let filter, let count):
            let commits = store.commits.dropLast(count).suffix(500).map(SimulatedClips.summary)
            return answer((commits.filter(filter.admits), Int64(0)))
        case .loadNewHistory(let filter, let known):
            let commits = store.commits.map(SimulatedClips.summary)
            return answer(commits.filter { $0.id > known && filter.admits($0) })
        case .loadChanges: return answer(TransactionDetail?.none as Any)
        case .loadTitles(let ids, _):
            return answer(
                (
                    titles: Dictionary(
                        uniqueKeysWithValues: ids.compactMap(store.clip).map { ($0.id, $0.displayTitle) }),
                    values: [Int64: ValuesAfter]()
                ))
        case .loadForConflict(let id): return answer(store.clip(id) as Any)
        case .loadForEdit(let id), .loadForNote(let id), .loadForDeletion(let id):
            return store.clip(id).map { answer($0) } ?? .failure("Gone.")
        default: return nil
        }
    }
}

extension SimulatedClips {
    mutating func perform(_ work: Work) -> Work.Outcome {
        func done(_ token: HistoryToken?, _ ids: [Int64]) -> Work.Outcome {
            .done(token: token, clips: ids)
        }
        func changed(_ ids: [Int64], _ change: (inout Item) -> Void) -> [Int64: Item?] {
            var news: [Int64: Item?] = [:]
            for id in ids {
                guard var item = items[id] else { continue }
                change(&item)
                item.updated = clock + 10
                news[id] = .some(item)
            }
            return news
        }
        switch work {
        case .add(let draft, _), .addPage(let draft, _):
            let id = newID()
            let item = Item(
                title: draft.title.isEmpty ? draft.url + draft.text : draft.title, url: draft.url,
                text: draft.text,
                author: "app", created: clock + 10, updated: clock + 10)
            return done(commit("app", isOwn: true, [id: item]), [id])
        case .edit(let clip, let changes, _, _):
            guard items[clip.id]?.version == clip.version else { return .conflict(self.clip(clip.id)) }
            let news = changed([clip.id]) { $0.apply(changes) }
            return done(commit("app", isOwn: true, news), [clip.id])
        case .recreate(let clip, _, _):
            let item = Item(
                title: clip.title, author: clip.author, created: clip.created.milliseconds, updated: clock)
            return done(commit("app", isOwn: true, [clip.id: item]), [clip.id])
        case .open(let ids):
            return done(commit("app", isOwn: true, changed(ids) { $0.isUnread = false }), [])
        case .nothing(let ids, _, let sentence):
            guard ids.contains(where: { items[$0] != nil }) else { return .impossible("Gone.") }
            return .done(token: nil, clips: [], summary: sentence)
        case .markAllRead(let query):
            return done(
                commit("app", isOwn: true, changed(rows(query).map(\.id)) { $0.isUnread = false }), [])
        case .toggle(let attribute, let value, let ids, _):
            guard ids.contains(where: { items[$0] != nil }) else { return .failed("Gone.") }
            let news = changed(ids) { $0.apply([attribute: .boolean(value ?? (attribute != .unread))]) }
            let token = commit("app", isOwn: true, news)
            return .done(token: token, clips: ids.count == 1 ? ids : [], summary: "toggled")
        case .tag(let ids, let adding, let removing, _):
            let news = changed(ids) {
                $0.tags = Tags($0.tags + adding).names.filter { !removing.contains($0) }
            }
            return .done(token: commit("app", isOwn: true, news), clips: [], summary: "tagged")
        case .delete(let ids, _):
            let news = Dictionary(uniqueKeysWithValues: ids.map { ($0, Item?.none) })
            return commit("app", isOwn: true, news).map { done($0, []) } ?? .failed("Gone.")
        case .restore(_, _, _, let token), .restoreRow(_, let token): return revert(token)
        case .revert(let step, _, _):
            return revert(step.token)
        // No other machine, and no quotes, exist here.
        case .resolve, .quote, .unquote, .noteQuote: return done(nil, [])
        }
    }

    private mutating func revert(_ token: HistoryToken) -> Work.Outcome {
        let changes = commits.first { $0.number == token.number }?.changes ?? []
        let news = Dictionary(uniqueKeysWithValues: changes.map { ($0.id, $0.before) })
        let token = commit("app", isOwn: true, news)
        return .done(token: token, clips: changes.filter { $0.after == nil }.map(\.id), summary: "undone")
    }
}

extension SimulatedClips.Item {
    mutating func apply(_ changes: [ClipAttribute: AttributeValue]) {
        for (attribute, value) in changes {
            switch attribute {
            case .title: title = value.textValue ?? ""
            case .starred: isStarred = value.booleanValue
            case .unread: isUnread = value.booleanValue
            case .archived: isArchived = value.booleanValue
            case .tags: tags = Tags(joined: value.textValue ?? "").names
            default: break
            }
        }
    }
}
