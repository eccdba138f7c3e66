import Platform
import SearchIndex
import Terminal

/// A text with marks of Markdown as the reader shows it: headings without signs, code without fences, bold and italic
/// words without stars, aligned tables.
struct ShownText: Sendable {
    struct Mark: Hashable, Sendable {
        var range: Range<Int>
        var attributes: Style.Attributes
    }

    /// A line of a wrapped cell.
    struct CellPart: Hashable, Sendable {
        /// The cell.
        let text: String
        /// The line in the cell, in bytes.
        let range: Range<Int>
        /// Its offset in the shown text or line.
        var offset: Int
    }

    let text: String
    /// The lines of the wrapped cells, in ascending order.
    let cells: [CellPart]
    /// The ranges of the text with a look, in ascending order.
    let marks: [Mark]
    /// The links, in ascending order.
    let links: [Range<Int>]
    /// The offsets of code lines, which ``codeIndent`` begins.
    private let codeLines: [Int]
    private let parts: ShownParts

    static let codeIndent = "  "

    /// The bytes that are searched; the time of a key.
    static let maxBytes = 4 << 20
    /// The maximum bytes that tables and rules add.
    private static let maxAdded = 1 << 20

    /// - Parameters:
    ///   - links: The links of the text, in ascending order.
    ///   - width: The columns for tables.
    ///   - isMarkdown: Whether the text may have marks; another one is shown as it is.
    ///   - title: The words above the text, which its first heading does not repeat.
    /// - Complexity: O(*n* log *n*).
    init(
        _ source: String, links: [Range<Int>] = [], width: Int, isMarkdown: Bool = true, title: String? = nil
    ) {
        let all = Array(source.utf8)
        let bytes = isMarkdown ? Array(all.prefix(Self.maxBytes)) : []
        let code = TextCode.all(in: bytes)
        var (parts, looks, codeLines) = (ShownParts(all), [Mark](), [Int]())
        var (cells, left) = ([CellPart](), Self.maxAdded)
        for block in Self.blocks(of: bytes, code, below: title) {
            switch block {
            case .rule(let range):
                let columns = max(3, min(width, Self.maxRule) - Self.column(of: range, in: bytes))
                let added = columns * "─".utf8.count
                if added > left {
                    parts.copy(range)
                } else {
                    left -= added
                    parts.insert(String(repeating: "─", count: columns))
                }
            case .paragraph(let range):
                let marks = InlineMarks(in: bytes, range, code: code)
                parts.copy(range, without: marks.omitted)
                looks += marks.spans
            case .heading(let range, let level):
                let marks = InlineMarks(in: bytes, range, code: code, base: Self.look(ofHeading: level))
                parts.copy(range, without: marks.omitted)
                looks += marks.spans
            case .code(let code):
                // The mark of an item may precede the first line.
                let start = code.range.lowerBound
                var isMarked = start > 0 && bytes[start - 1] != UInt8(ascii: "\n")
                for line in Self.lines(bytes, in: code.lines ?? code.range) {
                    let content = Self.content(of: line, in: bytes, quotes: code.quotes)
                    if !isMarked { parts.copy(line.lowerBound..<content) }
                    isMarked = false
                    if content < line.upperBound, bytes[content] != UInt8(ascii: "\n") {
                        if content == line.lowerBound { codeLines.append(parts.bytes.count) }
                        parts.insert(Self.codeIndent)
                    }
                    parts.copy(content..<line.upperBound)
                }
            case .table(let table):
                if let drawn = table.draw(bytes, code, width: width, left: &left, in: &parts) {
                    looks += drawn.looks
                    cells += drawn.cells
                } else {
                    let marks = InlineMarks(in: bytes, table.range, code: code)
                    parts.copy(table.range, without: marks.omitted)
                    looks += marks.spans
                }
            }
        }
        parts.copy(bytes.count..<all.count)
        text = parts.finish()
        marks = looks.flatMap { look in
            parts.shown(look.range).map { Mark(range: $0, attributes: look.attributes) }
        }.sorted { $0.range.lowerBound < $1.range.lowerBound }
        self.links = links.flatMap(parts.shown).sorted { $0.lowerBound < $1.lowerBound }
        (self.codeLines, self.parts, self.cells) = (codeLines, parts, cells)
    }

    /// Returns the blocks of a text, without a heading at its beginning that repeats the title.
    private static func blocks(of bytes: [UInt8], _ code: [TextCode], below title: String?) -> [TextMarks
        .Block]
    {
        let blocks = TextMarks.blocks(of: bytes, code)
        guard let title, case .heading(let range, _)? = blocks.first,
            ReadText.line(String(decoding: bytes[range], as: UTF8.self)) == ReadText.line(title)
        else { return blocks }
        var rest = blocks.dropFirst()
        while case .paragraph(let space)? = rest.first {
            rest.removeFirst()
            guard let start = bytes[space].firstIndex(where: { $0 > 0x20 }) else { continue }
            return [.paragraph(start..<space.upperBound)] + rest
        }
        return Array(rest)
    }

    /// Returns the number of bytes before a range in its line.
    private static func column(of range: Range<Int>, in bytes: [UInt8]) -> Int {
        bytes[..<range.lowerBound].reversed().prefix { $0 != UInt8(ascii: "\n") }.count
    }

    /// The columns of a rule.
    private static let maxRule = 72

    /// Headings are bold, those of the first level underlined, and those below the second italic.
    private static func look(ofHeading level: Int) -> Style.Attributes {
        level == 1 ? [.bold, .underline] : level == 2 ? .bold : [.bold, .italic]
    }

    /// Returns the lines in a range, with their ends.
    private static func lines(_ bytes: [UInt8], in range: Range<Int>) -> [Range<Int>] {
        var (lines, start) = ([Range<Int>](), range.lowerBound)
        while start < range.upperBound {
            let end = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
            lines.append(start..<(end ?? range.upperBound))
            start = end ?? range.upperBound
        }
        return lines
    }

    /// Returns the index after the marks of quotes, and the space after each, that begin a line of code.
    private static func content(of line: Range<Int>, in bytes: [UInt8], quotes: Int) -> Int {
        guard quotes > 0 else { return line.lowerBound }
        var index = line.lowerBound
        for _ in 0..<quotes {
            let mark = bytes[index..<line.upperBound].drop { $0 == 0x20 }
            guard mark.first == UInt8(ascii: ">") else { break }
            let rest = mark.dropFirst()
            index = rest.startIndex + (rest.first == 0x20 ? 1 : 0)
        }
        return index
    }

    /// Returns the lines of cells that begin in a range, with their offsets in it.
    func cells(in range: Range<Int>) -> [CellPart] {
        cells[cells.partitionPoint { $0.offset >= range.lowerBound }...].prefix {
            $0.offset < range.upperBound
        }.map { CellPart(text: $0.text, range: $0.range, offset: $0.offset - range.lowerBound) }
    }

    /// Returns the offsets of the matches that begin in one line of a cell and end in another.
    ///
    /// - Parameter matches: Returns the matches in a cell.
    func offsets(_ matches: (String) -> [Range<String.Index>]) -> [Int] {
        var (offsets, known) = ([Int](), [String: [Range<Int>]]())
        for cell in cells {
            let found =
                known[cell.text]
                ?? matches(cell.text).map { range in
                    let start = cell.text.utf8.distance(from: cell.text.startIndex, to: range.lowerBound)
                    return start..<start + cell.text[range].utf8.count
                }
            known[cell.text] = found
            offsets += found.compactMap {
                cell.range.contains($0.lowerBound) && $0.upperBound > cell.range.upperBound
                    ? cell.offset + $0.lowerBound - cell.range.lowerBound : nil
            }
        }
        return offsets
    }

    /// Whether a line that begins at an offset of the text is code.
    func isCode(at offset: Int) -> Bool { codeLines.contains(sorted: offset) }

    /// Returns the offset in the shown text of an offset in the source.
    func shown(_ offset: Int) -> Int { parts.shown(offset) }

    /// Returns the ranges of the source that a range of the text shows, in ascending order.
    func sources(of range: Range<Int>) -> [Range<Int>] { parts.sources(of: range) }

    /// Returns the parts of a range of the source that are shown, in ascending order.
    func sources(in range: Range<Int>) -> [Range<Int>] { parts.sources(in: range) }

    /// Returns the offset in the source of an offset in the shown text.
    func source(_ offset: Int) -> Int { parts.source(offset) }
}
