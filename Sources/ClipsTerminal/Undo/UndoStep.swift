import ClipsCore
import FoundationEssentials
import Glibc
import PersistentStore
import Platform

/// A transaction of the user that can be undone.
struct UndoStep: Hashable, Sendable {
    /// The run that committed a step, if it is not this one.
    struct Origin: Hashable, Sendable {
        let process: Int32?
        let timestamp: Date
    }

    let token: HistoryToken
    /// The change, such as `deleted “Title”`; empty if only the history knows it.
    let summary: String
    var origin: Origin?
    /// The change without the window that made it, as redoing its undo reports it; nil if the summary is the same.
    var redoSummary: String?
    /// The only clip that it changes, if that is known.
    var clip: Int64?
    /// The press of a key with several actions, of which this is one.
    var group: Int?

    /// The sentence that the step is not in the history any more.
    func purgedSentence(_ direction: UndoSteps.Direction) -> String {
        let change = summary.isEmpty ? " this change" : ": \(summary)"
        return "Cannot \(direction.rawValue)\(change). Its history has been purged."
    }

    func named(_ summary: String, redo: String) -> UndoStep {
        UndoStep(token: token, summary: summary, origin: origin, redoSummary: redo)
    }
}

/// A change of another window or an earlier run that the user can undo.
struct ForeignChange: Hashable, Sendable {
    /// The change, such as `deleted “Title”`.
    let change: String
    let timestamp: Date
    let source: Source
    /// Whether nothing of it is left to undo or redo.
    var isVoid = false

    enum Source: String {
        case openWindow = "in another window"
        /// A window or a command that has ended since this run began.
        case elsewhere
        case earlierRun = "in an earlier run"

        init(_ origin: UndoStep.Origin?) {
            guard let origin else {
                self = .earlierRun
                return
            }
            let time = origin.timestamp
            let isOpen = origin.process.map { ProcessIdentity.isAlive($0, since: time) } ?? false
            let isRecent = ProcessIdentity.isAlive(getpid(), since: time, slack: 0)
            self = isOpen ? .openWindow : isRecent ? .elsewhere : .earlierRun
        }
    }

    var summary: String { "\(change) \(source.rawValue)" }

    /// The change as an undo or redo of it reports it: the redo is the work of this window.
    func summary(_ direction: UndoSteps.Direction) -> String { direction == .undo ? summary : change }

    /// Returns a question such as `Undo “Title”, deleted in another window 2 min ago?`, or
    /// `Undo “deleted 3 clips”, in another window 2 min ago?`.
    func question(_ direction: UndoSteps.Direction, at now: Date) -> String {
        let verb = direction.rawValue.sentence
        let words = change.split(separator: " ", maxSplits: 1)
        let sentence = Age(of: timestamp, at: now).sentence
        // What can be redone was undone at that time.
        let age = (direction == .redo ? "and undone " : "") + (sentence == "now" ? "just now" : sentence)
        guard words.count == 2, words[0] != "a" else { return "\(verb) \(summary) \(age)?" }
        if words[1].hasPrefix("“"), words[1].firstIndex(of: "”") == words[1].indices.last {
            return "\(verb) \(words[1]), \(words[0]) \(source.rawValue) \(age)?"
        }
        let subject = change.contains("“") ? ": \(change)" : " “\(change)”"
        return "\(verb)\(subject), \(source.rawValue) \(age)?"
    }
}

extension ForeignChange {
    /// Reads the change of a step; returns nil if the history has been purged.
    static func read(
        _ step: UndoStep, _ direction: UndoSteps.Direction, in store: ClipStore
    ) async throws(StoreError) -> ForeignChange? {
        do {
            let change = try await store.changeDescription(
                of: step.token, isRedoing: direction == .redo, maxTitle: 24)
            let isVoid = try await store.isVoid(step.token, isRedoing: direction == .redo)
            return ForeignChange(
                change: change ?? "a change", timestamp: step.origin?.timestamp ?? .now,
                source: ForeignChange.Source(step.origin), isVoid: isVoid)
        } catch .tokenExpired {
            return nil
        }
    }
}
