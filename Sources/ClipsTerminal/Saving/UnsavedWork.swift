import ClipsCore
import Glibc
import PersistentStore
import Platform
import Synchronization
import Terminal

/// Retains the text of work that could not be saved, and reports it after the screen is closed.
final class UnsavedWork: Sendable {
    private struct State {
        var isClosing = false
        var sentences: [String] = []
        /// Clips that could not be written to a file, as JSON lines.
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

    /// Whether saves must stop waiting for other processes.
    var mustEnd: Bool { isEnding.load(ordering: .relaxed) }

    /// Collects further failures for ``report()``, since no screen shows them.
    func close() { state.withLock { $0.isClosing = true } }

    func endWaiting() { isEnding.store(true, ordering: .relaxed) }

    /// Retains the text of work, if it has one.
    ///
    /// - Parameter failure: A sentence that names the clip, if not that of the work.
    /// - Returns: The failure and its reason, with the path of the text.
    func retain(_ work: Work, as failure: String? = nil, because reason: String = "") -> String {
        // An edit remains in its form: as a line, it would become a second clip.
        let isAdded = if case .add = work { true } else { false }
        let path = (isAdded ? nil : work.form) ?? retain(work.text)
        // The path first, since a narrow status line cuts off the end.
        let place = path.map { "Your text is in \($0). " } ?? ""
        let sentence = "\(place)\(failure ?? work.failure)\(reason)".trimmed
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

    /// Prints the collected failures on standard error.
    ///
    /// - Returns: Whether everything was saved.
    func report() -> Bool {
        let (sentences, lines) = state.withLock { ($0.sentences, $0.lines) }
        var text = sentences.map { "clips: \(SafeText.line($0))\n" }.joined()
        if !lines.isEmpty {
            text += "clips: No file could be written; each line that follows is for 'clips add --jsonl':\n"
        }
        text += lines.joined()
        if !TextFile.write(text, on: STDERR_FILENO) && !lines.isEmpty {
            _ = TextFile.write(text, on: STDOUT_FILENO)
        }
        return sentences.isEmpty && lines.isEmpty
    }
}

extension Work {
    /// The text of the work as a clip; nil if it has none.
    fileprivate var text: ClipDraft? {
        switch self {
        case .add(let draft, _), .addPage(let draft, _): return draft
        case .recreate(_, let form, _): return form.draft
        case .edit(let clip, let changes, _, _):
            return EditConflict(base: clip, stored: nil, changes: changes, form: nil).mine.draft
        case .quote(let quote, _): return Self.draft(quote.text)
        case .noteQuote(let note, _, _): return Self.draft(note)
        case .open, .markAllRead, .toggle, .tag, .delete, .nothing, .unquote, .restore, .restoreRow, .revert,
            .resolve:
            return nil
        }
    }

    private static func draft(_ text: String) -> ClipDraft {
        var draft = ClipDraft()
        draft.text = text
        return draft
    }
}
