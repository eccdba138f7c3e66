import ClipsCore
import Terminal

/// The bold and italic words of a paragraph, a heading, or a cell, and its literal characters.
struct InlineMarks {
    /// The stars around words and the backslashes before literal characters, in ascending order.
    private(set) var omitted: [Range<Int>] = []
    /// The ranges with a look, in ascending order.
    private(set) var spans: [ShownText.Mark] = []

    /// Stars that may begin bold or italic words.
    private struct Opening {
        let start: Int
        /// The stars without an end, of which the last ones end first.
        var count: Int
    }

    /// The bytes within which a mark ends.
    private static let maxLength = 2000
    private static let maxOpenings = 32
    /// The mark of a quote, which is not in the text.
    private static let quoteStart = Array(String(Clip.quoteStart).utf8)
    private static let star = UInt8(ascii: "*")
    /// The looks of words between one and two stars.
    private static let looks: [Style.Attributes] = [.italic, .bold]

    private var openings: [Opening] = []
    /// The offsets at which a look begins or ends.
    private var edges: [(offset: Int, look: Style.Attributes, isStart: Bool)] = []

    /// - Parameters:
    ///   - region: The paragraph, the words of the heading, or the cell.
    ///   - code: The code of the text, which remains as it is.
    ///   - base: The look of all words.
    init(
        in bytes: [UInt8], _ region: Range<Int>, code: [TextCode], base: Style.Attributes = [],
        isCell: Bool = false
    ) {
        var blocks = TextMarks.overlapping(region, in: code, \.range)
        var (index, isBegun) = (region.lowerBound, isCell)
        while index < region.upperBound {
            if let block = blocks.first, block.range.lowerBound <= index {
                blocks.removeFirst()
                if isCell { omitBars(bytes, block.range.clamped(to: region)) }
                (index, isBegun) = (max(index, block.range.upperBound), true)
                continue
            }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") { isBegun = false }
            let isBar = isCell && bytes[index...].starts(with: Self.literalBar)
            if isBar || Self.isEscaped(bytes, index, isBegun: isBegun) {
                omitted.append(index..<index + 1)
                (index, isBegun) = (index + 2, true)
                continue
            }
            if byte == Self.quoteStart[0], bytes[index...].starts(with: Self.quoteStart) {
                index += Self.quoteStart.count
                continue
            }
            // A number may begin an item of a list.
            isBegun = isBegun || byte > 0x20 && !(0x30...0x39).contains(byte)
            guard byte == Self.star else {
                index += 1
                continue
            }
            let count = bytes[index..<region.upperBound].prefix { $0 == Self.star }.count
            if count <= 3 { addStars(bytes, index..<index + count, in: region) }
            index += count
        }
        omitted.sort { $0.lowerBound < $1.lowerBound }
        addSpans(region, base)
    }

    /// Omits the backslashes before bars, which code in a cell has, too.
    private mutating func omitBars(_ bytes: [UInt8], _ code: Range<Int>) {
        for index in code.dropLast() where bytes[index...].starts(with: Self.literalBar) {
            omitted.append(index..<index + 1)
        }
    }

    private static let literalBar = Array("\\|".utf8)

    /// Ends the words that stars end, or begins others.
    private mutating func addStars(_ bytes: [UInt8], _ stars: Range<Int>, in region: Range<Int>) {
        var (start, count) = (stars.lowerBound, stars.count)
        let isAfterWord = start > region.lowerBound && bytes[start - 1] > 0x20
        while isAfterWord, count > 0, let used = used(by: count, at: start) {
            guard let last = openings.last else { break }
            let opened = last.start + last.count - used..<last.start + last.count
            omitted += [opened, start..<start + used]
            edges.append((opened.upperBound, Self.looks[used - 1], true))
            edges.append((start, Self.looks[used - 1], false))
            if last.count == used {
                openings.removeLast()
            } else {
                openings[openings.count - 1].count -= used
            }
            (start, count) = (start + used, count - used)
        }
        guard count > 0, start == stars.lowerBound, stars.upperBound < region.upperBound,
            bytes[stars.upperBound] > 0x20,
            start == region.lowerBound || Self.mayPrecede(bytes[start - 1])
        else { return }
        openings.append(Opening(start: start, count: count))
        if openings.count > Self.maxOpenings { openings.removeFirst() }
    }

    /// Returns the number of stars that end words, and makes their beginning the last opening; nil if none begins.
    private mutating func used(by count: Int, at offset: Int) -> Int? {
        openings.removeAll { offset - $0.start > Self.maxLength }
        if let index = openings.lastIndex(where: { $0.count == count }) {
            openings.removeSubrange((index + 1)...)
            // Three stars are bold and italic.
            return min(2, count)
        }
        guard let last = openings.last, count == 3 || last.count == 3 else { return nil }
        return min(2, count, last.count)
    }

    private mutating func addSpans(_ region: Range<Int>, _ base: Style.Attributes) {
        edges.append((region.upperBound, [], true))
        edges.sort { ($0.offset, $0.isStart ? 1 : 0) < ($1.offset, $1.isStart ? 1 : 0) }
        var (start, bold, italic) = (region.lowerBound, 0, 0)
        for edge in edges {
            let attributes = base.union(bold > 0 ? .bold : []).union(italic > 0 ? .italic : [])
            if edge.offset > start, !attributes.isEmpty {
                spans.append(ShownText.Mark(range: start..<edge.offset, attributes: attributes))
            }
            start = edge.offset
            if edge.look == .bold { bold += edge.isStart ? 1 : -1 }
            if edge.look == .italic { italic += edge.isStart ? 1 : -1 }
        }
    }

    /// Whether a backslash makes the next byte a literal character.
    ///
    /// - Parameter isBegun: Whether the line has text before, so that only the signs within lines can be meant.
    static func isEscaped(_ bytes: [UInt8], _ index: Int, isBegun: Bool = true) -> Bool {
        guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return false }
        // A backslash has one before a sign or the end of a line only, so that paths remain as they are.
        if bytes[index + 1] == UInt8(ascii: "\\") {
            return index + 2 < bytes.count
                && (bytes[index + 2] == UInt8(ascii: "\n") || signs.contains(bytes[index + 2]))
        }
        return (isBegun ? "*_[]`&" : "*_[]`&#+-.)=>~!").utf8.contains(bytes[index + 1])
    }

    private static let signs = Set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".utf8)

    /// Whether a byte before a star is a space, a bracket, or a quotation mark, and not a part of a word or an address.
    private static func mayPrecede(_ byte: UInt8) -> Bool { byte <= 0x20 || "([{\"'|>-".utf8.contains(byte) }
}
