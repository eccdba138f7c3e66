import ClipsCore
import Mirroring
import PersistentStore
import Terminal

/// An event that the app reacts to.
enum AppEvent: Sendable {
    case key(Key)
    case resized(Size)
    /// The deadline of the state has passed.
    case tick
    case message(ClipListMessage)
    /// The app begins as a picker.
    case picking(Pick)
    case opened
    /// The store is open, but cannot be written, for the given reason.
    case openedReadOnly(String)
    case openingFailed(String)
    case clipLoaded(id: Int64, Clip?)
    case textMeasured(id: Int64, ReaderText)
    case rangeGathered([Int64], end: SortPosition)
    case gathered([Clip], Purpose)
    case listGathered([Int64], ClipQuery)
    case matchFound(Int64?)
    case unreadFound(Int64?)
    case lineFound(id: Int64, ReaderText, line: Int?, isForward: Bool)
    case filtersLoaded(FilterMemory)
    case unreadCounted([ClipQuery: UnreadCount])
    case namesLoaded(tags: [String], authors: [String], sites: [String] = [])
    case undoHistoryLoaded(UndoHistory)
    case historyLoaded([TransactionSummary], HistoryFilter)
    case changesLoaded(HistoryToken, TransactionDetail?)
    /// Clips with their titles only.
    case titlesLoaded([Clip])
    case consumersLoaded(CleaningPreview)
    case conflictsLoaded([MirrorConflict])
    /// The process that holds the write lock; nil if it is unknown.
    case writerFound(String?)
    case worked(WorkResult)
    case colorsChanged(ColorCapability)
    /// The terminal's background.
    case backgroundReported(Color)
    case editLoaded(Clip)
    case edited(EditedForm)
    /// The result of something outside the store.
    case notice(String)
    /// The failure of a browser or an editor, which no request to the store waits for.
    case programFailed(String)
    case failure(String)
}

/// The result of a piece of work on the store.
struct WorkResult: Sendable {
    let work: Work
    let outcome: Outcome

    enum Outcome: Sendable {
        /// - Parameter summary: the change, if only the store knows it.
        case done(token: HistoryToken?, clips: [Int64], summary: String? = nil, remark: String? = nil)
        /// Another process changed the clip during the edit. The value is the clip in the store.
        case conflict(Clip?)
        /// Another process has changed the clips that the step would undo or redo.
        case contested(UndoConflict)
        case failed(String)
        /// A failure that a retry cannot change.
        case impossible(String)
    }
}

/// A form after editing.
struct EditedForm: Sendable {
    /// The edited clip; nil for a new one.
    let clip: Clip?
    let text: String
    /// The file with the text, which exists until the text is saved.
    let path: String
}
