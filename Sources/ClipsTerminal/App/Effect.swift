import ClipsCore
import LiveQuery
import Mirroring
import PersistentStore
import Terminal

/// Work that the state requests from its surroundings.
enum Effect: Sendable {
    case answer(LiveList<ClipRow>.Request, generation: Int, anchor: SortPosition?)
    case show(ClipQuery, generation: Int, anchor: SortPosition?)
    /// Requests the clips of a query around a clip.
    case showAround(Int64, ClipQuery, generation: Int)
    case loadClip(Int64)
    /// Lays out a whole text, which may take a while.
    case measure(id: Int64, ReaderText)
    /// Reads the IDs between two positions of the list.
    case gatherRange(ClipQuery, from: SortPosition, through: SortPosition, end: SortPosition)
    /// Reads clips for use outside the store.
    case gather([Int64], SortKey, Purpose)
    case findMatch(ClipQuery, from: SortPosition?, isForward: Bool)
    /// Reads the IDs of a list.
    case gatherList(ClipQuery)
    case findUnread(ClipQuery, from: SortPosition?, isForward: Bool)
    /// Searches a text of which the first lines have no match.
    case findLine(id: Int64, ReaderText, ClipHighlight, from: Int, isForward: Bool)
    case loadNames
    case loadFilters
    /// Counts the unread clips of lists.
    case countUnread([ClipQuery])
    case remember(FilterMemory.Change)
    /// Reads older work of this author from the history.
    case loadUndoHistory(UndoHistory, isRedoing: Bool)
    case loadHistory(HistoryFilter)
    case loadChanges(HistoryToken)
    /// Reads the titles of clips in the history.
    case loadTitles([Int64])
    case loadConsumers
    case loadConflicts
    case work(Work)
    /// Finds the process that holds the write lock.
    case findWriter
    case loadForEdit(Int64)
    /// Edits a form in the user's editor.
    case edit(form: String, Clip?)
    case removeFile(String)
    case open(urls: [String])
    /// Opens a URL in a browser in this terminal.
    case openHere(url: String)
    /// Runs programs one after the other on the terminal, or next to the app.
    case run([ProgramCall], inBackground: Bool)
    case copy(String, what: String)
    case setMouse(Bool)
    case setColors(ColorCapability.Choice)
    case redraw
    case suspend
    case quit
    /// Ends a pick.
    case finish(Picked)
}

/// The use of clips read from the store.
enum Purpose: Hashable, Sendable {
    case copy(CopyForm)
    case open
    case run(ClipCommand, withInput: Bool)
    case pick(CopyForm)

    /// The attributes to read; nil for all.
    var attributes: [ClipAttribute]? {
        switch self {
        case .open, .copy(.url), .pick(.url): [.url]
        case .copy(.title), .copy(.markdown), .pick(.markdown): [.title, .url]
        case .copy(.text), .pick(.text): [.text]
        case .copy(.id), .pick(.id): [.created]
        case .copy(.json), .pick(.json), .pick(.title), .run: nil
        }
    }
}

/// A change to commit as one transaction.
enum Work: Sendable {
    case add(ClipDraft, form: String?)
    /// Changes made in the editor, and the clip before them.
    case edit(Clip, [ClipAttribute: AttributeValue], String, form: String?)
    /// A clip that another process deleted while it was edited.
    case recreate(Clip, ClipForm, form: String?)
    case update(Int64, [ClipAttribute: AttributeValue], String)
    /// Marks opened clips as read, which is not reported, and which undo skips.
    case open([Int64])
    case markAllRead(ClipQuery)
    case toggle(ClipAttribute, [Int64])
    case tag([Int64], adding: [String], removing: [String])
    case delete([Int64], title: String)
    case restore(Int64?, deletedBy: HistoryToken)
    case undo(UndoStep, ContestedUndo)
    case redo(UndoStep, ContestedUndo)
    /// Restores or dismisses a value that lost to another machine's.
    case resolve(MirrorConflict, restoring: Bool)

    /// The file with the user's text, which exists until the text is saved.
    var form: String? {
        switch self {
        case .add(_, let form), .edit(_, _, _, let form), .recreate(_, _, let form): form
        default: nil
        }
    }
}

/// A transaction of the user that can be undone.
struct UndoStep: Hashable, Sendable {
    let token: HistoryToken
    /// The change, such as `deleted “Title”`; empty if only the history knows it.
    let summary: String
}
