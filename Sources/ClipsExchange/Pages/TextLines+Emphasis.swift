import Platform
import SearchIndex

/// Emphasis, exponents, and indexes.
extension TextLines {
    /// Ends emphasis, unless its signs would not be read as such.
    ///
    /// - Parameter isBeforeWord: Whether a word follows without a space.
    mutating func endEmphasis(_ mark: [UInt8], from start: Int, isBeforeWord: Bool) {
        bytes += mark
        let isRead = start == 0 || bytes[start - 1] <= 0x20 || isRead(mark, from: start)
        guard !isRead || isBeforeWord && !self.isRead(mark, from: start, before: UInt8(ascii: "x")) else {
            return
        }
        if isRead, bytes.count - start > 2 * mark.count + 1 {
            // The sign after the words is not emphasized instead.
            let last = bytes[bytes.count - mark.count - 1]
            if ".,;:!?".utf8.contains(last) {
                bytes.removeLast(mark.count + 1)
                literals.truncate(at: bytes.count)
                bytes += mark
                literals.add(last, at: bytes.count)
                return bytes.append(last)
            }
        }
        bytes.removeLast(mark.count)
        for _ in mark {
            bytes.remove(at: start)
            literals.remove(at: start)
        }
    }

    /// Whether signs of emphasis within a word, or before another byte, are read as such.
    private func isRead(_ mark: [UInt8], from start: Int, before next: UInt8? = nil) -> Bool {
        let first = bytes[start + mark.count]
        let isBetween =
            bytes[..<start].endsWithLetter && first < 0x80 && !bytes[...(start + mark.count)].endsWithLetter
        let offset = max(0, start - Self.maxWord)
        let part = bytes[offset...] + [next].compactMap(\.self)
        return !isBetween
            && InlineMark.all(in: Array(part), code: []).contains {
                $0.opening.lowerBound == start - offset && $0.closing.upperBound == bytes.count - offset
            }
    }

    /// Whether a word follows an element without a space.
    static func isWord(after node: HTMLDocument.Node) -> Bool {
        guard let next = node.next, next.isText, let first = next.content.first else { return false }
        return first.isASCIIAlphanumeric || first >= 0x80
    }

    /// Ends an exponent or an index, whose signs are at its start.
    mutating func endScript(_ name: String, from start: Int) {
        let signs = ScriptSigns(name, bytes[(start + 2)...], after: bytes[..<start])
        for offset in signs.omitted {
            bytes.remove(at: start + offset)
            literals.remove(at: start + offset)
        }
        if signs == .all { bytes.append(UInt8(ascii: ")")) }
    }

    private static let maxWord = 200
}
