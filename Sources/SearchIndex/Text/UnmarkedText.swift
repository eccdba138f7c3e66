import Platform

/// A text without the marks of links and emphasis in Markdown, which phrases cross, and the backslashes before signs.
///
/// `the [manual][2] says` and, as the reader shows it, `the manual [2] says` become `the manual says`.
package struct UnmarkedText {
    package let text: String
    /// The beginnings of the retained parts, in the text and in its source.
    private let parts: [(start: Int, source: Int)]

    private static let maxReference = 1000
    private static let maxOpen = 100

    /// - Returns: nil if the text has no marks.
    package init?(_ source: String) {
        var source = source
        let found = source.withUTF8 { bytes -> (bytes: [UInt8], parts: [(start: Int, source: Int)])? in
            guard bytes.contains(where: "[*~\\".utf8.contains) else { return nil }
            let marks = Self.marks(in: bytes)
            return marks.isEmpty ? nil : Self.text(bytes, without: marks)
        }
        guard let found else { return nil }
        (text, parts) = (String(decoding: found.bytes, as: UTF8.self), found.parts)
    }

    /// Returns the offset in the source of an offset in the text.
    package func source(_ offset: Int) -> Int {
        let part = parts[max(0, parts.partitionPoint { $0.start > offset } - 1)]
        return part.source + offset - part.start
    }

    private static func text(
        _ bytes: UnsafeBufferPointer<UInt8>, without marks: [Range<Int>]
    ) -> (bytes: [UInt8], parts: [(start: Int, source: Int)]) {
        var (result, parts): ([UInt8], [(start: Int, source: Int)]) = ([], [(0, 0)])
        var start = 0
        for mark in marks where mark.lowerBound >= start {
            result += bytes[start..<mark.lowerBound]
            start = mark.upperBound
            // Words on both sides remain two.
            if start < bytes.count, isWord(bytes[start]), let last = result.last, isWord(last) {
                parts.append((result.count, mark.lowerBound))
                result.append(0x20)
            }
            parts.append((result.count, start))
        }
        return (result + bytes[start...], parts)
    }

    /// Returns the marks in ascending order.
    private static func marks(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var (marks, open, index) = ([Range<Int>](), [Int](), 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                guard index + 1 < bytes.count, isSign(bytes[index + 1]) else { break }
                marks.append(index..<index + 1)
                index += 1
            case UInt8(ascii: "["):
                if let end = endOfNumber(bytes, at: index) {
                    let hasSpace = index > 0 && bytes[index - 1] == 0x20
                    marks.append((hasSpace ? index - 1 : index)..<end)
                    index = end
                    continue
                }
                open.append(index)
                if open.count > maxOpen { open.removeFirst() }
            case UInt8(ascii: "]"):
                guard let start = open.popLast(), index - start <= maxReference,
                    let end = endOfNumber(bytes, at: index + 1) ?? endOfAddress(bytes, at: index + 1)
                else { break }
                marks += [start..<start + 1, index..<end]
                index = end
                continue
            case UInt8(ascii: "*"), UInt8(ascii: "~"):
                let sign = bytes[index]
                let end = bytes[index...].firstIndex { $0 != sign } ?? bytes.count
                let lengths = sign == UInt8(ascii: "*") ? 1...3 : 2...2
                let isAfter = index > 0 && isWord(bytes[index - 1])
                let isBefore = end < bytes.count && isWord(bytes[end])
                if lengths.contains(end - index), !isAfter || !isBefore { marks.append(index..<end) }
                index = end
                continue
            default: break
            }
            index += 1
        }
        return marks.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// Returns the index after a number in brackets.
    private static func endOfNumber(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
        let digits = bytes[(start + 1)...].prefix(5).prefix { $0 &- 0x30 < 10 }
        guard (1...4).contains(digits.count), digits.endIndex < bytes.count,
            bytes[digits.endIndex] == UInt8(ascii: "]")
        else { return nil }
        return digits.endIndex + 1
    }

    /// Returns the index after an address in parentheses.
    private static func endOfAddress(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "(") else { return nil }
        let rest = bytes[(start + 1)...].prefix(maxReference)
        let address = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ")") }
        guard address.endIndex < bytes.count, bytes[address.endIndex] == UInt8(ascii: ")") else { return nil }
        return address.endIndex + 1
    }

    private static func isSign(_ byte: UInt8) -> Bool { 0x21...0x7E ~= byte && !isWord(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte >= 0x80
    }
}
