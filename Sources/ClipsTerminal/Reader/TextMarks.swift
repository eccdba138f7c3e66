import ClipsCore
import Platform
import SearchIndex
import Terminal

/// The headings and the paragraphs of a text with marks of Markdown.
enum TextMarks {
    /// A part of a text, in whose order they are.
    enum Block {
        /// A paragraph, or the space between other blocks.
        case paragraph(Range<Int>)
        case heading(Range<Int>, level: Int)
        case code(TextCode)
        case table(TextTable)
        /// A line of dashes, after an indent and the marks of quotes.
        case rule(Range<Int>)
    }

    /// Returns the blocks of a text, which contain all of it except the marks.
    ///
    /// - Complexity: O(*n*).
    static func blocks(of bytes: [UInt8], _ code: [TextCode]) -> [Block] {
        var (blocks, fences) = ([Block](), code.filter { $0.lines != nil }[...])
        var (start, index) = (0, 0)
        func endParagraph(at end: Int) {
            if start < end { blocks.append(.paragraph(start..<end)) }
        }
        while index < bytes.count {
            let line = bytes[index...].prefix { $0 != newline }
            if let fence = fences.first, fence.range.lowerBound <= line.endIndex {
                // The sign of an item or a quote may precede it.
                endParagraph(at: max(index, fence.range.lowerBound))
                blocks.append(.code(fences.removeFirst()))
                start = fence.range.upperBound
                index = start + 1
                continue
            }
            let marks = LineMarks(line)
            // A heading may be in a quote or an item, whose mark precedes it.
            let content = marks.quotes > 0 || marks.hasItem ? line[marks.content...] : line
            let level = content.prefix { $0 == UInt8(ascii: "#") }.count
            if (1...6).contains(level), content.dropFirst(level).first == 0x20 {
                endParagraph(at: content.startIndex)
                blocks.append(.heading(words(of: content.dropFirst(level)), level: level))
                start = line.endIndex
            } else if let rule = rule(line) {
                // Below a line of words it makes that one a heading.
                let text = bytes[start..<max(start, index - 1)]
                let above = text[(text.lastIndex(of: newline).map { $0 + 1 } ?? text.startIndex)...]
                let isHeading =
                    "-=".utf8.contains(line[rule]) && rule == line.startIndex && !above.isEmpty
                    && text[..<above.startIndex].allSatisfy { $0 <= 0x20 }
                    && LineMarks(above).content == above.startIndex
                if isHeading {
                    endParagraph(at: above.startIndex)
                    blocks.append(.heading(above.indices, level: line[rule] == UInt8(ascii: "=") ? 1 : 2))
                    start = line.endIndex
                } else if line[rule] != UInt8(ascii: "=") {
                    endParagraph(at: rule)
                    blocks.append(.rule(rule..<line.endIndex))
                    start = line.endIndex
                }
            } else if line.contains(UInt8(ascii: "|")),
                let table = TextTable(bytes, header: line, limit: fences.first?.range.lowerBound)
            {
                endParagraph(at: index)
                blocks.append(.table(table))
                start = table.range.upperBound
            } else if line.allSatisfy({ $0 <= 0x20 }) {
                endParagraph(at: line.endIndex)
                start = line.endIndex
            }
            index = max(start, line.endIndex) + 1
        }
        endParagraph(at: bytes.count)
        return blocks
    }

    /// Returns the words of a heading, without spaces and signs around them.
    private static func words(of line: ArraySlice<UInt8>) -> Range<Int> {
        func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            line.prefix(line.lastIndex { $0 > 0x20 }.map { $0 + 1 - line.startIndex } ?? 0)
        }
        let words = trimmed(line).drop { $0 == 0x20 }
        // Signs at the end after a space are no words either.
        let signs = words.reversed().prefix { $0 == UInt8(ascii: "#") }.count
        let rest = words.dropLast(signs)
        let shown = rest.last == 0x20 ? trimmed(rest) : words
        return shown.startIndex..<shown.endIndex
    }

    /// Returns the index of the first of three or more dashes, stars, low lines, or equals signs that a line consists of.
    private static func rule(_ line: ArraySlice<UInt8>) -> Int? {
        let content = line[LineMarks(line, maxItems: 0).content...]
        guard let sign = content.first, "-*_=".utf8.contains(sign),
            content.allSatisfy({ $0 == sign || $0 <= 0x20 }), content.count(where: { $0 == sign }) >= 3
        else { return nil }
        return content.startIndex
    }

    private static let newline = UInt8(ascii: "\n")

    /// Returns the elements whose ranges overlap a range.
    static func overlapping<Element>(
        _ range: Range<Int>, in marks: [Element], _ own: (Element) -> Range<Int>
    ) -> ArraySlice<Element> {
        let first = marks.partitionPoint { own($0).upperBound > range.lowerBound }
        return marks[first...].prefix { own($0).lowerBound < range.upperBound }
    }
}

extension Clip {
    /// Whether the text is that of a program.
    var isScript: Bool { text.hasPrefix("#!") && url.isEmpty }

    /// Whether the text may be Markdown: it has links or code as Markdown has them, or it is that of a page, or has headings
    /// or bold words, and no signs of a program. In any other text, stars and backslashes are shown as they are.
    var hasMarkdown: Bool {
        if isScript { return false }
        let start = ByteText(text, limit: ShownText.maxBytes)
        let isLinked =
            ["](http", "<https://", "<http://"].contains(where: start.contains)
            || start.contains("![") && start.contains("](")
        if isLinked || ["```", "~~~\n"].contains(where: start.contains) { return true }
        let end = text.utf8.suffix(ClipLinks.maxBytes)
        if !LinkDefinition.all(in: Array(end)[...]).isEmpty { return true }
        let headings = ["# ", "## ", "### "]
        let isMarked =
            !url.isEmpty || start.contains("**")
            || headings.contains { text.hasPrefix($0) || start.contains("\n" + $0) }
        return isMarked && !ProgramSigns.areIn(text)
    }
}
