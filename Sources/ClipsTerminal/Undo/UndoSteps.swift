import ClipsCore
import PersistentStore

/// The user's changes that can be undone and redone: those of this run, then those of other runs.
struct UndoSteps: Sendable {
    enum Direction: String, Sendable {
        case undo, redo

        var participle: String { self == .undo ? "undone" : "redone" }
    }

    private(set) var undoable: [UndoStep] = []
    private(set) var redoable: [UndoStep] = []
    /// The steps of earlier sessions that have been read from the history so far.
    private(set) var earlier = UndoHistory()
    /// Steps requested while a save was under way, which may have to be undone first.
    var waiting: [Direction] = []
    /// The steps of which nothing could be undone or redone, since others deleted the clips or did it before.
    private var tried: Set<HistoryToken> = []
    /// Whether this session has changed something, so that earlier undone steps cannot be redone.
    private var hasWorked = false

    private static let maxSteps = 1000

    fileprivate func mayLoadMore(_ direction: Direction) -> Bool {
        !earlier.isComplete && (direction == .undo || (!hasWorked && !earlier.hasWork))
    }

    fileprivate func last(_ direction: Direction) -> UndoStep? {
        (direction == .undo ? undoable : redoable).last { !tried.contains($0.token) }
    }

    fileprivate mutating func removeLast(_ direction: Direction) {
        guard let step = last(direction) else { return }
        if direction == .undo { undoable.removeAll { $0 == step } } else { redoable.removeAll { $0 == step } }
    }

    /// Retains a step of which nothing could be undone or redone now, and skips it until all others were tried.
    mutating func setAside(_ work: Work) {
        restore(work)
        if case .revert(let step, _, _) = work { tried.insert(step.token) }
    }

    fileprivate mutating func skip(_ step: UndoStep) { tried.insert(step.token) }

    /// Returns whether steps were skipped, which can be tried again.
    @discardableResult
    mutating func endSkipping() -> Bool {
        defer { tried = [] }
        return !tried.isEmpty
    }

    /// Adds steps of other sessions before those of this one.
    ///
    /// - Parameter isCurrent: whether no save is under way that would prevent redoing.
    fileprivate mutating func add(_ work: UndoHistory, isCurrent: Bool) {
        func steps(_ all: [UndoHistory.Step], _ known: [UndoHistory.Step]) -> [UndoStep] {
            all.prefix(max(0, all.count - known.count)).filter { !$0.isOfSession }
                .map {
                    let origin = UndoStep.Origin(process: $0.process, timestamp: $0.timestamp)
                    return UndoStep(token: $0.token, summary: "", origin: origin)
                }
        }
        undoable = steps(work.undoable, earlier.undoable) + undoable
        if !hasWorked, isCurrent { redoable = steps(work.redoable, earlier.redoable) + redoable }
        earlier = work
    }

    mutating func add(_ step: UndoStep) {
        undoable.append(step)
        if undoable.count > Self.maxSteps { undoable.removeFirst() }
    }

    /// Adds a change other than undo or redo, after which nothing can be redone.
    mutating func addWork(_ step: UndoStep) {
        add(step)
        (redoable, hasWorked, tried) = ([], true, [])
    }

    /// Makes a step that was not saved the next one again.
    mutating func restore(_ work: Work) {
        guard case .revert(let step, let direction, _) = work else { return }
        if direction == .undo { undoable.append(step) } else { redoable.append(step) }
    }

    /// Adds a step that was undone or redone, for the other direction.
    mutating func add(
        _ step: UndoStep, _ direction: Direction, savedAs token: HistoryToken, _ summary: String
    ) {
        let summary = direction == .undo ? step.redoSummary ?? summary : summary
        let reverse = UndoStep(token: token, summary: summary, clip: step.clip, group: step.group)
        if direction == .undo { redoable.append(reverse) } else { add(reverse) }
    }

    /// Forgets the steps of other sessions, which may have changed since they were read.
    fileprivate mutating func forgetOthers() {
        undoable.removeAll { $0.origin != nil }
        redoable.removeAll { $0.origin != nil }
        earlier = UndoHistory()
    }
}

extension AppState {
    mutating func undo() { run(.undo) }

    mutating func redo() { run(.redo) }

    /// Whether the last change is not known yet.
    private var isUndoUncertain: Bool { saving.count > 0 || requestedUndo != nil }

    /// The step that waits for the history.
    private var requestedUndo: UndoSteps.Direction? {
        if case .undo(let direction)? = typing.awaitedQuestion { direction } else { nil }
    }

    /// Whether a step waits for a save, so that it is not known yet whether it asks a question.
    var isUndoWaiting: Bool { !undoSteps.waiting.isEmpty && !saving.isSlow(at: now) }

    private mutating func run(_ direction: UndoSteps.Direction) {
        guard !isUndoUncertain else { return undoSteps.waiting.append(direction) }
        if let step = undoSteps.last(direction), step.origin == nil {
            // It may report what is no longer so.
            if typing.group == nil, message?.isError == false { message = nil }
            return start(step, direction)
        }
        undoSteps.forgetOthers()
        loadOthers(direction)
    }

    /// Reads the work of other sessions, as far as a step of it.
    private mutating func loadOthers(_ direction: UndoSteps.Direction) {
        guard undoSteps.mayLoadMore(direction) else {
            let verb = direction.rawValue
            guard !undoSteps.endSkipping() else {
                return report("Nothing else to \(verb); the next \(verb) begins again with your last change.")
            }
            return report(
                direction == .undo
                    ? "No changes of yours to undo in the last week, besides clips that you opened."
                    : "Nothing to redo.")
        }
        typing.awaitedQuestion = .undo(direction)
        emit(.loadUndoHistory(undoSteps.earlier, isRedoing: direction == .redo))
    }

    mutating func finishLoading(_ work: UndoHistory) {
        undoSteps.add(work, isCurrent: saving.count == 0)
        if let direction = requestedUndo {
            typing.awaitedQuestion = nil
            if saving.count > 0 {
                undoSteps.waiting.insert(direction, at: 0)
            } else if let step = undoSteps.last(direction) {
                if step.origin == nil { return start(step, direction) }
                typing.awaitedQuestion = .undo(direction)
                return emit(.describeUndo(step, direction))
            } else {
                loadOthers(direction)
            }
        }
        runWaitingUndo()
    }

    /// Undoes or redoes the next action of the same key, too.
    mutating func continueGroup(of step: UndoStep, _ direction: UndoSteps.Direction) {
        guard step.group != nil, let next = undoSteps.last(direction), next.group == step.group else {
            return
        }
        start(next, direction)
    }

    private mutating func start(_ step: UndoStep, _ direction: UndoSteps.Direction) {
        undoSteps.removeLast(direction)
        start(.revert(step, direction, .ask))
    }

    /// Asks before a change of another run is undone or redone.
    ///
    /// - Parameter change: The change; nil if the history no longer contains it.
    mutating func finishDescribing(
        _ step: UndoStep, _ direction: UndoSteps.Direction, _ change: ForeignChange?
    ) {
        guard requestedUndo == direction else { return updateQuestion(of: step, change) }
        undoSteps.waiting = []
        guard let change else {
            cancelAwaitedQuestion()
            if undoSteps.last(direction) == step { undoSteps.removeLast(direction) }
            return report(step.purgedSentence(direction), isError: true)
        }
        guard !change.isVoid else {
            undoSteps.skip(step)
            typing.awaitedQuestion = nil
            return run(direction)
        }
        let question = change.question(direction, at: now)
        guard opens(.undo(direction)) else {
            return report("Nothing was \(direction.participle): \(question)")
        }
        menu = Menu(
            title: question,
            items: [
                Menu.Item(
                    key: "y", label: direction.rawValue,
                    choice: .foreignUndo(
                        step.named(change.summary(direction), redo: change.change), direction))
            ])
    }

    /// Undoes or redoes a change of another run, as the user has answered.
    mutating func resolve(_ step: UndoStep, _ direction: UndoSteps.Direction) {
        guard undoSteps.last(direction)?.token == step.token else { return }
        start(step, direction)
    }

    mutating func runWaitingUndo() {
        while !isUndoUncertain, !undoSteps.waiting.isEmpty { run(undoSteps.waiting.removeFirst()) }
    }
}
