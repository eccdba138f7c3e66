import ClipsCore
import FoundationEssentials
import SearchIndex
import Terminal

/// Formats found clips with the matching text: as rows on a terminal, with the matches in bold, and as lines for other
/// programs.
struct FoundLines {
    let query: SearchQuery
    let isMarked: Bool
    /// Nil for other programs.
    let table: ClipTable?

    func text(_ clip: Clip) -> String {
        let title = clip.displayTitle
        let tags = clip.tags.joined(separator: ", ")
        let tagMatches = query.matches(in: tags, of: .tag)
        guard let table else {
            let day = String(clip.created.ISO8601Format().prefix(10))
            var line = SafeText.line("\(clip.id)  \(day)  \(AuthorName.shown(clip.author))  ")
            line += (clip.isStarred ? "* " : "") + marked(title, query.matches(in: title, of: .title))
            if !tags.isEmpty { line += "  [" + marked(tags, tagMatches) + "]" }
            return excerpts(of: clip).reduce(line) { $0 + "\n    " + marked($1.text, $1.matches) }
        }
        var lines = [table.line(clip) { query.matches(in: $0, of: .title) }]
        if !tagMatches.isEmpty { lines += wrapped("tags: ", tags, tagMatches, table) }
        for excerpt in excerpts(of: clip) { lines += wrapped("", excerpt.text, excerpt.matches, table) }
        return lines.joined(separator: "\n")
    }

    private typealias Excerpt = (text: String, matches: [Range<String.Index>])

    private func excerpts(of clip: Clip) -> [Excerpt] {
        let found = excerpts(of: clip, hasForms: false)
        let isInRow = !query.matches(in: clip.displayTitle, of: .title).isEmpty
        return found.isEmpty && !isInRow ? excerpts(of: clip, hasForms: true) : found
    }

    private func excerpts(of clip: Clip, hasForms: Bool) -> [Excerpt] {
        func excerpt(_ text: String, _ field: SearchField) -> Excerpt? {
            guard text != clip.displayTitle else { return nil }
            let excerpt =
                field == .url
                ? query.excerpt(of: text, in: field, length: 150, hasForms: hasForms)
                : query.readExcerpt(of: text, in: field, length: 150, hasForms: hasForms)
            return excerpt.map { ($0.text, $0.matches) }
        }
        // The search takes quotes as parts of the note.
        let notes = [clip.note] + clip.quotes.flatMap { [$0.text, $0.note] }
        return [
            excerpt(clip.text, .text), notes.lazy.compactMap { excerpt($0, .note) }.first,
            excerpt(SearchURL.decoded(clip.url), .url),
        ].compactMap(\.self)
    }

    private func marked(_ text: String, _ ranges: [Range<String.Index>]) -> String {
        parts(text, ranges).reduce(into: "") { $0 += $1.isMatch ? bold($1.text) : $1.text }
    }

    private func bold(_ text: some StringProtocol) -> String {
        isMarked && !text.isEmpty ? "\u{1B}[1m\(text)\u{1B}[22m" : String(text)
    }

    /// Returns the text as safe parts, in turn outside and inside of the ranges.
    private func parts(
        _ text: String, _ ranges: [Range<String.Index>]
    ) -> [(text: String, isMatch: Bool)] {
        var parts: [(text: String, isMatch: Bool)] = []
        var from = text.startIndex
        for range in ranges {
            parts.append((SafeText.line(String(text[from..<range.lowerBound])), false))
            parts.append((SafeText.line(String(text[range])), true))
            from = range.upperBound
        }
        return parts + [(SafeText.line(String(text[from...])), false)]
    }

    /// Returns lines that are indented as far as the titles of the table, and wrapped at words.
    private func wrapped(
        _ name: String, _ text: String, _ ranges: [Range<String.Index>], _ table: ClipTable
    ) -> [String] {
        let parts = [(name, false)] + parts(text, ranges)
        var wrapped = WrappedText(parts.map(\.0).joined(), width: table.columns - table.indent)
        return (0..<wrapped.count(upTo: 100)).map { index in
            let start = wrapped.offset(ofLine: index)
            let content = wrapped.lines(index..<index + 1)[0]
            let end = start + content.utf8.count
            var line = String(repeating: " ", count: table.indent)
            var offset = 0
            for (text, isMatch) in parts {
                let part = (offset..<offset + text.utf8.count).clamped(to: start..<end)
                let bytes = text.utf8.dropFirst(max(0, part.lowerBound - offset)).prefix(part.count)
                line += isMatch ? bold(Substring(bytes)) : String(Substring(bytes))
                offset += text.utf8.count
            }
            return line
        }
    }
}
