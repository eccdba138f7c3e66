import ClipsCore
import Platform
import Terminal

/// A line that the user types in the status line.
struct Prompt: Sendable {
    enum Kind: Hashable, Sendable {
        case filter
        /// Words in the text of the open clip, and the line at the top when typing began.
        case text(top: Int)
        case add
        /// The tags of clips; with the current tags of a single one, which may be deleted before it is answered.
        case tags([Int64], of: [String]?, title: String)
        case command
        /// The note of a clip, which may have changed since.
        case note(Clip)
        /// The note of a quote of a clip.
        case quoteNote(Quote, of: Int64)
        case helpFilter
        case historyFilter

        /// The bound of the text. A search reads all of it at each key.
        fileprivate var maxCharacters: Int {
            switch self {
            case .filter, .text, .helpFilter, .historyFilter: ClipQuery.maxFilterLength
            case .note, .quoteNote: Quote.maxText / 4
            case .tags: 1 << 12
            case .add, .command: 1 << 20
            }
        }
    }

    private(set) var kind: Kind
    var editor: LineEditor
    /// The candidates that Tab cycles through.
    var completion: Completion?
    /// The clip that was under the cursor.
    var clip: Int64?
    /// The index of the recalled command, counted from the newest.
    var recalled: Int?

    init(kind: Kind, text: String = "", clip: Int64? = nil) {
        (self.kind, self.clip) = (kind, clip)
        editor = LineEditor(text, maxCharacters: kind.maxCharacters)
    }

    /// Those of several clips that still exist; empty for another prompt.
    var clips: [Int64] {
        get { if case .tags(let clips, of: nil, _) = kind { clips } else { [] } }
        set { if case .tags(_, of: nil, let title) = kind { kind = .tags(newValue, of: nil, title: title) } }
    }

    /// Whether the answer is about a clip that another program replaced: only its ID is the same.
    private(set) var isOfReplaced = false

    mutating func note(_ transactions: [TransactionSummary]) {
        guard case .tags(let clips, _, _) = kind else { return }
        // A deletion that was undone returns the same clip.
        let inserted = Set(transactions.lazy.filter { $0.role == .work }.flatMap(\.insertedClips))
        let left = clips.filter { !inserted.contains($0) }
        if left.isEmpty { isOfReplaced = true } else if left.count < clips.count { self.clips = left }
    }

    /// Replaces the text.
    mutating func fill(_ text: String) { editor = LineEditor(text, maxCharacters: kind.maxCharacters) }

    /// - Parameter columns: Those of the line, half of which remain for the text.
    func label(columns: Int = 80) -> String {
        switch kind {
        case .filter, .text, .helpFilter, .historyFilter: "/"
        case .add: "Add URL or text: "
        case .tags(let ids, of: nil, _): "Tags of \(ids.count.counted("clip")): "
        case .tags(_, of: let tags?, _) where !tags.isEmpty:
            "Tags (\(SafeText.cutAtWord(tags.joined(separator: ", "), to: max(1, columns / 2 - 10)))): "
        case .tags: "Tags: "
        case .command: ":"
        case .note, .quoteNote: "Note: "
        }
    }

    /// The label on a narrow screen.
    var shortLabel: String {
        switch kind {
        case .filter, .text, .helpFilter, .historyFilter, .command: label()
        case .tags(let ids, of: nil, _): "\(ids.count.grouped): "
        case .add, .tags, .note, .quoteNote: ""
        }
    }

    /// A hint in an empty line.
    var placeholder: String {
        switch kind {
        case .filter: "words in the title, URL, tags, text"
        case .add: "Enter opens your editor"
        case .text: "words in this text"
        case .note: "a note on the clip"
        case .quoteNote: "a note on the quote"
        case .tags: "+swift -old"
        case .command: "a command; Tab completes"
        case .helpFilter: "words in the help"
        case .historyFilter: "author:NAME since:2h before:2026-11-01"
        }
    }
}
