import ClipsCore
import FoundationEssentials
import PersistentStore

/// Work on its way into the store, and our own work that can be taken back.
struct SavingStatus: Sendable {
    enum Direction: Sendable { case undo, redo }

    /// Why nothing can be saved; nil when it can.
    var obstacle: String?
    private(set) var count = 0
    private var since: Date?
    /// Who has kept it waiting for so long that a person wonders.
    private(set) var writer: String?
    private var nextQuestion: Date?
    /// The newest transaction of ours that the list has not shown yet.
    var awaited: Int64 = 0
    var undoable: [UndoStep] = []
    var redoable: [UndoStep] = []
    /// What the history told of work before this session, read only as far as it was needed.
    var earlier = UndoHistory()
    /// What waits for its answer.
    var wanted: Direction?
    /// New work was done in this session: what was taken back before is not done again on top of it.
    var hasWorked = false
    /// The person has moved the cursor since the last work was begun; it stays where they put it.
    var hasMoved = false
    /// Asked for while a save was on its way, which it may be about.
    var waiting: [Direction] = []

    /// What was done last is not known yet.
    var isUncertain: Bool { count > 0 || wanted != nil }

    /// A save that is quick is not worth a word.
    private static let patience = 0.3
    private static let patienceWithOthers = 0.8
    private static let mostSteps = 1000

    func isSlow(at now: Date) -> Bool {
        since.map { now.timeIntervalSince($0) >= Self.patience } ?? false
    }

    func noticeDue(at now: Date) -> Date? {
        since.flatMap { isSlow(at: now) ? nextQuestion : $0 + Self.patience }
    }

    mutating func begin(at now: Date) {
        count += 1
        if since == nil { wait(from: now) }
    }

    mutating func end(at now: Date) {
        count = max(0, count - 1)
        wait(from: count == 0 ? nil : now)
    }

    private mutating func wait(from start: Date?) {
        since = start
        writer = nil
        nextQuestion = start.map { $0 + Self.patienceWithOthers }
    }

    /// Whether it is time to ask who keeps our work waiting; asks once a second.
    mutating func asksForWriter(at now: Date) -> Bool {
        guard let due = nextQuestion, due <= now else { return false }
        nextQuestion = now + 1
        return true
    }

    mutating func take(writer name: String?) { writer = count > 0 ? name : nil }

    func mayKnowMore(_ direction: Direction) -> Bool {
        !earlier.isComplete && (direction == .undo || (!hasWorked && !earlier.hasWork))
    }

    /// - Parameter isCurrent: nothing is on its way that would make it old.
    mutating func take(_ work: UndoHistory, isCurrent: Bool) {
        func steps(_ all: [UndoHistory.Step], _ known: [UndoHistory.Step]) -> [UndoStep] {
            all.prefix(max(0, all.count - known.count)).filter { !$0.isOfSession }
                .map { UndoStep(token: $0.token, what: "") }
        }
        undoable = steps(work.undoable, earlier.undoable) + undoable
        if !hasWorked, isCurrent { redoable = steps(work.redoable, earlier.redoable) + redoable }
        earlier = work
    }

    mutating func keep(_ step: UndoStep) {
        undoable.append(step)
        if undoable.count > Self.mostSteps { undoable.removeFirst() }
    }
}

extension AppState {
    mutating func start(_ work: Work) {
        saving.begin(at: now)
        saving.hasMoved = false
        emit(.work(work))
    }

    mutating func undo() {
        guard !saving.isUncertain else { return saving.waiting.append(.undo) }
        if let step = saving.undoable.popLast() { return start(.undo(step, .ask)) }
        askForEarlierWork(.undo, "You have done nothing in the last week to take back.")
    }

    mutating func redo() {
        guard !saving.isUncertain else { return saving.waiting.append(.redo) }
        if let step = saving.redoable.popLast() { return start(.redo(step, .ask)) }
        askForEarlierWork(.redo, "Nothing was taken back.")
    }

    private mutating func askForEarlierWork(_ direction: SavingStatus.Direction, _ refusal: String) {
        guard saving.mayKnowMore(direction) else { return tell(refusal) }
        saving.wanted = direction
        emit(.loadOwnWork(saving.earlier, isRedoing: direction == .redo))
    }

    /// What other processes of this author did comes under what this one did.
    mutating func take(_ work: UndoHistory) {
        saving.take(work, isCurrent: saving.count == 0)
        let wanted = saving.wanted
        saving.wanted = nil
        switch wanted {
        case .undo?: undo()
        case .redo?: redo()
        case nil: break
        }
        goOnWithWaiting()
    }

    mutating func take(_ result: WorkResult) {
        saving.end(at: now)
        switch result.outcome {
        case .failed(let sentence):
            tell(sentence, isError: true)
            giveBack(result.work)
            isQuitting = false
        case .impossible(let sentence):
            tell(sentence, isError: true)
            isQuitting = false
        case .conflict(let stored):
            if case .edit(let base, let changes, _, let form) = result.work {
                ask(about: EditConflict(base: base, stored: stored, changes: changes, form: form))
            }
        case .contested(let conflict): ask(about: conflict, result.work)
        case .done(let token, let clips, let remark):
            finish(result.work, token, clips)
            succeed(result.work, token, what: Self.what(result.work), remark: remark)
        case .told(let what, let token, let clips):
            finish(result.work, token, clips)
            succeed(result.work, token, what: what, remark: nil)
        }
        if case .done = result.outcome {} else if case .told = result.outcome {} else { saving.waiting = [] }
        goOnWithWaiting()
        if isQuitting, saving.count == 0 { emit(.quit) }
    }

    private mutating func goOnWithWaiting() {
        while !saving.isUncertain, !saving.waiting.isEmpty {
            switch saving.waiting.removeFirst() {
            case .undo: undo()
            case .redo: redo()
            }
        }
    }

    /// A step that was not gone is the next one again.
    mutating func giveBack(_ work: Work) {
        if case .undo(let step, _) = work { saving.undoable.append(step) }
        if case .redo(let step, _) = work { saving.redoable.append(step) }
    }

    private mutating func finish(_ work: Work, _ token: HistoryToken?, _ clips: [Int64]) {
        if let token { saving.awaited = max(saving.awaited, token.number) }
        if !saving.hasMoved, let id = clips.first, !list.select(id: id),
            saving.awaited > sync.newestTransaction
        {
            feed.wanted = Wanted(id: id)
        }
        if case .delete(let ids, _) = work { marks.remove(ids) }
        if let form = work.form { emit(.removeFile(form)) }
    }

    /// What was asked of the history will not come.
    mutating func giveUpEarlierWork() {
        saving.wanted = nil
        saving.waiting = []
    }

    private static func what(_ work: Work) -> String {
        func quoted(_ text: String) -> String { "“\(String(text.prefix(40)))\(text.count > 40 ? "…" : "")”" }
        switch work {
        case .add(let draft, _):
            return "saved \(quoted([draft.title, draft.url, draft.text].first { !$0.isEmpty } ?? ""))"
        case .edit(_, _, let what, _), .update(_, _, let what): return what
        case .bringBack(let clip, _, _): return "brought back \(quoted(clip.displayTitle))"
        case .delete(let ids, let title):
            return ids.count == 1
                ? "deleted \(quoted(title))" : "deleted \(StatusLine.grouped(ids.count)) clips"
        case .undo(let step, _), .redo(let step, _): return step.what
        case .restore: return "restored what was deleted"
        case .toggle, .tag: return "changed the clips"
        }
    }

    private mutating func succeed(_ work: Work, _ token: HistoryToken?, what: String, remark: String?) {
        let undoKey = keys.name(of: .undo)
        switch work {
        case .undo:
            guard let token else { return tell("Nothing of it was left to take back: \(what)") }
            saving.redoable.append(UndoStep(token: token, what: what))
            return tell("Taken back: \(what) · \(keys.name(of: .redo)) does it again")
        case .redo:
            guard let token else { return tell("Nothing of it was left to do again: \(what)") }
            saving.keep(UndoStep(token: token, what: what))
            return tell("Done again: \(what) · \(undoKey) takes it back")
        default: break
        }
        guard let token else { return tell(what.sentence) }
        saving.keep(UndoStep(token: token, what: what))
        (saving.redoable, saving.hasWorked) = ([], true)
        let told = [what.sentence, remark, "\(undoKey) takes it back"].compactMap(\.self)
        tell(told.joined(separator: " · "))
    }
}
