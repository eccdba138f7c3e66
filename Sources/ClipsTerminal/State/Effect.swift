import ClipsCore
import PersistentStore
import Terminal

/// What the app wants done outside of its state.
enum Effect: Sendable {
    case answer(LiveList<ClipRow>.Request, generation: Int, anchor: SortPosition?)
    case show(ClipQuery, generation: Int, anchor: SortPosition?)
    case loadClip(Int64)
    /// Finds all lines of a long text, away from the keys.
    case measure(id: Int64, DetailText)
    case loadHistory
    case work(Work)
    case loadForEdit(Int64)
    /// Runs the editor on a form, in the terminal.
    case edit(form: String, Clip?)
    case removeFile(String)
    case open(url: String)
    case copy(String)
    case redraw
    case suspend
    case quit
}

/// Something to be committed.
enum Work: Sendable {
    case add(ClipDraft, form: String?)
    case update(Int64, version: Int64?, [ClipAttribute: Value], String, form: String?)
    case delete(Int64, title: String)
    case undo(UndoStep)
    case redo(UndoStep)

    /// The file that holds the person's text until it is saved.
    var form: String? {
        switch self {
        case .add(_, let form), .update(_, _, _, _, let form): form
        case .delete, .undo, .redo: nil
        }
    }
}

/// A transaction of ours that can be taken back.
struct UndoStep: Hashable, Sendable {
    let token: HistoryToken
    /// What it did, such as `deleted “Title”`.
    let what: String
}
