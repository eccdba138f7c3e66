/// The text of what a program wrote to a terminal, without its control sequences.
package enum PlainOutput {
    private static let escape: UInt8 = 0x1B

    /// Returns the text as the terminal would show it, without colors. Of a line that was written again, as a progress
    /// bar is, the last form remains, and of a program with the whole screen, nothing.
    ///
    /// - Complexity: O(*n*).
    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var (line, column) = (0, 0)
        var returns = false
        var index = 0
        var isOtherScreen = false
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == escape {
                let end = end(ofSequence: bytes, at: index)
                isOtherScreen = switchesScreen(bytes[index..<end]) ?? isOtherScreen
                index = end
                continue
            }
            if isOtherScreen { continue }
            switch byte {
            case 0x0D:
                returns = true
                continue
            case 0x0A:
                text.append(byte)
                (line, column, returns) = (text.count, 0, false)
                continue
            default: break
            }
            if returns {
                text.removeLast(text.count - line)
                (column, returns) = (0, false)
            }
            switch byte {
            case 0x08:
                guard text.count > line else { continue }
                while text.count > line + 1, text[text.count - 1] & 0xC0 == 0x80 { text.removeLast() }
                text.removeLast()
                column -= 1
            case 0x09:
                let spaces = 8 - column % 8
                text += repeatElement(0x20, count: spaces)
                column += spaces
            case 0x07: break
            default:
                text.append(byte)
                if byte & 0xC0 != 0x80 { column += 1 }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a program had the whole screen, and left it as it was.
    static func hasOtherScreen(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let start = rest.firstIndex(of: escape) {
            let end = end(ofSequence: bytes, at: start + 1)
            if switchesScreen(bytes[(start + 1)..<end]) == false { return true }
            rest = rest[max(end, start + 1)...]
        }
        return false
    }

    /// Returns the output before the first move of the cursor, and after the last one.
    static func aroundMoves(_ bytes: [UInt8]) -> [UInt8] {
        var moves: Range<Int>?
        var rest = bytes[...]
        while let start = rest.firstIndex(of: escape) {
            let end = max(end(ofSequence: bytes, at: start + 1), start + 1)
            if movesCursor(bytes[(start + 1)..<end]) { moves = (moves?.lowerBound ?? start)..<end }
            rest = rest[end...]
        }
        return moves.map { Array(bytes[..<$0.lowerBound] + bytes[$0.upperBound...]) } ?? bytes
    }

    /// Whether a sequence after its ESC moves the cursor, or erases the screen (ECMA-48, 8.3).
    private static func movesCursor(_ sequence: ArraySlice<UInt8>) -> Bool {
        let isLong = sequence.first == UInt8(ascii: "[")
        let moves = isLong ? "ABCDEFGHJSTdfr" : "78DEM"
        return (isLong ? sequence.last : sequence.first).map(moves.utf8.contains) == true
    }

    /// Whether a sequence after its ESC begins the alternate screen (true), or ends it (false); nil for others.
    private static func switchesScreen(_ sequence: ArraySlice<UInt8>) -> Bool? {
        guard sequence.starts(with: [UInt8(ascii: "["), UInt8(ascii: "?")]), let last = sequence.last,
            [UInt8(ascii: "h"), UInt8(ascii: "l")].contains(last)
        else { return nil }
        let modes = String(decoding: sequence.dropFirst(2).dropLast(), as: UTF8.self).split(separator: ";")
        return modes.contains { ["47", "1047", "1049"].contains($0) } ? last == UInt8(ascii: "h") : nil
    }

    /// Returns the index after a sequence whose ESC is before an index (ECMA-48, 5.3 to 5.6).
    private static func end(ofSequence bytes: [UInt8], at start: Int) -> Int {
        guard start < bytes.count else { return start }
        switch bytes[start] {
        case UInt8(ascii: "["):
            let end = bytes[(start + 1)...].firstIndex { !(0x20...0x3F).contains($0) } ?? bytes.count
            return min(
                end + ((0x40...0x7E).contains(end < bytes.count ? bytes[end] : 0) ? 1 : 0), bytes.count)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            // Without its end, only the introducer is omitted.
            guard
                let end = bytes[(start + 1)...].prefix(1 << 16).firstIndex(where: {
                    $0 == 0x07 || $0 == escape
                })
            else { return start + 1 }
            let isTwo = bytes[end] == escape && end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: "\\")
            return bytes[end] == escape ? (isTwo ? end + 2 : end) : end + 1
        case 0x20...0x2F:
            let end = bytes[start...].firstIndex { !(0x20...0x2F).contains($0) } ?? bytes.count
            return min(end + 1, bytes.count)
        default: return bytes[start] < 0x80 && bytes[start] >= 0x30 ? start + 1 : start
        }
    }
}
