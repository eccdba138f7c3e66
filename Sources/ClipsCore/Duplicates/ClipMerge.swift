/// Makes one clip of several with the same address.
///
/// In whatever order, grouping or repetition it is done, the result is the same: two processes that merge the
/// same clips at once agree (the operation is a semilattice's join).
package enum ClipMerge {
    /// Both must have their dates and author.
    package static func merged(_ one: ClipDraft, _ other: ClipDraft) -> ClipDraft {
        var result = ClipDraft()
        result.url = one.url
        result.title = longer(one.title, other.title)
        result.text = longer(one.text, other.text)
        result.note = union(paragraphs(one.note), paragraphs(other.note)).joined(separator: "\n\n")
        result.tags = union(one.tags, other.tags)
        result.isStarred = one.isStarred || other.isStarred
        result.isUnread = one.isUnread && other.isUnread
        let first = isEarlier(other, one) ? other : one
        result.created = first.created
        result.author = first.author
        result.updated = max(one.updated ?? 0, other.updated ?? 0)
        return result
    }

    private static func isEarlier(_ one: ClipDraft, _ other: ClipDraft) -> Bool {
        (one.created ?? 0, one.author ?? "") < (other.created ?? 0, other.author ?? "")
    }

    private static func longer(_ one: String, _ other: String) -> String {
        (one.utf8.count, one) < (other.utf8.count, other) ? other : one
    }

    private static func paragraphs(_ note: String) -> [String] {
        guard !note.isEmpty else { return [] }
        var paragraphs: [String] = []
        var rest = note[...]
        while let range = rest.firstRange(of: "\n\n") {
            paragraphs.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return paragraphs + [String(rest)]
    }

    /// One side as it is when it has all that the other has; sorted when each has something of its own, since there
    /// is no other order that does not depend on who came first.
    private static func union(_ one: [String], _ other: [String]) -> [String] {
        let (left, right) = (Set(one), Set(other))
        if left == right { return one.lexicographicallyPrecedes(other) ? other : one }
        if left.isSuperset(of: right) { return one }
        if right.isSuperset(of: left) { return other }
        return left.union(right).sorted()
    }
}
