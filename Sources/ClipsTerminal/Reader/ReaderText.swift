import ClipsCore
import FoundationEssentials
import Terminal

/// A clip as lines to read: what it is, the note, the text. Lines are found when they are asked for.
struct DetailText: Sendable {
    enum Part: Sendable { case title, address, facts, tags, note, text, space }

    struct Line: Hashable, Sendable {
        var part: Part
        var text: String
    }

    /// A line's place in the text, which stays while the width changes.
    struct Place: Hashable, Sendable {
        var section = 0
        var offset = 0
    }

    private var sections: [(part: Part, text: WrappedText)] = []
    let width: Int
    let isWrapped: Bool

    init(_ clip: Clip, width: Int, isWrapped: Bool) {
        self.width = width
        self.isWrapped = isWrapped
        let isLong = addTitle(clip.displayTitle)
        add(.address, clip.url)
        add(.tags, clip.tags.map { "#" + $0 }.joined(separator: " "))
        var facts =
            "saved by \(AuthorName.shown(clip.author)) \(LocalTime(clip.created).dateAndTime)"
        if clip.updated > clip.created + 1 {
            facts += " · changed \(LocalTime(clip.updated).dateAndTime)"
        }
        add(.facts, facts + (clip.isStarred ? " · starred" : ""))
        if !clip.note.isEmpty {
            add(.space, " ")
            add(.note, clip.note)
        }
        if !clip.text.isEmpty {
            add(.space, " ")
            add(.text, clip.text)
        }
        if isLong {
            add(.space, " ")
            add(.title, clip.displayTitle)
        }
    }

    private static let mostTitleLines = 4

    /// A title that would hide all the rest is cut, and stands whole at the end; whether it is one.
    private mutating func addTitle(_ title: String) -> Bool {
        var wrapped = WrappedText(title, width: width)
        guard wrapped.count(upTo: Self.mostTitleLines + 1) > Self.mostTitleLines else {
            add(.title, title)
            return false
        }
        let lines = wrapped.lines(0..<Self.mostTitleLines)
        let last = SafeText.cut(lines.last ?? "", to: max(0, width - 1)) + "…"
        add(.title, (lines.dropLast() + [last]).joined(separator: "\n"))
        return true
    }

    private mutating func add(_ part: Part, _ text: String) {
        guard !text.isEmpty else { return }
        // Only what the person wrote can be worth seeing unwrapped.
        let unwraps = !isWrapped && (part == .text || part == .note)
        sections.append((part, WrappedText(text, width: unwraps ? nil : width)))
    }

    mutating func lines(_ range: Range<Int>) -> [Line] {
        var lines: [Line] = []
        var first = 0
        for index in sections.indices where first < range.upperBound {
            let count = sections[index].text.count(upTo: range.upperBound - first)
            let wanted = max(0, range.lowerBound - first)..<max(0, range.upperBound - first)
            if wanted.lowerBound < count {
                lines += sections[index].text.lines(wanted.clamped(to: 0..<count))
                    .map { Line(part: sections[index].part, text: $0) }
            }
            first += count
        }
        return lines
    }

    /// How many lines there are, counted no further than to the limit.
    mutating func count(upTo limit: Int) -> Int {
        var count = 0
        for index in sections.indices where count < limit {
            count += sections[index].text.count(upTo: limit - count)
        }
        return count
    }

    mutating func place(ofLine line: Int) -> Place {
        var line = line
        for index in sections.indices {
            let count = sections[index].text.count(upTo: line + 1)
            if line < count {
                return Place(section: index, offset: sections[index].text.offset(ofLine: line))
            }
            line -= count
        }
        return Place(section: sections.count, offset: 0)
    }

    mutating func line(at place: Place) -> Int {
        var line = 0
        for index in sections.indices where index < place.section {
            line += sections[index].text.count(upTo: .max)
        }
        guard sections.indices.contains(place.section) else { return line }
        return line + sections[place.section].text.line(at: place.offset)
    }
}
