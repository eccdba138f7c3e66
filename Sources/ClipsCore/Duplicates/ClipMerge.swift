import CSearch
import SearchIndex

/// Merges clips with the same URL, or variants of it, into one.
///
/// Both texts remain, the longer one first, with a line of dashes between them; a text that is part of the
/// other is not repeated, and their links have one list at the end, see ``LinkedTexts``. The longer title remains the title, unless the user gave one, and the other one
/// becomes a paragraph of the note, as does the address of another section of the page. Notes are sets of paragraphs, and tags are sets of names. The author and the time are those of the
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
        let isScript = result.url.isEmpty && (one.text.hasPrefix("#!") || other.text.hasPrefix("#!"))
        result.text = text(one.text, other.text, isMarkdown: !isScript)
        let page = LinkedPage(result.url)
        let notes = union(page.adapted(parts(one.note, "\n\n")), page.adapted(parts(other.note, "\n\n")))
        let titles = [one.title, other.title].filter { $0 != result.title && !$0.isEmpty }
        let additions = Set(titles.map(paragraph) + [one.url, other.url].compactMap(page.paragraph))
        let paragraphs = union(notes, additions.sorted())
        result.note = paragraphs.filter { title == nil || $0 != paragraph(result.title) }.joined(
            separator: "\n\n")
        result.tags = union(one.tags, other.tags)
        result.isStarred = one.isStarred || other.isStarred
        result.isUnread = one.isUnread && other.isUnread
        result.hasReadState = one.hasReadState || other.hasReadState
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

    /// Returns the texts of which none is part of another, longest first, with one list of their links; a side
    /// unchanged if it has all of them.
    ///
    /// - Parameter isMarkdown: Whether numbers in brackets may be links.
    private static func text(_ one: String, _ other: String, isMarkdown: Bool) -> String {
        if one == other { return one }
        let texts = [one, other].map { parts($0, textSeparator).map { Array($0.utf8) } }
        let hasLinks = isMarkdown && texts.joined().contains(where: LinkedTexts.hasDefinition)
        let sides = texts.map { maximal([LinkedTexts($0, isLinked: hasLinks)]) }
        let all = maximal(sides)
        let canonical = all.text(textSeparator)
        // Of several sides that have all, the greatest that is not the canonical form, so that the result
        // does not depend on the order of merges.
        let whole = zip(sides, [one, other]).filter { $0.0 == all }.map(\.1)
        return whole.filter { $0 != canonical }.max() ?? canonical
    }

    private static func maximal(_ sides: [LinkedTexts]) -> LinkedTexts {
        let sorted = Set(sides.flatMap(\.parts)).sorted {
            $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count
        }
        var result: [[UInt8]] = []
        for part in sorted where !result.contains(where: { contains($0, part) }) { result.append(part) }
        return LinkedTexts(parts: result, addresses: sides.flatMap(\.rest))
    }

    /// Whether a text contains the bytes of the other.
    static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        part.isEmpty || offset(of: part, in: text[...]) != nil
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

    /// The addresses of the sections of a page, as paragraphs of a note.
    ///
    /// All begin with the URL of the merged clip, so that they do not depend on the order of merges.
    private struct LinkedPage {
        private let key: String
        private let url: Substring
        private let anchor: String?
        private static let label = "url: "

        init(_ url: String) {
            key = CanonicalURL.key(url)
            self.url = url.prefix { $0 != "#" }
            anchor = CanonicalURL.anchor(of: url)
        }

        /// Returns a paragraph for a URL that names another section of the page; nil for any other.
        func paragraph(_ url: String) -> String? {
            guard let section = section(of: url), section != anchor else { return nil }
            return "\(Self.label)\(self.url)#\(section)"
        }

        /// Returns paragraphs with the addresses of sections as those of this URL.
        func adapted(_ paragraphs: [String]) -> [String] {
            var sections: Set<String> = []
            return paragraphs.compactMap { text in
                guard text.hasPrefix(Self.label) else { return text }
                let url = String(text.dropFirst(Self.label.count))
                guard let section = section(of: url) else { return text }
                return sections.insert(section).inserted ? paragraph(url) : nil
            }
        }

        private func section(of url: String) -> String? {
            CanonicalURL.anchor(of: url).flatMap { CanonicalURL.key(url) == key ? $0 : nil }
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
