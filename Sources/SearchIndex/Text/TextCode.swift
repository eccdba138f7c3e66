/// Code of a text: a block in fences, or words between signs.
package struct TextCode: Hashable, Sendable {
    package let range: Range<Int>
    /// The lines in the fences; nil for words.
    package var lines: Range<Int>?
    /// The marks of quotes that begin each line.
    package var quotes = 0

    /// Returns the code of a text, in ascending order.
    package static func all(in bytes: [UInt8]) -> [TextCode] {
        var found: [TextCode] = []
        var fence: (start: Int, mark: UInt8, count: Int, quotes: Int, code: Int)?
        var index = 0
        while index < bytes.count {
            let line = bytes[index...].prefix { $0 != newline }
            var marks = LineMarks(line, maxQuotes: fence?.quotes ?? .max, maxItems: fence == nil ? .max : 0)
            if let open = fence, marks.quotes < open.quotes {
                // The end of a quote is that of its code.
                let end = max(open.code, index - 1)
                found.append(
                    TextCode(range: open.start..<end, lines: open.code..<end, quotes: open.quotes))
                (fence, marks) = (nil, LineMarks(line))
            }
            let rest = line[marks.content...]
            let mark = rest.first == tilde ? tilde : sign
            let signs = rest.prefix { $0 == mark }.count
            if let open = fence {
                if mark == open.mark, signs >= open.count, rest.dropFirst(signs).allSatisfy({ $0 <= 0x20 }) {
                    let end = max(open.code, line.startIndex - 1)
                    found.append(
                        TextCode(
                            range: open.start..<line.endIndex, lines: open.code..<end, quotes: open.quotes))
                    fence = nil
                }
            } else if signs >= 3, mark == tilde || !rest.dropFirst(signs).contains(sign) {
                let start = marks.hasItem ? rest.startIndex : index
                fence = (start, mark, signs, marks.quotes, min(line.endIndex + 1, bytes.count))
            } else {
                while let sign = bytes[index..<line.endIndex].firstIndex(of: sign) {
                    let isLiteral = sign > line.startIndex && bytes[sign - 1] == UInt8(ascii: "\\")
                    let count = isLiteral ? 1 : bytes[sign...].prefix { $0 == self.sign }.count
                    let end = isLiteral ? nil : endOfCode(bytes, from: sign + count, count)
                    if let end { found.append(TextCode(range: sign..<end)) }
                    index = end ?? sign + count
                }
            }
            index = line.endIndex + 1
        }
        if let fence {
            let (range, lines) = (fence.start..<bytes.count, fence.code..<bytes.count)
            found.append(TextCode(range: range, lines: lines, quotes: fence.quotes))
        }
        return found
    }

    private static let newline = UInt8(ascii: "\n")
    private static let sign = UInt8(ascii: "`")
    private static let tilde = UInt8(ascii: "~")
    /// The bytes within which code in a line ends.
    private static let maxLength = 300

    /// Returns the index after the signs that end code in its line, which are as many as those before it.
    private static func endOfCode(_ bytes: [UInt8], from start: Int, _ count: Int) -> Int? {
        let rest = bytes[start...].prefix(maxLength).prefix { $0 != newline }
        var index = rest.startIndex
        while let first = rest[index...].firstIndex(of: sign) {
            index = rest[first...].firstIndex { $0 != sign } ?? rest.endIndex
            if index - first == count { return index }
        }
        return nil
    }
}
