import Platform

/// Text wrapped to a width, at words if possible, and safe to show.
///
/// Lines are computed on demand and cached: the first screen of 20 MB takes as long as that of a page.
package struct WrappedText: Sendable {
    package let text: String
    /// The width in columns; nil breaks only at line ends.
    package let width: Int?
    /// Whether all lines have been computed.
    package private(set) var isComplete = false

    private var extents: [Range<Int>] = []
    private var next = 0
    /// Whether the further lines of a list item or of a quote are indented as far as the first one.
    private let hangs: Bool
    /// The prefix of the further lines of the present paragraph, and that of each line which has one.
    private var hang = ""
    private var prefixes: [Int: String] = [:]

    /// The maximum bytes of a line, regardless of its columns; invisible text has no width.
    private static let longestLine = 1 << 16

    package init(_ text: String, width: Int?, hangs: Bool = false) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
        self.hangs = hangs && width != nil
        self.width = width.map { max(1, $0) }
    }

    /// Returns the existing lines of the range.
    package mutating func lines(_ range: Range<Int>) -> [String] {
        find(range.upperBound)
        return range.clamped(to: 0..<extents.count).map { line in
            let content = prefix(ofLine: line) + content(ofLine: line)
            return width.map { SafeText.cut(content, to: $0) } ?? SafeText.line(content)
        }
    }

    /// The part of a shown line that is not in the text.
    package func prefix(ofLine line: Int) -> String { prefixes[line] ?? "" }

    /// Whether a line is shown as it is in the text, without replaced or omitted characters.
    package func isShown(_ line: Int, as shown: String) -> Bool {
        extents.indices.contains(line)
            && (prefix(ofLine: line) + content(ofLine: line)).utf8.elementsEqual(shown.utf8)
    }

    private func content(ofLine line: Int) -> String {
        String(text[index(extents[line].lowerBound)..<index(extents[line].upperBound)])
    }

    /// Returns the number of lines, counted up to the limit.
    package mutating func count(upTo limit: Int) -> Int {
        find(limit)
        return min(limit, extents.count)
    }

    /// Returns the UTF-8 offset of the start of a line, which is independent of the width.
    package mutating func offset(ofLine line: Int) -> Int {
        find(line.addingClamped(1))
        return extents.isEmpty || line < 0 ? 0 : extents[min(line, extents.count - 1)].lowerBound
    }

    /// Returns the line that contains a UTF-8 offset.
    package mutating func line(at offset: Int) -> Int {
        while !isComplete, next <= offset { find(extents.count * 2 + 64) }
        return max(0, (extents.firstIndex { $0.lowerBound > offset } ?? extents.count) - 1)
    }

    private func index(_ offset: Int) -> String.Index {
        text.utf8.index(text.startIndex, offsetBy: offset)
    }

    private mutating func find(_ count: Int) {
        guard !isComplete, extents.count < count else { return }
        var found: [Range<Int>] = []
        var start = next
        var isAtEnd = false
        var (hang, prefixes) = (hang, prefixes)
        _ = text.utf8.withContiguousStorageIfAvailable { bytes in
            while !isAtEnd, extents.count + found.count < count {
                let isFirst = !hangs || isStartOfParagraph(bytes, start)
                if hangs, isFirst { hang = hangingPrefix(bytes, from: start) }
                let (end, next) = breakLine(bytes, from: start, indent: isFirst ? 0 : hang.utf8.count)
                if !isFirst, !hang.isEmpty { prefixes[extents.count + found.count] = hang }
                found.append(start..<end)
                start = next
                isAtEnd = next >= bytes.count
            }
        }
        (self.hang, self.prefixes) = (hang, prefixes)
        extents += found
        next = start
        isComplete = isAtEnd
    }

    private func isStartOfParagraph(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
        guard offset > 0, bytes[offset - 1] != 0x0A, bytes[offset - 1] != 0x0D else { return true }
        // U+2028 and U+2029
        return offset > 2 && bytes[offset - 3] == 0xE2 && bytes[offset - 2] == 0x80
            && (0xA8...0xA9).contains(bytes[offset - 1])
    }

    /// Returns the prefix of the lines after the first one of a paragraph: its indent, its marks of a quote, and spaces
    /// below its mark of a list or of a definition.
    private func hangingPrefix(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> String {
        var prefix = ""
        var offset = start
        func byte(_ distance: Int = 0) -> UInt8 {
            offset + distance < bytes.count ? bytes[offset + distance] : 0x0A
        }
        let limit = start + (width ?? 0) / 2
        while offset < limit, byte() == 0x20 || byte() == UInt8(ascii: ">") {
            prefix += byte() == 0x20 ? " " : ">"
            offset += 1
        }
        let digits = (0..<4).prefix { byte($0).isASCIIDigit }.count
        let isMarked =
            digits == 0
            ? "-*+:".utf8.contains(byte()) && byte(1) == 0x20
            : ".)".utf8.contains(byte(digits)) && byte(digits + 1) == 0x20
        if isMarked { prefix += String(repeating: " ", count: max(1, digits) + (digits == 0 ? 1 : 2)) }
        return prefix.utf8.count > (width ?? 0) / 2 ? "" : prefix
    }

    /// Returns the end of the line that starts at an offset, and the start of the next line.
    private func breakLine(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, indent: Int
    ) -> (end: Int, next: Int) {
        let width = width.map { $0 - indent } ?? .max
        var column = 0
        var offset = start
        var spaces: Int?
        var hasWord = false
        var lastBreak: (end: Int, next: Int)?
        // Where a word wider than the line is divided, such as a URL.
        var lastSign: Int?
        var (wasWide, wasOpening) = (false, false)
        while offset < bytes.count {
            let glyph = measure(bytes, at: offset)
            if glyph.isLineEnd { return (offset, offset + glyph.bytes) }
            if offset - start >= Self.longestLine { return (offset, offset) }
            if glyph.isSpace {
                if column >= width, lastBreak == nil || !isNumber(bytes, skipSpaces(bytes, from: offset)) {
                    let end = spaces ?? offset
                    return (end, skipSpaces(bytes, from: offset))
                }
                spaces = spaces ?? offset
            } else {
                if let spaces, hasWord, !isNumber(bytes, offset) { lastBreak = (spaces, offset) }
                let sign = glyph.columns == 2 || wasWide ? sign(bytes, offset, glyph) : ""
                if glyph.columns == 2 || wasWide, hasWord, spaces == nil, !wasOpening,
                    !Self.closing.contains(sign)
                {
                    lastBreak = (offset, offset)
                }
                wasOpening = Self.opening.contains(sign)
                if glyph.columns > 0, column + glyph.columns > width, offset > start {
                    let end = lastSign ?? offset
                    return lastBreak ?? (end, end)
                }
                if glyph.bytes == 1, "/?&=#-_.,;:+".utf8.contains(bytes[offset]), column >= width / 2 {
                    lastSign = offset + 1
                }
                spaces = nil
                hasWord = true
                wasWide = glyph.columns == 2
            }
            column += glyph.columns
            offset += glyph.bytes
        }
        return (bytes.count, bytes.count)
    }

    /// Returns a glyph that may be a sign of a sentence, a quote, or brackets; empty for an ideograph.
    private func sign(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, _ glyph: Measure) -> String {
        guard glyph.bytes <= 3, !(0xE4...0xE9).contains(bytes[offset]) else { return "" }
        return String(decoding: bytes[offset..<offset + glyph.bytes], as: UTF8.self)
    }

    /// The signs with which no line begins, and those with which none ends, if the width allows.
    private static let closing = Set("。，、．！？：；）」』】》〉〕］｝｡､｣・ー…”’»›.,!?:;)]}%".map(String.init))
    private static let opening = Set("（「『【《〈〔［｛｢“‘«‹([{".map(String.init))

    /// Whether a number in brackets begins at an offset. That of a link remains next to its words.
    private func isNumber(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "[") else { return false }
        let digits = bytes[(offset + 1)...].prefix(5).prefix(while: \.isASCIIDigit)
        return !digits.isEmpty && digits.endIndex < bytes.count && bytes[digits.endIndex] == UInt8(ascii: "]")
    }

    private func skipSpaces(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
        var offset = offset
        while offset < bytes.count, bytes[offset] == 0x20 || bytes[offset] == 0x09 { offset += 1 }
        guard offset < bytes.count else { return offset }
        let glyph = measure(bytes, at: offset)
        return glyph.isLineEnd ? offset + glyph.bytes : offset
    }

    private struct Measure {
        var bytes = 1
        var columns = 1
        var isSpace = false
        var isLineEnd = false
    }

    private func measure(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Measure {
        let byte = bytes[offset]
        let following = offset + 1 < bytes.count ? bytes[offset + 1] : 0
        if byte == 0x0A { return Measure(isLineEnd: true) }
        if byte == 0x0D { return Measure(bytes: following == 0x0A ? 2 : 1, isLineEnd: true) }
        if byte < 0x80, following < 0x80 { return Measure(isSpace: byte == 0x20 || byte == 0x09) }
        // U+5000 to U+9FFF, followed by a scalar that cannot join it: ideographs, six times faster than by
        // cluster.
        if (0xE5...0xE9).contains(byte), offset + 3 < bytes.count,
            bytes[offset + 3] < 0x80 || (0xE4...0xE9).contains(bytes[offset + 3])
        {
            return Measure(bytes: 3, columns: 2)
        }

        // A cluster may have megabytes of marks; one part of it is measured at a time.
        let window = text[index(offset)...].beginning(for: 0)
        guard let character = window.first else { return Measure() }
        let length = character.utf8.count
        if character == "\u{2028}" || character == "\u{2029}" {
            return Measure(bytes: length, isLineEnd: true)
        }
        return Measure(bytes: length, columns: DisplayForm(character).columns, isSpace: character == " ")
    }
}
