/// What happens when an address is saved that a clip has already.
///
/// A clip that adds nothing to the one that is there is never saved a second time.
package enum DuplicatePolicy: String, CaseIterable, Sendable {
    case keepBoth = "keep"
    /// Into the oldest one, by ``ClipMerge``; nothing that only one of them says is lost. Clips that together exceed
    /// the size of a clip stay separate.
    case merge
    /// The new one's contents take the place of all that there were.
    case replace
    /// What is there stays as it is.
    case skip
}

/// What became of clips that were saved by a ``DuplicatePolicy``.
package struct DuplicateOutcome: Hashable, Sendable {
    /// Saved as clips of their own.
    package var saved = 0
    /// Among the saved ones, those whose address was there before.
    package var keptBeside = 0
    package var merged = 0
    package var replaced = 0
    package var skipped = 0
    /// Added nothing to what was there.
    package var alreadyThere = 0

    package init() {}

    /// Clips that were inserted or changed.
    package var total: Int { saved + merged + replaced }

    package static func += (left: inout DuplicateOutcome, right: DuplicateOutcome) {
        left.saved += right.saved
        left.keptBeside += right.keptBeside
        left.merged += right.merged
        left.replaced += right.replaced
        left.skipped += right.skipped
        left.alreadyThere += right.alreadyThere
    }
}
