import ClipsCore
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
    /// The store is open; with a reason, it cannot be written.
    case opened(readOnlyReason: String?)
    case openingFailed(String)
    /// The answer to a request.
    case answered(StoreRequest.Reply)
    /// The failure of a request.
    case failure(String)
    case colorsChanged(ColorCapability)
    /// The terminal's background.
    case backgroundReported(Color)
    case edited(EditedForm)
    /// A program has ended that printed something.
    case printed(ProgramOutput)
    /// A browser has the pages of clips.
    case pagesOpened([Int64])
    /// The result of something outside the store.
    case notice(String)
    /// The work of the thread that draws has ended, whose result the later actions of a key wait for.
    case performed
    /// The failure of a browser or an editor, which no request to the store waits for.
    case programFailed(String)
}

/// A form after editing.
struct EditedForm: Sendable {
    /// The edited clip; nil for a new one.
    let clip: Clip?
    let text: String
    /// The file with the text, which exists until the text is saved.
    let path: String
}
