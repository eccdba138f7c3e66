import ClipsCore
import FoundationEssentials
import LiveQuery
import Mirroring
import PersistentStore

/// The app's own commits that are under way.
struct SavingStatus: Sendable {
    /// The reason why nothing can be saved; nil when it can.
    var unavailabilityReason: String?
    private(set) var count = 0
    private var since: Date?
    /// The process that has held the write lock for long.
    private(set) var writer: String?
    private var nextWriterRequest: Date?
    /// The app's newest transaction that the list does not show yet.
    var awaited: Int64 = 0
    /// The clips that the app's own commits remove from the list, as long as the list may show them.
    var leaving: Set<Int64> = []
    /// Whether the user has moved the cursor since the last work began, so that its result must not move it.
    var hasMoved = false
    /// Whether the app quits after the last save.
    var isQuitting = false

    /// Seconds until a save is shown as slow.
    private static let patience = 0.3
    private static let writerPatience = 0.8

    func isSlow(at now: Date) -> Bool {
        since.map { now.timeIntervalSince($0) >= Self.patience } ?? false
    }

    func noticeDue(at now: Date) -> Date? {
        since.flatMap { isSlow(at: now) ? nextWriterRequest : $0 + Self.patience }
    }

    mutating func begin(_ work: Work, at now: Date) {
        count += 1
        leaving.formUnion(work.leaving)
        hasMoved = false
        if since == nil { wait(from: now) }
    }

    mutating func end(_ result: WorkResult, at now: Date) {
        count = max(0, count - 1)
        if case .done(.some, _, _, _) = result.outcome {} else { leaving.subtract(result.work.leaving) }
        wait(from: count == 0 ? nil : now)
    }

    private mutating func wait(from start: Date?) {
        since = start
        writer = nil
        nextWriterRequest = start.map { $0 + Self.writerPatience }
    }

    /// Returns whether to look up the lock holder now, at most once a second.
    mutating func requestsWriter(at now: Date) -> Bool {
        guard let due = nextWriterRequest, due <= now else { return false }
        nextWriterRequest = now + 1
        return true
    }

    mutating func setWriter(_ name: String?) { writer = count > 0 ? name : nil }
}

extension AppState {
    mutating func start(_ work: Work) {
        if saving.count == 0, saving.awaited <= sync.newestTransaction { saving.leaving = [] }
        saving.begin(work, at: now)
        emit(.work(work))
    }

    mutating func finish(_ result: WorkResult) {
        saving.end(result, at: now)
        switch result.outcome {
        case .done(let token, let clips, let summary, let remark):
            finish(result.work, token, clips)
            report(result.work, token, summary ?? result.work.summary, remark: remark)
        case .failed(let sentence):
            undoSteps.restore(result.work)
            fail(sentence)
        case .impossible(let sentence): fail(sentence)
        case .conflict(let stored):
            undoSteps.waiting = []
            if case .edit(let base, let changes, _, let form) = result.work {
                ask(.edit(EditConflict(base: base, stored: stored, changes: changes, form: form)))
            }
        case .contested(let conflict):
            undoSteps.waiting = []
            ask(.undo(UndoQuestion(work: result.work, conflict: conflict)))
        }
        runWaitingUndo()
        if saving.isQuitting, saving.count == 0 { emit(.quit) }
    }

    private mutating func fail(_ sentence: String) {
        report(sentence, isError: true)
        undoSteps.waiting = []
        saving.isQuitting = false
    }

    private mutating func finish(_ work: Work, _ token: HistoryToken?, _ clips: [Int64]) {
        if let token { saving.awaited = max(saving.awaited, token.number) }
        if !saving.hasMoved, let id = clips.first, !list.clips.select(id: id),
            saving.awaited > sync.newestTransaction
        {
            list.feed.pendingSelection = PendingSelection(id: id)
        }
        if case .delete(let ids, _) = work { list.marks.remove(ids) }
        if let form = work.form { emit(.removeFile(form)) }
    }

    private mutating func report(_ work: Work, _ token: HistoryToken?, _ summary: String, remark: String?) {
        let undoHint = "\(keys.name(of: .undo)) to undo"
        switch work {
        case .open: return
        case .undo:
            guard let token else { return report("Nothing left to undo: \(summary)") }
            undoSteps.redoable.append(UndoStep(token: token, summary: summary))
            report("Undone: \(summary) · \(keys.name(of: .redo)) to redo")
        case .redo:
            guard let token else { return report("Nothing left to redo: \(summary)") }
            undoSteps.add(UndoStep(token: token, summary: summary))
            report("Redone: \(summary) · \(undoHint)")
        default:
            guard let token else { return report(summary.sentence) }
            undoSteps.addWork(UndoStep(token: token, summary: summary))
            report([summary.sentence, remark, undoHint].compactMap(\.self).joined(separator: " · "))
        }
    }
}

extension Work {
    /// The clips that are not in the list after the work.
    fileprivate var leaving: Set<Int64> {
        switch self {
        case .delete(let ids, _), .toggle(.archived, let ids): Set(ids)
        case .update(let id, let changes, _) where changes[.archived] == .boolean(true): [id]
        default: []
        }
    }

    /// The change as it is known without the store, such as `deleted “Title”`.
    fileprivate var summary: String {
        func quoted(_ text: String) -> String { "“\(text.prefix(40))\(text.count > 40 ? "…" : "")”" }
        switch self {
        case .add(let draft, _):
            return "saved \(quoted([draft.title, draft.url, draft.text].first { !$0.isEmpty } ?? ""))"
        case .edit(_, _, let summary, _), .update(_, _, let summary): return summary
        case .recreate(let clip, _, _): return "restored \(quoted(clip.displayTitle))"
        case .delete(let ids, let title):
            return ids.count == 1
                ? "deleted \(quoted(title))" : "deleted \(StatusLine.grouped(ids.count)) clips"
        case .undo(let step, _), .redo(let step, _): return step.summary
        case .resolve(let conflict, let restoring):
            return restoring ? "restored the \(conflict.attribute)" : "kept the \(conflict.attribute)"
        case .restore: return "restored deleted clips"
        case .open, .markAllRead, .toggle, .tag: return "changed the clips"
        }
    }
}
