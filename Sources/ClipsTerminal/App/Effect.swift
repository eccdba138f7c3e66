import ClipsCore
import PersistentStore
import Terminal

/// What the app wants done outside of its state.
enum Effect: Sendable {
    case answer(LiveList<ClipRow>.Request, generation: Int, anchor: SortPosition?)
    case show(ClipQuery, generation: Int, anchor: SortPosition?)
    /// Shows a selection around a clip, wherever it is in it.
    case showAround(Int64, ClipQuery, generation: Int)
    case loadClip(Int64)
    /// Finds all lines of a long text, away from the keys.
    case measure(id: Int64, DetailText)
    /// Reads the ids of a stretch of the list.
    case gatherRange(ClipQuery, from: SortPosition, through: SortPosition, end: SortPosition)
    /// Reads clips to do something with them outside of the store.
    case gather([Int64], SortOrder, Purpose)
    case findMatch(ClipQuery, from: SortPosition?, isForward: Bool)
    case loadNames
    /// Reads what was done before this session, behind what was read of it.
    case loadOwnWork(UndoHistory, isRedoing: Bool)
    case loadHistory(HistoryFilter)
    case loadChanges(HistoryToken)
    case loadConsumers
    case work(Work)
    /// Asks who has kept our work waiting for a while.
    case findWriter
    case loadForEdit(Int64)
    /// Runs the editor on a form, in the terminal.
    case edit(form: String, Clip?)
    case removeFile(String)
    case open(urls: [String])
    /// Opens an address in a browser that needs the terminal.
    case openHere(url: String)
    case copy(String, what: String)
    case setMouse(Bool)
    case setColors(ColorCapability.Choice)
    case redraw
    case suspend
    case quit
}

/// What clips are read for.
enum Purpose: Hashable, Sendable {
    case copy(CopyForm)
    case open

    /// What is needed of each clip; nil when that is all.
    var attributes: [ClipAttribute]? {
        switch self {
        case .open, .copy(.url): [.url]
        case .copy(.title), .copy(.markdown): [.title, .url]
        case .copy(.text): [.text]
        case .copy(.json): nil
        }
    }
}

/// Something to be committed, as one transaction.
enum Work: Sendable {
    case add(ClipDraft, form: String?)
    /// Changes made in the editor, on the clip as it was then.
    case edit(Clip, [ClipAttribute: Value], String, form: String?)
    /// A clip that somebody deleted while it was edited.
    case bringBack(Clip, ClipForm, form: String?)
    case update(Int64, [ClipAttribute: Value], String)
    case toggle(ClipAttribute, [Int64])
    case tag([Int64], adding: [String], removing: [String])
    case delete([Int64], title: String)
    case restore(Int64?, deletedBy: HistoryToken)
    case undo(UndoStep, ContestedUndo)
    case redo(UndoStep, ContestedUndo)

    /// The file that holds the person's text until it is saved.
    var form: String? {
        switch self {
        case .add(_, let form), .edit(_, _, _, let form), .bringBack(_, _, let form): form
        default: nil
        }
    }
}

/// A transaction of ours that can be taken back.
struct UndoStep: Hashable, Sendable {
    let token: HistoryToken
    /// What it did, such as `deleted “Title”`; empty where only the history knows.
    let what: String
}
