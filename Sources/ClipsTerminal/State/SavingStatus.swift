import ClipsCore
import FoundationEssentials
import PersistentStore

/// Work on its way into the store, and our own work that can be taken back.
struct SavingStatus: Sendable {
    private(set) var count = 0
    private var since: Date?
    /// The newest transaction of ours that the list has not shown yet.
    var awaited: Int64 = 0
    fileprivate(set) var undoable: [UndoStep] = []
    fileprivate(set) var redoable: [UndoStep] = []

    /// A save that is quick is not worth a word.
    private static let patience = 0.3
    private static let mostSteps = 1000

    func isSlow(at now: Date) -> Bool {
        since.map { now.timeIntervalSince($0) >= Self.patience } ?? false
    }

    func noticeDue(at now: Date) -> Date? {
        since.flatMap { isSlow(at: now) ? nil : $0 + Self.patience }
    }

    mutating func begin(at now: Date) {
        count += 1
        if since == nil { since = now }
    }

    fileprivate mutating func end(at now: Date) {
        count = max(0, count - 1)
        since = count == 0 ? nil : now
    }

    fileprivate mutating func keep(_ step: UndoStep) {
        undoable.append(step)
        if undoable.count > Self.mostSteps { undoable.removeFirst() }
    }
}

extension AppState {
    mutating func start(_ work: Work) {
        saving.begin(at: now)
        emit(.work(work))
    }

    mutating func undo() {
        guard let step = saving.undoable.popLast() else {
            return tell("You have done nothing yet to take back.")
        }
        start(.undo(step))
    }

    mutating func redo() {
        guard let step = saving.redoable.popLast() else { return tell("Nothing was taken back.") }
        start(.redo(step))
    }

    mutating func take(_ result: WorkResult) {
        saving.end(at: now)
        switch result.outcome {
        case .failed(let sentence):
            tell(sentence, isError: true)
            if case .undo(let step) = result.work { saving.undoable.append(step) }
            if case .redo(let step) = result.work { saving.redoable.append(step) }
            isQuitting = false
        case .done(let token, let clips, let remark):
            if let token { saving.awaited = max(saving.awaited, token.number) }
            succeed(result.work, token, remark: remark)
            if let id = clips.first, !list.select(id: id), saving.awaited > sync.newestTransaction {
                feed.wanted = Wanted(id: id)
            }
            if let form = result.work.form { emit(.removeFile(form)) }
        }
        if isQuitting, saving.count == 0 { emit(.quit) }
    }

    private mutating func succeed(_ work: Work, _ token: HistoryToken?, remark: String?) {
        let undoKey = keys.name(of: .undo)
        func quoted(_ text: String) -> String { "“\(String(text.prefix(40)))\(text.count > 40 ? "…" : "")”" }
        var what: String
        switch work {
        case .add(let draft, _):
            what = "saved \(quoted([draft.title, draft.url, draft.text].first { !$0.isEmpty } ?? ""))"
        case .update(_, _, _, let description, _): what = description
        case .delete(_, let title): what = "deleted \(quoted(title))"
        case .undo(let step):
            if let token { saving.redoable.append(UndoStep(token: token, what: step.what)) }
            return tell("Taken back: \(step.what) · \(keys.name(of: .redo)) does it again")
        case .redo(let step):
            if let token { saving.keep(UndoStep(token: token, what: step.what)) }
            return tell("Done again: \(step.what) · \(undoKey) takes it back")
        }
        if let token { saving.keep(UndoStep(token: token, what: what)) }
        saving.redoable = []
        if let remark { what += " · \(remark)" }
        tell(what.prefix(1).uppercased() + what.dropFirst() + " · \(undoKey) takes it back")
    }
}
