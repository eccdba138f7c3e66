import CSearch
import SearchIndex

/// Merges clips with the same URL, or variants of it, into one.
///
/// Both texts remain, the longer one first, with a line of dashes between them; a text that is part of the
/// other is not repeated. The longer title remains the title, unless the user gave one, and the other one
/// becomes a paragraph of the note. Notes are sets of paragraphs, and tags are sets of names. The author and the time are those of the
/// earlier clip.
///
/// The operation is the join of a semilattice: order, grouping, and repetition do not change the result, so
/// two processes that merge the same clips concurrently agree.
package enum ClipMerge {
    /// The separator of merged texts.
    static let textSeparator = "\n\n----------\n\n"

    /// Returns the merged clip. Both must have their dates and author.
    ///
    /// - Parameter title: The title that the user gave; nil for the longer one.
    package static func merged(_ one: ClipDraft, _ other: ClipDraft, title: String? = nil) -> ClipDraft {
        var result = ClipDraft()
        result.uuid = [one.uuid, other.uuid].compactMap(\.self).min()
        result.url = CanonicalURL.preferred(one.url, other.url)
        result.title = title ?? longer(one.title, other.title)
        result.text = text(one.text, other.text)
        let notes = union(parts(one.note, "\n\n"), parts(other.note, "\n\n"))
        let titles = [one.title, other.title].filter { $0 != result.title && !$0.isEmpty }
        let paragraphs = union(notes, titles.map(paragraph))
        result.note = paragraphs.filter { title == nil || $0 != paragraph(result.title) }.joined(
            separator: "\n\n")
        result.tags = union(one.tags, other.tags)
        result.isStarred = one.isStarred || other.isStarred
        result.isUnread = one.isUnread && other.isUnread
        result.isArchived = one.isArchived && other.isArchived
        result.quotes = one.quotes + other.quotes.filter { !$0.isKnown(among: one.quotes) }
        let first = isEarlier(other, one) ? other : one
        result.created = first.created
        result.author = first.author
        result.updated = max(one.updated ?? 0, other.updated ?? 0)
        return result
    }

    private static func paragraph(_ title: String) -> String { "title: \(title)" }

    private static func isEarlier(_ one: ClipDraft, _ other: ClipDraft) -> Bool {
        (one.created ?? 0, one.author ?? "") < (other.created ?? 0, other.author ?? "")
    }

    private static func longer(_ one: String, _ other: String) -> String {
        (one.utf8.count, one) < (other.utf8.count, other) ? other : one
    }

    /// Returns the texts of which none is part of another, longest first; a side unchanged if it has all of
    /// them.
    private static func text(_ one: String, _ other: String) -> String {
        if one == other { return one }
        let (left, right) = (maximal(parts(one, textSeparator)), maximal(parts(other, textSeparator)))
        let all = maximal(left + right)
        let canonical = all.joined(separator: textSeparator)
        // Of several sides that have all, the greatest that is not the canonical form, so that the result
        // does not depend on the order of merges.
        let whole = [(left, one), (right, other)].filter { $0.0 == all }.map(\.1)
        return whole.filter { $0 != canonical }.max() ?? canonical
    }

    private static func maximal(_ parts: [String]) -> [String] {
        let sorted = Set(parts).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
        guard sorted.count > 1 else { return sorted }
        var result: [String] = []
        for part in sorted where !result.contains(where: { contains($0, part) }) { result.append(part) }
        return result
    }

    /// Whether a text contains the bytes of the other.
    private static func contains(_ text: String, _ part: String) -> Bool {
        part.isEmpty || offset(of: Array(part.utf8), in: Array(text.utf8)[...]) != nil
    }

    private static func parts(_ text: String, _ separator: String) -> [String] {
        guard !text.isEmpty else { return [] }
        let mark = Array(separator.utf8)
        var rest = Array(text.utf8)[...]
        var parts: [String] = []
        while let offset = offset(of: mark, in: rest) {
            parts.append(String(decoding: rest.prefix(offset), as: UTF8.self))
            rest = rest.dropFirst(offset + mark.count)
        }
        return parts + [String(decoding: rest, as: UTF8.self)]
    }

    /// - Complexity: O(*n*); texts may have many megabytes, and repeat.
    private static func offset(of mark: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        text.withUnsafeBufferPointer { text in
            mark.withUnsafeBufferPointer { mark in
                guard let start = text.baseAddress, let wanted = mark.baseAddress else { return nil }
                let found = search_find(start, text.count, 0, wanted, mark.count)
                return found < 0 ? nil : found
            }
        }
    }

    /// Returns a side unchanged if it has all names of the other; otherwise the sorted union, the only order
    /// that does not depend on the order of merges.
    private static func union(_ one: [String], _ other: [String]) -> [String] {
        let (left, right) = (Set(one), Set(other))
        if left == right { return one.lexicographicallyPrecedes(other) ? other : one }
        if left.isSuperset(of: right) { return one }
        if right.isSuperset(of: left) { return other }
        return left.union(right).sorted()
    }
}
