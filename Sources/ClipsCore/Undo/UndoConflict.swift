package import PersistentStore

/// The changes of other writers since a transaction that undoing it would overwrite.
package struct UndoConflict: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package let attribute: String
        /// The value after the transaction.
        package let base: AttributeValue
        /// The present value.
        package let theirs: AttributeValue
        /// The value after undoing; nil if that deletes the clip.
        package let mine: AttributeValue?
    }

    package struct Clip: Hashable, Sendable {
        package let id: Int64
        package let title: String
        package let fields: [Field]
        /// Whether undoing deletes the clip, which the transaction had inserted.
        package let isDeletion: Bool
    }

    /// The maximum number of clips; more are only counted.
    package static let maxClips = 50

    package let clips: [Clip]
    package let count: Int
    /// The names of the authors of the changes, with the numbers of their windows; nil for an external writer.
    package let authors: [String?]
    /// Whether a part of the transaction can be undone without a conflict.
    package let hasRest: Bool

    /// Returns both conflicts as one.
    func joined(_ other: UndoConflict) -> UndoConflict {
        UndoConflict(
            clips: Array((clips + other.clips).prefix(Self.maxClips)), count: count + other.count,
            authors: authors + other.authors.filter { !authors.contains($0) },
            hasRest: hasRest || other.hasRest)
    }
}

/// The resolution of an undo conflict.
package enum ContestedUndo: Hashable, Sendable {
    /// Save nothing and return the conflict.
    case ask
    /// Undo only the part without a conflict.
    case keepTheirs
    /// Undo everything; the history retains the overwritten values.
    case overwrite
}

package enum UndoOutcome: Sendable {
    package struct Saved: Sendable {
        /// The last transaction; nil if nothing was undone.
        package var token: HistoryToken?
        package var restored: [Int64] = []
        /// Those that were changed; others had the former values already.
        package var clips: Set<Int64> = []
        /// The number of clips in the step.
        package var count = 0
        /// The number of those that others have deleted since.
        package var deleted = 0
        /// The number of those with which others have done the same again.
        package var repeated = 0
    }

    case saved(Saved)
    case contested(UndoConflict)
}
