import ClipsCore
import FoundationEssentials
import SearchIndex
import Terminal

/// A clip as lines: title, URL, tags, facts, note, and text. Lines are laid out on demand.
struct ReaderText: Sendable {
    enum Part: Sendable {
        case title, url, facts, tags, note, text, links, space

        /// The field whose words it has.
        var field: SearchField {
            switch self {
            case .title: .title
            case .url: .url
            case .tags: .tag
            case .note: .note
            case .text, .space: .text
            // They are of no field, but have words.
            case .facts, .links: .anywhere
            }
        }
    }

    struct Line: Hashable, Sendable {
        var part: Part
        var text: String
        /// The name of the field, in the columns at the left.
        var label = ""
        /// The columns of bold and italic text, and of links.
        var emphasis: [Emphasis] = []
        /// The characters before the text of the clip, which indent it.
        var indent = 0
        /// The lines of wrapped cells.
        var cells: [ShownText.CellPart] = []
    }

    struct Emphasis: Hashable, Sendable {
        let columns: Range<Int>
        var attributes: Style.Attributes = []
        var isLink = false
    }

    private final class Identity: Sendable {}

    private let identity = Identity()

    /// Whether this is the same text, of which more or less is laid out.
    func isCopy(of other: ReaderText) -> Bool { identity === other.identity }

    /// A position in the text that does not depend on the width.
    struct Anchor: Hashable, Comparable, Sendable {
        var section = 0
        var offset = 0

        static func < (one: Self, other: Self) -> Bool {
            (one.section, one.offset) < (other.section, other.offset)
        }
    }

    private struct Section {
        let part: Part
        let label: String
        var text: WrappedText
        /// The text without marks of Markdown, if it has them.
        var shown: ShownText?
        /// The ranges of links in the text, in bytes.
        var links: [Range<Int>] = []
        private var marks: [ShownText.Mark] { shown?.marks ?? [] }

        init(part: Part, label: String, text: WrappedText) {
            (self.part, self.label, self.text) = (part, label, text)
        }

        /// Returns the characters before the text of the clip in a line, which indent it.
        mutating func indent(ofLine line: Int) -> Int {
            let prefix = text.prefix(ofLine: line).count
            guard prefix == 0, let shown else { return prefix }
            return shown.isCode(at: text.offset(ofLine: line)) ? ShownText.codeIndent.count : 0
        }

        /// Returns the lines of wrapped cells in a line.
        mutating func cells(ofLine line: Int, _ shown: String) -> [ShownText.CellPart] {
            guard let text = self.shown, !text.cells.isEmpty, self.text.isShown(line, as: shown) else {
                return []
            }
            let start = self.text.offset(ofLine: line)
            return text.cells(in: start..<start + shown.utf8.count)
        }

        /// Returns the columns of a line that are bold, italic, or a link.
        mutating func emphasis(ofLine line: Int, _ shown: String) -> [Emphasis] {
            let start = text.offset(ofLine: line)
            // Only then are the bytes of the line those of the text.
            guard !marks.isEmpty || !links.isEmpty, text.isShown(line, as: shown) else { return [] }
            let indent = text.prefix(ofLine: line).utf8.count
            let end = start + shown.utf8.count - indent
            let links = TextMarks.overlapping(start..<end, in: links) { $0 }
            let marks = TextMarks.overlapping(start..<end, in: marks, \.range)
            // A line that is not wrapped may have thousands of them.
            let bounds = Set((links + marks.map(\.range)).flatMap { [$0.lowerBound, $0.upperBound] }).sorted()
            let offsets = bounds.map { indent + min(max($0, start), end) - start }
            let columns = Dictionary(
                uniqueKeysWithValues: zip(bounds, DisplayWidth.columns(of: shown, before: offsets)))
            func shownRange(_ range: Range<Int>) -> Range<Int> {
                (columns[range.lowerBound] ?? 0)..<(columns[range.upperBound] ?? 0)
            }
            return links.map { Emphasis(columns: shownRange($0), isLink: true) }
                + marks.map { Emphasis(columns: shownRange($0.range), attributes: $0.attributes) }
        }
    }

    private var sections: [Section] = []
    let width: Int
    let isWrapped: Bool
    /// The columns of the labels; 0 in a narrow pane.
    let indent: Int
    let dates: DateFormat

    init(width: Int, isWrapped: Bool, dates: DateFormat = .standard) {
        self.width = width
        self.isWrapped = isWrapped
        self.dates = dates
        indent = width >= 32 ? 9 : 0
    }

    mutating func add(_ output: ProgramOutput) { add(.text, output.text) }

    /// Adds a clip, and the addresses of its links after its texts.
    mutating func add(_ numbered: NumberedClip) {
        let clip = numbered.clip
        let isLong = addTitle(clip.displayTitle)
        add(.url, ReadableURL.text(clip.url), "URL")
        add(.tags, clip.tags.map { "#" + $0 }.joined(separator: " "), "Tags")
        add(.facts, "\(dates.text(clip.created)) by \(AuthorName.shown(clip.author))", "Saved")
        if clip.updated > clip.created + 1 { add(.facts, dates.text(clip.updated), "Changed") }
        let flags = [
            (clip.isStarred, "starred"), (clip.isUnread, "unread"), (clip.isArchived, "archived"),
            (clip.isMoved, "moved link"), (clip.isDead, "dead link; :internet-archive opens a copy"),
        ]
        add(.facts, flags.filter(\.0).map(\.1).joined(separator: ", "), "State")
        if !clip.note.isEmpty {
            add(.space, " ")
            add(.note, clip.note, "Note")
            sections[sections.count - 1].links = numbered.ranges.note
        }
        if !clip.text.isEmpty {
            add(.space, " ")
            let shown = ShownText(
                clip.text, links: numbered.ranges.text, width: isWrapped ? width : Self.maxTable,
                isMarkdown: numbered.isMarkdown, title: clip.displayTitle)
            add(.text, shown.text)
            sections[sections.count - 1].shown = shown
            sections[sections.count - 1].links = shown.links
        }
        for (index, quote) in clip.quotes.enumerated() {
            add(.space, " ")
            add(.note, quote.text, "Quote \(index + 1)")
            if !quote.note.isEmpty { add(.note, quote.note, "Note") }
        }
        // Those that the text shows would be repeated.
        let addresses = numbered.urls.enumerated().filter { !numbered.shown.contains($1) }
            .map { "[\($0 + 1)] \($1)" }
        if !addresses.isEmpty {
            add(.space, " ")
            add(.links, addresses.joined(separator: "\n"))
        }
        if numbered.isCut {
            add(.facts, ClipLinks.cutNotice)
        }
        if isLong {
            add(.space, " ")
            add(.title, clip.displayTitle)
        }
    }

    private static let maxTitleLines = 4
    /// The columns of a table whose lines are not wrapped.
    private static let maxTable = 500
    /// Adds the title, and returns whether it was cut and must follow in full at the end.
    private mutating func addTitle(_ title: String) -> Bool {
        var wrapped = WrappedText(title, width: width)
        guard wrapped.count(upTo: Self.maxTitleLines + 1) > Self.maxTitleLines else {
            add(.title, title)
            return false
        }
        let lines = wrapped.lines(0..<Self.maxTitleLines)
        let last = SafeText.cut((lines.last ?? "") + "…", to: max(1, width))
        add(.title, (lines.dropLast() + [last]).joined(separator: "\n"))
        return true
    }

    private mutating func add(_ part: Part, _ text: String, _ label: String = "") {
        guard !text.isEmpty else { return }
        // Generated lines are always wrapped.
        let unwraps = !isWrapped && (part == .text || part == .note)
        let width = label.isEmpty ? width : width - indent
        let name = indent == 0 ? "" : label
        sections.append(
            Section(
                part: part, label: name,
                text: WrappedText(text, width: unwraps ? nil : width, hangs: part == .text || part == .note)))
    }

    /// Returns the positions of the matches in all texts, in order; nil if the bytes of these, or the matches of one,
    /// exceed a limit.
    func matches(of highlight: ClipHighlight, maxBytes: Int, maxCount: Int) -> [Anchor]? {
        guard sections.reduce(0, { $0 + $1.text.text.utf8.count }) <= maxBytes else { return nil }
        var matches: [Anchor] = []
        for (index, section) in sections.enumerated() {
            let text = section.text.text
            let ranges = highlight.ranges(inText: text, of: section.part.field, limit: maxCount)
            guard ranges.count < maxCount else { return nil }
            // Over the end of a paragraph, words are not one phrase on the screen.
            matches += ranges.filter { !text[$0].contains("\n\n") }.map {
                Anchor(section: index, offset: text.utf8.distance(from: text.startIndex, to: $0.lowerBound))
            }
            let wrapped = section.shown?.offsets { highlight.ranges(inText: $0, limit: maxCount) } ?? []
            matches += wrapped.map { Anchor(section: index, offset: $0) }
            if !wrapped.isEmpty { matches.sort() }
        }
        return matches
    }

    mutating func lines(_ range: Range<Int>) -> [Line] {
        var lines: [Line] = []
        var first = 0
        for index in sections.indices where first < range.upperBound {
            let count = sections[index].text.count(upTo: range.upperBound - first)
            let wanted = max(0, range.lowerBound - first)..<max(0, range.upperBound - first)
            if wanted.lowerBound < count {
                let wanted = wanted.clamped(to: 0..<count)
                let (part, label) = (sections[index].part, sections[index].label)
                for (number, text) in zip(wanted, sections[index].text.lines(wanted)) {
                    let emphasis = sections[index].emphasis(ofLine: number, text)
                    let indent = sections[index].indent(ofLine: number)
                    let cells = sections[index].cells(ofLine: number, text)
                    lines.append(
                        Line(
                            part: part, text: text, label: label, emphasis: emphasis, indent: indent,
                            cells: cells))
                }
            }
            first += count
        }
        return lines
    }

    /// Returns the ranges in the text of the clip that lines show, and the parts of it near them.
    mutating func sources(ofLines lines: Range<Int>, near count: Int) -> ShownSources? {
        var first = 0
        for index in sections.indices where first < lines.upperBound {
            let end = lines.upperBound - first
            let known = sections[index].text.count(upTo: end + 1)
            if let shown = sections[index].shown, lines.lowerBound - first < known {
                let start = sections[index].text.offset(ofLine: max(0, lines.lowerBound - first))
                let all = sections[index].text.text.utf8.count
                let stop = known > end ? sections[index].text.offset(ofLine: end) : all
                return ShownSources(shown.sources(of: start..<stop), of: shown, near: count)
            }
            first += min(end, known)
        }
        return nil
    }

    /// Returns the number of lines, at most the limit.
    ///
    /// - Complexity: O(*n*) in the text up to the limit.
    mutating func count(upTo limit: Int) -> Int {
        var count = 0
        for index in sections.indices where count < limit {
            count += sections[index].text.count(upTo: limit - count)
        }
        return count
    }

    /// Returns the nearest line with a match, and whether the search came to an end of the text.
    ///
    /// - Parameter limit: The number of lines to search.
    mutating func line(
        matching highlight: ClipHighlight, from start: Int, isForward: Bool, limit: Int = .max
    ) -> (line: Int?, isComplete: Bool) {
        let step = min(limit, 1000)
        var (next, searched) = (start, 0)
        while searched < limit, next >= 0 {
            let range = isForward ? max(0, next)..<max(0, next) + step : max(0, next - step + 1)..<next + 1
            let found = lines(range)
            func matches(_ line: Line) -> Bool {
                !highlight.ranges(inText: line.text, of: line.part.field).isEmpty
            }
            if let offset = isForward ? found.firstIndex(where: matches) : found.lastIndex(where: matches) {
                return (range.lowerBound + offset, true)
            }
            if isForward, found.count < range.count { return (nil, true) }
            next += isForward ? step : -step
            searched += step
        }
        return (nil, next < 0)
    }

    /// The bytes of a text of which all lines are counted for the percentage: 30 ms at most.
    private static let maxCounted = 256 << 10

    /// Whether all lines can be laid out between two keys. A byte outside ASCII takes up to nine times as long as one of
    /// ASCII to measure.
    private func isCheap(size: Int) -> Bool {
        guard size <= Self.maxCounted else { return false }
        return sections.reduce(size) { $0 + 8 * $1.text.text.utf8.count { $0 >= 0x80 } } <= Self.maxCounted
    }

    /// Returns the share of the text before a line, in percent of its lines; in a large text of which not all lines are
    /// laid out, in percent of its bytes.
    mutating func percent(before line: Int) -> Int {
        let sizes = sections.map { $0.text.text.utf8.count + 1 }
        let size = sizes.reduce(0, +)
        if sections.allSatisfy(\.text.isComplete) || isCheap(size: size) {
            return min(99, line * 100 / max(1, count(upTo: .max)))
        }
        let anchor = position(ofLine: line)
        let before = sizes.prefix(anchor.section).reduce(anchor.offset, +)
        return min(99, before * 100 / max(1, size))
    }

    mutating func anchor(ofLine line: Int) -> Anchor { anchor(position(ofLine: line)) }

    /// Returns the anchor of an offset in the shown text of a section, in which tables depend on the width.
    private func anchor(_ position: Anchor) -> Anchor {
        guard sections.indices.contains(position.section), let shown = sections[position.section].shown
        else { return position }
        return Anchor(section: position.section, offset: shown.source(position.offset))
    }

    /// Returns the section of a line, and its offset in the shown text.
    mutating func position(ofLine line: Int) -> Anchor {
        var line = line
        for index in sections.indices {
            let count = sections[index].text.count(upTo: line + 1)
            if line < count {
                return Anchor(section: index, offset: sections[index].text.offset(ofLine: line))
            }
            line -= count
        }
        return Anchor(section: sections.count, offset: 0)
    }

    /// Returns the position that a line has in another version of the clip; nil if that version lacks the section.
    ///
    /// Before the first difference of both texts it is the same from the start, after the last one from the end.
    mutating func anchor(ofLine line: Int, in other: ReaderText) -> Anchor? {
        let anchor = position(ofLine: line)
        guard sections.indices.contains(anchor.section) else { return nil }
        let section = sections[anchor.section]
        func isSame(_ other: Section) -> Bool { (other.part, other.label) == (section.part, section.label) }
        let order = sections[..<anchor.section].count(where: isSame)
        let found = other.sections.indices.filter { isSame(other.sections[$0]) }
        guard order < found.count else { return nil }
        let (old, new) = (section.text.text.utf8, other.sections[found[order]].text.text.utf8)
        let end = old.count - anchor.offset
        let isAfter =
            !new.starts(with: old.prefix(anchor.offset)) && new.suffix(end).elementsEqual(old.suffix(end))
        let offset = isAfter ? new.count - end : anchor.offset
        return other.anchor(Anchor(section: found[order], offset: offset))
    }

    mutating func line(at anchor: Anchor) -> Int {
        guard sections.indices.contains(anchor.section), let shown = sections[anchor.section].shown
        else { return line(ofPosition: anchor) }
        return line(ofPosition: Anchor(section: anchor.section, offset: shown.shown(anchor.offset)))
    }

    /// Returns the line of an offset in the shown text of a section.
    mutating func line(ofPosition position: Anchor) -> Int {
        var line = 0
        for index in sections.indices where index < position.section {
            line += sections[index].text.count(upTo: .max)
        }
        guard sections.indices.contains(position.section) else { return line }
        return line + sections[position.section].text.line(at: position.offset)
    }
}
