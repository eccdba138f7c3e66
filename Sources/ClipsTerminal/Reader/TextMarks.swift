import Platform
import Terminal

/// Code of a text: a block in fences, or words between signs.
struct TextCode: Hashable, Sendable {
    let range: Range<Int>
    /// The lines in the fences; nil for words.
    var lines: Range<Int>?
}

/// The headings, the code, and the paragraphs of a text with marks of Markdown.
enum TextMarks {
    /// Returns the code of a text, in ascending order.
    static func code(in bytes: [UInt8]) -> [TextCode] {
        var found: [TextCode] = []
        var (index, fence): (Int, (start: Int, count: Int, code: Int)?) = (0, nil)
        while index < bytes.count {
            let line = bytes[index...].prefix { $0 != newline }
            let rest = withoutContainers(line, begins: fence == nil)
            let signs = rest.prefix { $0 == sign }.count
            if let open = fence {
                if signs >= open.count, rest.dropFirst(signs).allSatisfy({ $0 <= 0x20 }) {
                    let end = max(open.code, line.startIndex - 1)
                    found.append(TextCode(range: open.start..<line.endIndex, lines: open.code..<end))
                    fence = nil
                }
            } else if signs >= 3, !rest.dropFirst(signs).contains(sign) {
                let isPlain = line.prefix(rest.startIndex - index).allSatisfy { $0 == 0x20 }
                fence = (isPlain ? index : rest.startIndex, signs, min(line.endIndex + 1, bytes.count))
            } else {
                while let sign = bytes[index..<line.endIndex].firstIndex(of: sign) {
                    let isLiteral = sign > line.startIndex && bytes[sign - 1] == UInt8(ascii: "\\")
                    let end = isLiteral ? nil : endOfCode(bytes, from: sign)
                    if let end { found.append(TextCode(range: sign..<end)) }
                    index = end ?? sign + 1
                }
            }
            index = line.endIndex + 1
        }
        if let fence {
            found.append(TextCode(range: fence.start..<bytes.count, lines: fence.code..<bytes.count))
        }
        return found
    }

    /// Returns a line without the marks of quotes, and of the items that it begins.
    private static func withoutContainers(_ line: ArraySlice<UInt8>, begins: Bool) -> ArraySlice<UInt8> {
        var rest = line.drop { $0 == 0x20 }
        while let first = rest.first {
            let digits = rest.prefix { 48...57 ~= $0 }.count
            let signs =
                first == UInt8(ascii: ">")
                ? 1 : !begins || digits > 9 ? 0 : digits > 0 ? digits + 1 : "-*+".utf8.contains(first) ? 1 : 0
            let isOrdered = digits > 0 && !".)".utf8.contains(rest.dropFirst(digits).first ?? 0)
            let after = rest.dropFirst(signs)
            guard signs > 0, !isOrdered, first == UInt8(ascii: ">") || after.first == 0x20 else { break }
            rest = after.drop { $0 == 0x20 }
        }
        return rest
    }

    /// A part of a text, in whose order they are.
    enum Block {
        /// A paragraph, or the space between other blocks.
        case paragraph(Range<Int>)
        case heading(Range<Int>, level: Int)
        case code(TextCode)
        case table(TextTable)
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
            let level = line.prefix { $0 == UInt8(ascii: "#") }.count
            if (1...6).contains(level), level < line.count, line[index + level] == 0x20 {
                endParagraph(at: index)
                blocks.append(.heading(words(of: line.dropFirst(level)), level: level))
                start = line.endIndex
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

    private static let newline = UInt8(ascii: "\n")
    private static let sign = UInt8(ascii: "`")
    /// The bytes within which code in a line ends.
    private static let maxLength = 300

    /// Returns the index after the sign that ends code in its line.
    private static func endOfCode(_ bytes: [UInt8], from start: Int) -> Int? {
        let rest = bytes[(start + 1)...].prefix(maxLength).prefix { $0 != newline }
        return rest.firstIndex(of: sign).map { $0 + 1 }
    }

    /// Returns the elements whose ranges overlap a range.
    static func overlapping<Element>(
        _ range: Range<Int>, in marks: [Element], _ own: (Element) -> Range<Int>
    ) -> ArraySlice<Element> {
        let first = marks.partitionPoint { own($0).upperBound > range.lowerBound }
        return marks[first...].prefix { own($0).lowerBound < range.upperBound }
    }
}
