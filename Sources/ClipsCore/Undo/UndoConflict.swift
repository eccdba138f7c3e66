package import PersistentStore

/// What others have changed since a transaction, where taking it back would overwrite that.
package struct UndoConflict: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package let attribute: String
        /// As the transaction left it.
        package let base: Value
        /// As it is in the store now.
        package let theirs: Value
        /// What taking back would make of it; nil where the clip goes.
        package let mine: Value?
    }

    package struct Clip: Hashable, Sendable {
        package let id: Int64
        package let title: String
        package let fields: [Field]
        /// Taking back deletes the clip, which it had saved.
        package let isDeletion: Bool
    }

    /// Shown to a person; more than these are only counted.
    package static let mostClips = 50

    package let clips: [Clip]
    package let count: Int
    /// Who changed them; nil for a writer that left no name.
    package let authors: [String?]
    /// Some of the transaction can be taken back without a question.
    package let hasRest: Bool
}

/// What is done about it.
package enum ContestedUndo: Hashable, Sendable {
    /// Nothing is saved, and the caller is told.
    case ask
    /// What others changed stays, and the rest is taken back.
    case keepTheirs
    /// All is taken back; what the others had is kept by the history.
    case overwrite
}

package enum UndoOutcome: Sendable {
    case saved(SaveResult)
    case contested(UndoConflict)
}
