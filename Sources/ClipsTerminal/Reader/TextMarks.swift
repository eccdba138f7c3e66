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
    static func marks(in text: String) -> [Mark] { found(in: Array(text.utf8.prefix(maxBytes))).marks }

    /// Returns the marks, and the backslashes before literal characters.
    private static func found(in bytes: [UInt8]) -> (marks: [Mark], escapes: [Int]) {
        var (marks, escapes): ([Mark], [Int]) = ([], [])
        var blocks = code(in: bytes)[...]
        var (isLineStart, isBegun) = (true, false)
        var index = 0
        while index < bytes.count {
            if let block = blocks.first, block.lowerBound <= index {
                blocks.removeFirst()
                (index, isLineStart, isBegun) = (max(index, block.upperBound), false, true)
                continue
            }
            if isLineStart {
                let line = bytes[index...].prefix { $0 != UInt8(ascii: "\n") }
                let level = line.prefix { $0 == UInt8(ascii: "#") }.count
                if (1...6).contains(level), level < line.count, line[index + level] == 0x20 {
                    marks.append(Mark(range: index..<line.endIndex, attributes: .bold))
                    escapes += line.indices.filter { isEscaped(bytes, $0) }
                    index = line.endIndex + 1
                    continue
                }
                isBegun = false
            }
            isLineStart = bytes[index] == UInt8(ascii: "\n")
            if isEscaped(bytes, index, isBegun: isBegun) {
                escapes.append(index)
                (index, isBegun) = (index + 2, true)
                continue
            }
            // A number may begin an item of a list.
            isBegun = isBegun || bytes[index] > 0x20 && !(0x30...0x39).contains(bytes[index])
            guard bytes[index] == star, index == 0 || mayPrecede(bytes[index - 1]) else {
                index += 1
                continue
            }
            let count = bytes[index...].prefix { $0 == star }.count
            guard count <= 3, let end = end(of: bytes, from: index, count) else {
                index += count
                continue
            }
            marks.append(Mark(range: index..<end, attributes: looks[count - 1], stars: count))
            index = end
        }
        return (marks, escapes)
    }

    /// Returns the code of a text, in fences or between signs, in ascending order.
    static func code(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var (index, fence): (Int, (start: Int, count: Int)?) = (0, nil)
        while index < bytes.count {
            let line = bytes[index...].prefix { $0 != UInt8(ascii: "\n") }
            let signs = line.prefix { $0 == UInt8(ascii: "`") }.count
            if let open = fence {
                if signs >= open.count, line.dropFirst(signs).allSatisfy({ $0 <= 0x20 }) {
                    ranges.append(open.start..<line.endIndex)
                    fence = nil
                }
            } else if signs >= 3, !line.dropFirst(signs).contains(UInt8(ascii: "`")) {
                fence = (index, signs)
            } else {
                while let sign = bytes[index..<line.endIndex].firstIndex(of: UInt8(ascii: "`")) {
                    let isLiteral = sign > line.startIndex && bytes[sign - 1] == UInt8(ascii: "\\")
                    let end = isLiteral ? nil : endOfCode(bytes, from: sign)
                    if let end { ranges.append(sign..<end) }
                    index = end ?? sign + 1
                }
            }
            index = line.endIndex + 1
        }
        if let fence { ranges.append(fence.start..<bytes.count) }
        return ranges
    }

    /// Returns a text without the stars around bold and italic words and the backslashes before literal characters, its
    /// marks, and ranges of the text in it.
    ///
    /// - Complexity: O(*n*).
    static func shown(_ text: String, with ranges: [Range<Int>]) -> (
        text: String, marks: [Mark], ranges: [Range<Int>]
    ) {
        let bytes = Array(text.utf8)
        let (found, escapes) = found(in: Array(bytes.prefix(maxBytes)))
        let stars = found.filter { $0.stars > 0 }.flatMap { mark in
            [
                mark.range.lowerBound..<mark.range.lowerBound + mark.stars,
                mark.range.upperBound - mark.stars..<mark.range.upperBound,
            ]
        }
        guard !stars.isEmpty || !escapes.isEmpty else { return (text, found, ranges) }
        var (result, copied): ([UInt8], Int) = ([], 0)
        /// The ends of the omitted parts, and the number of bytes that are omitted up to each.
        var omitted: [(end: Int, count: Int)] = []
        for part in (stars + escapes.map { $0..<$0 + 1 }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            result += bytes[copied..<part.lowerBound]
            copied = part.upperBound
            omitted.append((copied, copied - result.count))
        }
        result += bytes[copied...]
        func shown(_ range: Range<Int>) -> Range<Int> {
            func offset(_ offset: Int) -> Int {
                var (low, high) = (0, omitted.count)
                while low < high {
                    let middle = (low + high) / 2
                    if omitted[middle].end <= offset { low = middle + 1 } else { high = middle }
                }
                return offset - (low > 0 ? omitted[low - 1].count : 0)
            }
            let start = offset(range.lowerBound)
            return start..<max(start, offset(range.upperBound))
        }
        let marks = found.map { mark in
            let inner = mark.range.lowerBound + mark.stars..<mark.range.upperBound
            return Mark(range: shown(inner), attributes: mark.attributes)
        }
        return (String(decoding: result, as: UTF8.self), marks, ranges.map(shown))
    }

    private static let star = UInt8(ascii: "*")
    /// The looks of words between one, two, and three stars.
    private static let looks: [Style.Attributes] = [.italic, .bold, [.bold, .italic]]

    /// Whether a backslash makes the next byte a literal character.
    ///
    /// - Parameter isBegun: Whether the line has text before, so that only the signs within lines can be meant.
    private static func isEscaped(_ bytes: [UInt8], _ index: Int, isBegun: Bool = true) -> Bool {
        guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return false }
        // A backslash has one before a sign only, so that paths remain as they are.
        if bytes[index + 1] == UInt8(ascii: "\\") {
            return index + 2 < bytes.count && "\\*_[]`&#!".utf8.contains(bytes[index + 2])
        }
        return (isBegun ? "*_[]`&" : "*_[]`&#+-.=>~!").utf8.contains(bytes[index + 1])
    }

    /// Whether a byte before a star is a space, a bracket, or a quotation mark, and not a part of a word or an address.
    private static func mayPrecede(_ byte: UInt8) -> Bool { byte <= 0x20 || "([{\"'|>-".utf8.contains(byte) }

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
            if run == count, bytes[index - 1] > 0x20 { return index + run }
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
