import Terminal

/// The headings, and the bold and italic words, of a text with marks of Markdown, which remain visible.
enum TextMarks {
    struct Mark: Hashable, Sendable {
        let range: Range<Int>
        let attributes: Style.Attributes
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
            guard bytes[index] == star, index == 0 || !isWord(bytes[index - 1]) else {
                index += 1
                continue
            }
            let count = bytes[index...].prefix { $0 == star }.count
            guard count <= 2, let end = end(of: bytes, from: index, count) else {
                index += count
                continue
            }
            marks.append(Mark(range: index..<end, attributes: count == 2 ? .bold : .italic))
            index = end
        }
        return marks
    }

    private static let star = UInt8(ascii: "*")

    /// Whether a backslash makes the next byte a literal star.
    private static func isEscaped(_ bytes: [UInt8], _ index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count && bytes[index + 1] == star
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == star || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
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

    /// Returns the marks that overlap a range.
    static func overlapping(_ range: Range<Int>, in marks: [Mark]) -> ArraySlice<Mark> {
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].range.upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return marks[low...].prefix { $0.range.lowerBound < range.upperBound }
    }
}
