import ClipsCore
import PersistentStore

/// The user's changes that can be undone and redone, those of earlier sessions included.
struct UndoSteps: Sendable {
    enum Direction: Sendable { case undo, redo }

    private(set) var undoable: [UndoStep] = []
    var redoable: [UndoStep] = []
    /// The steps of earlier sessions that have been read from the history so far.
    private(set) var earlier = UndoHistory()
    /// The step that waits for earlier steps to load.
    fileprivate var requested: Direction?
    /// Steps requested while a save was under way, which may have to be undone first.
    var waiting: [Direction] = []
    /// Whether this session has changed something, so that earlier undone steps cannot be redone.
    private var hasWorked = false

    private static let maxSteps = 1000

    fileprivate func mayLoadMore(_ direction: Direction) -> Bool {
        !earlier.isComplete && (direction == .undo || (!hasWorked && !earlier.hasWork))
    }

    fileprivate mutating func removeLast(_ direction: Direction) -> UndoStep? {
        direction == .undo ? undoable.popLast() : redoable.popLast()
    }

    /// Adds steps of earlier sessions before those of this one.
    ///
    /// - Parameter isCurrent: whether no save is under way that would prevent redoing.
    fileprivate mutating func add(_ work: UndoHistory, isCurrent: Bool) {
        func steps(_ all: [UndoHistory.Step], _ known: [UndoHistory.Step]) -> [UndoStep] {
            all.prefix(max(0, all.count - known.count)).filter { !$0.isOfSession }
                .map { UndoStep(token: $0.token, summary: "") }
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
        (redoable, hasWorked) = ([], true)
    }

    /// Makes a step that was not saved the next one again.
    mutating func restore(_ work: Work) {
        if case .undo(let step, _) = work { undoable.append(step) }
        if case .redo(let step, _) = work { redoable.append(step) }
    }

    /// Cancels the steps that wait for the history.
    mutating func cancelRequests() {
        requested = nil
        waiting = []
    }
}

extension AppState {
    mutating func undo() { run(.undo) }

    mutating func redo() { run(.redo) }

    /// Whether the last change is not known yet.
    private var isUndoUncertain: Bool { saving.count > 0 || undoSteps.requested != nil }

    private mutating func run(_ direction: UndoSteps.Direction) {
        guard !isUndoUncertain else { return undoSteps.waiting.append(direction) }
        if let step = undoSteps.removeLast(direction) {
            start(direction == .undo ? .undo(step, .ask) : .redo(step, .ask))
        } else if undoSteps.mayLoadMore(direction) {
            undoSteps.requested = direction
            emit(.loadUndoHistory(undoSteps.earlier, isRedoing: direction == .redo))
        } else {
            report(direction == .undo ? "No changes of yours to undo in the last week." : "Nothing to redo.")
        }
    }

    mutating func finishLoading(_ work: UndoHistory) {
        undoSteps.add(work, isCurrent: saving.count == 0)
        if let requested = undoSteps.requested {
            undoSteps.requested = nil
            run(requested)
        }
        runWaitingUndo()
    }

    mutating func runWaitingUndo() {
        while !isUndoUncertain, !undoSteps.waiting.isEmpty { run(undoSteps.waiting.removeFirst()) }
    }
}
