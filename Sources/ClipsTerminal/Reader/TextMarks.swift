import Terminal

/// The headings, and the bold and italic words, of a text with marks of Markdown.
enum TextMarks {
    struct Mark: Hashable, Sendable {
        let range: Range<Int>
        let attributes: Style.Attributes
        /// The number of stars at each end; 0 for a heading.
        let stars: Int

        init(range: Range<Int>, attributes: Style.Attributes, stars: Int = 0) {
            (self.range, self.attributes, self.stars) = (range, attributes, stars)
        }
    }

    /// The bytes that are searched; the time of a key.
    private static let maxBytes = 1 << 20
    /// The bytes within which a mark ends.
    private static let maxLength = 300

    /// Returns the marks in ascending order.
    ///
    /// - Complexity: O(*n*).
    static func marks(in text: String) -> [Mark] {
        let bytes = Array(text.utf8.prefix(maxBytes))
        var marks: [Mark] = []
        var (isLineStart, isFenced) = (true, false)
        var index = 0
        while index < bytes.count {
            if isLineStart {
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                let line = bytes[index..<end]
                let isFence = line.starts(with: "```".utf8)
                if isFence { isFenced.toggle() }
                let level = line.prefix { $0 == UInt8(ascii: "#") }.count
                let isHeading = (1...6).contains(level) && level < line.count && line[index + level] == 0x20
                if isHeading, !isFenced { marks.append(Mark(range: index..<end, attributes: .bold)) }
                if isFence || isFenced || isHeading {
                    index = end + 1
                    continue
                }
            }
            if isEscaped(bytes, index) {
                index += 2
                continue
            }
            isLineStart = bytes[index] == UInt8(ascii: "\n")
            if bytes[index] == UInt8(ascii: "`"), let end = endOfCode(bytes, from: index) {
                index = end
                continue
            }
            guard bytes[index] == star, index == 0 || mayPrecede(bytes[index - 1]) else {
                index += 1
                continue
            }
            let count = bytes[index...].prefix { $0 == star }.count
            guard count <= 2, let end = end(of: bytes, from: index, count) else {
                index += count
                continue
            }
            marks.append(Mark(range: index..<end, attributes: count == 2 ? .bold : .italic, stars: count))
            index = end
        }
        return marks
    }

    /// Returns a text without the stars around bold and italic words, its marks, and ranges of the text in it.
    ///
    /// - Complexity: O(*n*).
    static func shown(_ text: String, with ranges: [Range<Int>]) -> (
        text: String, marks: [Mark], ranges: [Range<Int>]
    ) {
        let found = marks(in: text)
        guard found.contains(where: { $0.stars > 0 }) else { return (text, found, ranges) }
        let bytes = Array(text.utf8)
        var (result, marks, copied): ([UInt8], [Mark], Int) = ([], [], 0)
        /// The ends of the stars, and the number of bytes before each that are omitted.
        var omitted: [(end: Int, count: Int)] = []
        for mark in found {
            result += bytes[copied..<mark.range.lowerBound]
            let start = result.count
            let inner = mark.range.lowerBound + mark.stars..<mark.range.upperBound - mark.stars
            result += bytes[inner]
            copied = mark.range.upperBound
            marks.append(Mark(range: start..<result.count, attributes: mark.attributes))
            omitted.append((inner.lowerBound, inner.lowerBound - start))
            omitted.append((copied, copied - result.count))
        }
        result += bytes[copied...]
        func shownOffset(_ offset: Int) -> Int {
            var (low, high) = (0, omitted.count)
            while low < high {
                let middle = (low + high) / 2
                if omitted[middle].end <= offset { low = middle + 1 } else { high = middle }
            }
            return offset - (low > 0 ? omitted[low - 1].count : 0)
        }
        let moved = ranges.map { range in
            let start = shownOffset(range.lowerBound)
            return start..<max(start, shownOffset(range.upperBound))
        }
        return (String(decoding: result, as: UTF8.self), marks, moved)
    }

    private static let star = UInt8(ascii: "*")

    /// Whether a backslash makes the next byte a literal star.
    private static func isEscaped(_ bytes: [UInt8], _ index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count && bytes[index + 1] == star
    }

    /// Whether a byte before a star is a space, a bracket, or a quotation mark, and not a part of a word or an address.
    private static func mayPrecede(_ byte: UInt8) -> Bool { byte <= 0x20 || "([{\"'|>-".utf8.contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == star || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    /// Returns the index after the sign that ends code in its line.
    private static func endOfCode(_ bytes: [UInt8], from start: Int) -> Int? {
        let rest = bytes[(start + 1)...].prefix(maxLength).prefix { $0 != UInt8(ascii: "\n") }
        return rest.firstIndex(of: UInt8(ascii: "`")).map { $0 + 1 }
    }

    /// Returns the index after the stars that end a mark in its paragraph.
    private static func end(of bytes: [UInt8], from start: Int, _ count: Int) -> Int? {
        let first = start + count
        guard first < bytes.count, bytes[first] > 0x20 else { return nil }
        var index = first
        while index < min(bytes.count, start + maxLength) {
            if bytes[index] == UInt8(ascii: "\n"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "\n")
            {
                return nil
            }
            guard bytes[index] == star else {
                index += isEscaped(bytes, index) ? 2 : 1
                continue
            }
            let run = bytes[index...].prefix { $0 == star }.count
            let next = index + run < bytes.count ? bytes[index + run] : 0x20
            if run == count, bytes[index - 1] > 0x20, !isWord(next) { return index + run }
            index += run
        }
        return nil
    }

    /// Returns the elements whose ranges overlap a range.
    static func overlapping<Element>(
        _ range: Range<Int>, in marks: [Element], _ own: (Element) -> Range<Int>
    ) -> ArraySlice<Element> {
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if own(marks[middle]).upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return marks[low...].prefix { own($0).lowerBound < range.upperBound }
    }
}
