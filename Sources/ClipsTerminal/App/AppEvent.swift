import ClipsCore
import PersistentStore
import Terminal

/// What the app reacts to.
enum AppEvent: Sendable {
    case key(Key)
    case resized(Size)
    /// Time went by.
    case tick
    case message(ClipListMessage)
    /// The store is open; work can be done.
    case opened
    /// The store is open, but can only be read; why, as a sentence.
    case openedToRead(String)
    case openingFailed(String)
    case clipLoaded(id: Int64, Clip?)
    case detailMeasured(id: Int64, DetailText)
    case rangeGathered([Int64], end: SortPosition)
    case gathered([Clip], Purpose)
    case matchFound(Int64?)
    case namesLoaded(tags: [String], authors: [String])
    case ownWorkLoaded(UndoHistory)
    case historyLoaded([TransactionSummary], HistoryFilter)
    case changesLoaded(HistoryToken, TransactionDetail?)
    case consumersLoaded(CleaningPreview)
    /// Who writes into the store, if anybody else does.
    case writerFound(String?)
    case worked(WorkResult)
    /// The screen shows so many colours from now on.
    case colorsChanged(ColorCapability)
    case editLoaded(Clip)
    case edited(EditedForm)
    /// Something outside the store did, or did not, go well.
    case notice(String)
    /// A browser or an editor failed, which nothing in the store waits for.
    case programFailed(String)
    case failure(String)
}

/// What became of a piece of work on the store.
struct WorkResult: Sendable {
    let work: Work
    let outcome: Outcome

    enum Outcome: Sendable {
        case done(token: HistoryToken?, clips: [Int64], remark: String?)
        /// Done, and this is what was done: only the store could tell.
        case told(String, token: HistoryToken?, clips: [Int64])
        /// Somebody else changed the clip meanwhile; what is in the store now.
        case conflict(Clip?)
        /// Somebody else changed since what was to be taken back or done again.
        case contested(UndoConflict)
        case failed(String)
        /// It can never be done.
        case impossible(String)
    }
}

/// A form back from the editor.
struct EditedForm: Sendable {
    /// The clip that was edited; nil for a new one.
    let clip: Clip?
    let text: String
    /// Where the text is, until it is saved.
    let path: String
}
