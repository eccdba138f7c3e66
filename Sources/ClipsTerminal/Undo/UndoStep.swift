import ClipsCore
import FoundationEssentials
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
    /// The press of a key with several actions, of which this is one.
    var group: Int?

    func named(_ summary: String, redo: String) -> UndoStep {
        UndoStep(token: token, summary: summary, origin: origin, redoSummary: redo)
    }
}

/// A change of another window or an earlier run that the user can undo.
struct ForeignChange: Hashable, Sendable {
    /// The change, such as `deleted “Title”`.
    let change: String
    let timestamp: Date
    /// Whether the process that made it still runs.
    let isOfOpenWindow: Bool
    /// Whether nothing of it is left to undo or redo.
    var isVoid = false

    private var source: String { isOfOpenWindow ? "in another window" : "in an earlier run" }

    var summary: String { "\(change) \(source)" }

    /// The change as an undo or redo of it reports it: the redo is the work of this window.
    func summary(_ direction: UndoSteps.Direction) -> String { direction == .undo ? summary : change }

    /// Returns a question such as `Undo “Title”, deleted in another window 2 min ago?`, or
    /// `Undo “deleted 3 clips”, in another window 2 min ago?`.
    func question(_ direction: UndoSteps.Direction, at now: Date) -> String {
        let verb = direction == .undo ? "Undo" : "Redo"
        let words = change.split(separator: " ", maxSplits: 1)
        let sentence = Age(of: timestamp, at: now).sentence
        // What can be redone was undone at that time.
        let age = (direction == .redo ? "and undone " : "") + (sentence == "now" ? "just now" : sentence)
        guard words.count == 2, words[0] != "a" else { return "\(verb) \(summary) \(age)?" }
        if words[1].hasPrefix("“"), words[1].firstIndex(of: "”") == words[1].indices.last {
            return "\(verb) \(words[1]), \(words[0]) \(source) \(age)?"
        }
        return change.contains("“")
            ? "\(verb): \(change), \(source) \(age)?" : "\(verb) “\(change)”, \(source) \(age)?"
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
                isOfOpenWindow: step.origin.flatMap { origin in
                    origin.process.map { ProcessIdentity.isAlive($0, since: origin.timestamp) }
                } ?? false,
                isVoid: isVoid)
        } catch .tokenExpired {
            return nil
        }
    }
}
