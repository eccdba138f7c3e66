/// Text broken into lines of a width, at words where that is possible, safe to show.
///
/// Lines are found when they are asked for and then kept: the first screen of 20 MB costs as much as that of
/// a page.
package struct WrappedText: Sendable {
    package let text: String
    /// Nil breaks at line ends only.
    package let width: Int?
    /// Whether all lines are found.
    package private(set) var isComplete = false

    private var extents: [Range<Int>] = []
    private var next = 0

    /// So many bytes end a line however few columns they fill; invisible text has no width.
    private static let longestLine = 1 << 16

    package init(_ text: String, width: Int?) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
        self.width = width.map { max(1, $0) }
    }

    /// The lines of the range that there are.
    package mutating func lines(_ range: Range<Int>) -> [String] {
        find(range.upperBound)
        return range.clamped(to: 0..<extents.count).map { line in
            let content = String(text[index(extents[line].lowerBound)..<index(extents[line].upperBound)])
            return width.map { SafeText.cut(content, to: $0) } ?? SafeText.line(content)
        }
    }

    /// How many lines there are, counted no further than to the limit.
    package mutating func count(upTo limit: Int) -> Int {
        find(limit)
        return min(limit, extents.count)
    }

    /// The place of a line's beginning in the text's UTF-8: it stays while the width changes.
    package mutating func offset(ofLine line: Int) -> Int {
        find(line.addingClamped(1))
        return extents.isEmpty || line < 0 ? 0 : extents[min(line, extents.count - 1)].lowerBound
    }

    /// The line in which an offset of the text's UTF-8 stands.
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
        _ = text.utf8.withContiguousStorageIfAvailable { bytes in
            while !isAtEnd, extents.count + found.count < count {
                let (end, next) = breakLine(bytes, from: start)
                found.append(start..<end)
                start = next
                isAtEnd = next >= bytes.count
            }
        }
        extents += found
        next = start
        isComplete = isAtEnd
    }

    /// Where the line that starts at an offset ends, and where the next begins.
    private func breakLine(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (end: Int, next: Int) {
        let width = width ?? .max
        var column = 0
        var place = start
        var spaces: Int?
        var hasWord = false
        var lastBreak: (end: Int, next: Int)?
        var wasWide = false
        while place < bytes.count {
            let glyph = measure(bytes, at: place)
            if glyph.isLineEnd { return (place, place + glyph.bytes) }
            if place - start >= Self.longestLine { return (place, place) }
            if glyph.isSpace {
                if column >= width {
                    let end = spaces ?? place
                    return (end, skipSpaces(bytes, from: place))
                }
                spaces = spaces ?? place
            } else {
                if let spaces, hasWord { lastBreak = (spaces, place) }
                if glyph.columns == 2 || wasWide, hasWord, spaces == nil { lastBreak = (place, place) }
                if glyph.columns > 0, column + glyph.columns > width, place > start {
                    return lastBreak ?? (place, place)
                }
                spaces = nil
                hasWord = true
                wasWide = glyph.columns == 2
            }
            column += glyph.columns
            place += glyph.bytes
        }
        return (bytes.count, bytes.count)
    }

    private func skipSpaces(_ bytes: UnsafeBufferPointer<UInt8>, from place: Int) -> Int {
        var place = place
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
        guard place < bytes.count else { return place }
        let glyph = measure(bytes, at: place)
        return glyph.isLineEnd ? place + glyph.bytes : place
    }

    private struct Measure {
        var bytes = 1
        var columns = 1
        var isSpace = false
        var isLineEnd = false
    }

    private func measure(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Measure {
        let byte = bytes[place]
        let following = place + 1 < bytes.count ? bytes[place + 1] : 0
        if byte == 0x0A { return Measure(isLineEnd: true) }
        if byte == 0x0D { return Measure(bytes: following == 0x0A ? 2 : 1, isLineEnd: true) }
        if byte < 0x80, following < 0x80 { return Measure(isSpace: byte == 0x20 || byte == 0x09) }
        // U+5000 to U+9FFF, with nothing behind it that could join it: ideographs, six times faster than by cluster.
        if (0xE5...0xE9).contains(byte), place + 3 < bytes.count,
            bytes[place + 3] < 0x80 || (0xE4...0xE9).contains(bytes[place + 3])
        {
            return Measure(bytes: 3, columns: 2)
        }

        // A cluster may be megabytes of marks; a piece of it is measured at a time.
        let window = text[index(place)...].beginning(for: 0)
        guard let character = window.first else { return Measure() }
        let length = character.utf8.count
        if character == "\u{2028}" || character == "\u{2029}" {
            return Measure(bytes: length, isLineEnd: true)
        }
        return Measure(bytes: length, columns: DisplayForm(character).columns, isSpace: character == " ")
    }
}
