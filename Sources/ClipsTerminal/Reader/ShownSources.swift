import ClipsCore
import Platform

/// The ranges of a text with marks of Markdown that some lines show, and those before and after them.
struct ShownSources {
    private let before: [Range<Int>]
    private let ranges: [Range<Int>]
    private let after: [Range<Int>]

    /// - Parameter count: The bytes before and after the ranges.
    /// - Returns: nil if there are no ranges.
    init?(_ ranges: [Range<Int>], of text: ShownText, near count: Int) {
        guard let start = ranges.first?.lowerBound, let end = ranges.last?.upperBound else { return nil }
        self.ranges = ranges
        before = text.sources(in: max(0, start - count)..<start)
        after = text.sources(in: end..<end + count)
    }

    /// Returns the quote of the ranges, in which the words are those that are read.
    ///
    /// - Parameters:
    ///   - text: The text with the numbers of links and the marks of quotes.
    ///   - numbers: The ranges of the numbers in it, in ascending order.
    /// - Returns: nil if no words are in the ranges.
    func quote(of text: String, without numbers: [Range<Int>]) -> Quote? {
        let bytes = Array(text.utf8)
        let all = Self.words(ranges, of: bytes, without: numbers)
        guard let first = all.firstIndex(where: { !$0.isWhitespace }),
            let last = all.lastIndex(where: { !$0.isWhitespace })
        else { return nil }
        return Quote(
            String(all[first...last]),
            prefix: Self.words(before, of: bytes, without: numbers) + all[..<first],
            suffix: all[all.index(after: last)...] + Self.words(after, of: bytes, without: numbers))
    }

    /// Returns the text of ranges, with a bar between the cells of a table, and each of its rows in a line.
    private static func words(
        _ ranges: [Range<Int>], of bytes: [UInt8], without numbers: [Range<Int>]
    ) -> String {
        let newline = UInt8(ascii: "\n")
        var (result, end) = ([UInt8](), ranges.first?.lowerBound ?? 0)
        for range in ranges {
            let gap = bytes[end..<range.lowerBound]
            let isEnd = bytes[range.lowerBound] == newline || result.isEmpty || result.last == newline
            if !isEnd, gap.contains(newline) {
                result.append(newline)
            } else if !isEnd, gap.contains(UInt8(ascii: "|")), hasWords(result) {
                result += Array(" | ".utf8)
            }
            let omitted = TextMarks.overlapping(range, in: numbers) { $0 }.map { $0.clamped(to: range) }
            for (index, part) in ShownParts.ranges(of: range, without: omitted).enumerated() {
                // Words on both sides of a number remain two.
                if index > 0, let last = result.last, last.isOfWord, bytes[part.lowerBound].isOfWord {
                    result.append(0x20)
                }
                result += bytes[part]
            }
            end = range.upperBound
        }
        return String(decoding: result, as: UTF8.self).filter {
            $0 != Clip.quoteStart && $0 != Clip.quoteEnd
        }
    }

    /// Whether the last line has more than the marks of quotes and an indent.
    private static func hasWords(_ lines: [UInt8]) -> Bool {
        lines.lazy.reversed().prefix { $0 != UInt8(ascii: "\n") }.contains { !" >".utf8.contains($0) }
    }
}
