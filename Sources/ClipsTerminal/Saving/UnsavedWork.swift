import ClipsCore
import Glibc
import PersistentStore
import Platform
import Synchronization
import Terminal

/// Retains the texts of work that could not be saved, and reports what became of it once there is no screen.
final class UnsavedWork: Sendable {
    private struct State {
        var isClosing = false
        var sentences: [String] = []
        /// What no file took.
        var lines: [String] = []
    }

    private let storePath: String
    private let author: String
    private let state = Mutex(State())
    private let isEnding = Atomic<Bool>(false)

    init(storePath: String, author: String) {
        self.storePath = storePath
        self.author = author
    }

    /// Whether no save may wait for another process any longer.
    var mustEnd: Bool { isEnding.load(ordering: .relaxed) }

    /// From now on, failures are reported by ``report()``: no screen shows them.
    func close() { state.withLock { $0.isClosing = true } }

    func endWaiting() { isEnding.store(true, ordering: .relaxed) }

    /// Retains the text of work, if it has one.
    ///
    /// - Returns: the reason, and where the text is.
    func retain(_ work: Work, because reason: String) -> String {
        // An edit is retained as an edit where its form is in a file: as a line it would become a second clip.
        let isAdded = if case .add = work { true } else { false }
        let path = (isAdded ? nil : work.form) ?? retain(work.text)
        // The path first: a narrow status line cuts off the end.
        let sentence = path.map { "Your text is kept in \($0). \(reason)" } ?? reason
        state.withLock { if $0.isClosing { $0.sentences.append(sentence) } }
        return sentence
    }

    private func retain(_ draft: ClipDraft?) -> String? {
        guard var draft, !draft.isEmpty else { return nil }
        draft.author = draft.author ?? author
        if let path = UnsavedClips.retain([draft], storePath: storePath) { return path }
        let lines = draft.parts.map(\.jsonLine)
        state.withLock { $0.lines += lines }
        return nil
    }

    /// Prints what a closing screen did not show, on standard error.
    ///
    /// - Returns: whether everything was saved.
    func report() -> Bool {
        let (sentences, lines) = state.withLock { ($0.sentences, $0.lines) }
        var text = sentences.map { "clips: \(SafeText.line($0))\n" }.joined()
        if !lines.isEmpty {
            text += "clips: no file could be written; each line that follows is for 'clips add --jsonl':\n"
        }
        text += lines.joined()
        if !TextFile.write(text, on: STDERR_FILENO) && !lines.isEmpty {
            _ = TextFile.write(text, on: STDOUT_FILENO)
        }
        return sentences.isEmpty && lines.isEmpty
    }
}

extension Work {
    /// What the work was to save, as a clip of its own; nil where it has no text.
    fileprivate var text: ClipDraft? {
        switch self {
        case .add(let draft, _): return draft
        case .bringBack(_, let form, _): return form.draft
        case .edit(let clip, let changes, _, _):
            return EditConflict(base: clip, stored: nil, changes: changes, form: nil).mine.draft
        case .update, .toggle, .tag, .delete, .restore, .undo, .redo: return nil
        }
    }
}
