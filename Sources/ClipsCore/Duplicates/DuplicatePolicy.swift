/// The action for a clip whose URL a stored clip already has.
///
/// A clip that adds nothing to the stored one is never saved again. Except for `keepBoth`, variants of a URL
/// are the same URL, see `CanonicalURL`.
package enum DuplicatePolicy: String, CaseIterable, Sendable {
    case keepBoth = "keep"
    /// Merges it into the oldest clip without losing text, see ``ClipMerge``; other stored clips of the page remain as
    /// they are. Clips that together exceed the size of a clip remain separate. An unread clip is
    /// read afterwards only if the draft says so.
    case merge
    /// Replaces all stored clips with that URL by the new one.
    case replace
    /// Does not save the new one.
    case skip
}

/// The result of saving clips with a ``DuplicatePolicy``, in numbers of clips.
package struct DuplicateOutcome: Hashable, Sendable {
    /// Inserted as separate clips.
    package var saved = 0
    /// Inserted although their URL already existed; counted in `saved` too.
    package var addedAsDuplicate = 0
    package var merged = 0
    package var replaced = 0
    package var skipped = 0
    /// Not saved because they add nothing.
    package var unchanged = 0
    /// Other clips of the page, which the new one replaced.
    package var deleted = 0
    /// Archived before they were merged, and no longer.
    package var unarchived = 0
    /// The IDs of the other stored clips of the pages of merged clips, which remain.
    package var remaining: Set<Int64> = []
    /// The first stored clip of a page that was saved again, and its title before that.
    package var firstExisting: Int64?
    package var formerTitle: String?

    package init() {}

    /// The number of drafts whose page, or whose UUID, was already saved.
    package var existing: Int { addedAsDuplicate + merged + replaced + skipped + unchanged }

    /// The number of inserted or changed clips.
    package var total: Int { saved + merged + replaced }

    package static func += (left: inout DuplicateOutcome, right: DuplicateOutcome) {
        left.saved += right.saved
        left.addedAsDuplicate += right.addedAsDuplicate
        left.merged += right.merged
        left.replaced += right.replaced
        left.skipped += right.skipped
        left.unchanged += right.unchanged
        left.deleted += right.deleted
        left.unarchived += right.unarchived
        left.firstExisting = left.firstExisting ?? right.firstExisting
        left.formerTitle = left.formerTitle ?? right.formerTitle
        left.remaining.formUnion(right.remaining)
    }
}
