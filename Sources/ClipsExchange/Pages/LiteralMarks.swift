import Platform
import SearchIndex

/// The characters of a page that Markdown would interpret, and the lines in which they are.
///
/// Only those that would take effect get a backslash, so that most texts read and search as the page does: a lone star
/// is none, and neither are the underscores of `snake_case`.
struct LiteralMarks {
    private struct Line {
        var offset: Int
        /// Whether marks before it have no effect on it.
        let beginsBlock: Bool
        /// Whether it may be a heading, an item, or a quote.
        let hasStructure: Bool
    }

    private var offsets: [Int] = []
    private var lines: [Line] = []

    private static let maxNumber = 9
    private static let maxEntity = 32
    private static let maxURL = 2048

    /// Adds a byte of the page at the end of the text, if it may be a mark there.
    mutating func add(_ byte: UInt8, at offset: Int) {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "&"), UInt8(ascii: "!"), UInt8(ascii: "~"):
            offsets.append(offset)
        case UInt8(ascii: "#"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "="), UInt8(ascii: ">"):
            if offset == lines.last?.offset { offsets.append(offset) }
        default: break
        }
    }

    mutating func beginLine(at offset: Int, beginsBlock: Bool, hasStructure: Bool) {
        lines.append(Line(offset: offset, beginsBlock: beginsBlock, hasStructure: hasStructure))
    }

    /// Adapts the offsets to the removal of a byte near the end.
    mutating func remove(at offset: Int) {
        for index in offsets.indices.reversed() {
            guard offsets[index] >= offset else { break }
            if offsets[index] == offset { offsets.remove(at: index) } else { offsets[index] -= 1 }
        }
        for index in lines.indices.reversed() {
            guard lines[index].offset > offset else { break }
            lines[index].offset -= 1
        }
    }

    /// Discards what is after the end of the text.
    mutating func truncate(at count: Int) {
        while let last = offsets.last, last >= count { offsets.removeLast() }
        while let last = lines.last, last.offset >= count { lines.removeLast() }
    }

    /// Returns a text with backslashes before the characters that would take effect.
    ///
    /// - Parameter links: The number of addresses that the text lists; `[1]` is the first.
    func escaped(_ bytes: [UInt8], links: Int) -> [UInt8] {
        var escapes: [Int] = []
        var rest = offsets[...]
        var first = lines.startIndex
        while first < lines.endIndex {
            let end = lines[(first + 1)...].firstIndex(where: \.beginsBlock) ?? lines.endIndex
            let limit = end < lines.endIndex ? lines[end].offset : bytes.count
            let literals = rest.prefix { $0 < limit }
            rest = rest.dropFirst(literals.count)
            var block = Block(
                bytes: bytes, range: lines[first].offset..<limit, literals: literals, links: links)
            for line in lines[first..<end] where line.hasStructure { block.escapeStart(ofLine: line.offset) }
            if !literals.isEmpty { block.escapeMarks() }
            escapes += block.escapes.sorted().filter { !Self.isInURL($0, of: bytes) }
            first = end
        }
        guard !escapes.isEmpty else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + escapes.count)
        var (copied, last) = (0, -1)
        for offset in escapes where offset > last {
            result += bytes[copied..<offset] + [UInt8(ascii: "\\")]
            (copied, last) = (offset, offset)
        }
        return result + bytes[copied...]
    }

    /// Whether a URL begins before an offset in the same word. Programs recognize it as it is.
    private static func isInURL(_ offset: Int, of bytes: [UInt8]) -> Bool {
        guard bytes[offset] != UInt8(ascii: "\\") else { return false }
        let word = bytes[..<offset].suffix(maxURL).reversed().prefix { $0 > 0x20 && $0 != UInt8(ascii: "\\") }
        return word.reversed().split(separator: UInt8(ascii: ":")).dropFirst().contains {
            $0.starts(with: "//".utf8)
        }
    }

    /// A part of a text with its own marks.
    private struct Block {
        let bytes: [UInt8]
        let range: Range<Int>
        let literals: ArraySlice<Int>
        let links: Int
        /// The offsets of the characters, some of them twice.
        var escapes: [Int] = []

        private func isLiteral(_ offset: Int) -> Bool { literals.contains(sorted: offset) }

        /// The byte at an offset; white space around the block.
        private func byte(_ offset: Int) -> UInt8 { range.contains(offset) ? bytes[offset] : 0x20 }

        private func isSpace(_ offset: Int) -> Bool { byte(offset) <= 0x20 }

        private func isPunctuation(_ offset: Int) -> Bool { byte(offset).isPunctuation }

        /// Returns the end of the run of a byte.
        private func end(ofRun start: Int, _ byte: UInt8) -> Int {
            bytes[start..<range.upperBound].firstIndex { $0 != byte } ?? range.upperBound
        }

        /// Escapes a mark that would make a line a heading, an item, a quote, a rule, or code.
        mutating func escapeStart(ofLine start: Int) {
            let first = byte(start)
            if first.isASCIIDigit {
                let end = bytes[start..<range.upperBound].firstIndex { !$0.isASCIIDigit } ?? start
                if end - start <= maxNumber, ".)".utf8.contains(byte(end)), isSpace(end + 1) {
                    escapes.append(end)
                }
                return
            }
            guard isLiteral(start) else { return }
            let run = end(ofRun: start, first)
            let line = bytes[start..<range.upperBound].prefix { $0 != UInt8(ascii: "\n") }
            let isRule = line.allSatisfy { $0 == first || $0 == 0x20 }
            let hasEffect =
                switch first {
                case UInt8(ascii: "#"): run - start <= 6 && isSpace(run)
                case UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "-"): isSpace(start + 1) || isRule
                case UInt8(ascii: "_"), UInt8(ascii: "="): isRule
                case UInt8(ascii: ">"): true
                case UInt8(ascii: "~"), UInt8(ascii: "`"): run - start >= 3
                default: false
                }
            if hasEffect { escapes.append(start) }
        }

        mutating func escapeMarks() {
            let marks = Set(literals.map { bytes[$0] })
            for mark in "*_~".utf8 where marks.contains(mark) { escapeEmphasis(mark) }
            if marks.contains(UInt8(ascii: "`")) { escapeCode() }
            if !marks.isDisjoint(with: "[]".utf8) { escapeBrackets() }
            for offset in literals {
                switch bytes[offset] {
                case UInt8(ascii: "\\")
                where isPunctuation(offset + 1) || byte(offset + 1) == UInt8(ascii: "\n"):
                    escapes.append(offset)
                case UInt8(ascii: "&") where isReference(offset): escapes.append(offset)
                // A link would be an image.
                case UInt8(ascii: "!")
                where byte(offset + 1) == UInt8(ascii: "[") && !isLiteral(offset + 1):
                    escapes.append(offset)
                default: break
                }
            }
        }

        /// Returns the runs of a literal mark, and whether the block has other marks of the kind.
        private func runs(of mark: UInt8) -> (literal: [Range<Int>], hasMarks: Bool) {
            var (runs, start) = ([Range<Int>](), range.lowerBound)
            var hasMarks = false
            while let first = bytes[start..<range.upperBound].firstIndex(of: mark) {
                let isFound = isLiteral(first)
                var end = first + 1
                while end < range.upperBound, bytes[end] == mark, isLiteral(end) == isFound {
                    end += 1
                }
                if isFound { runs.append(first..<end) } else { hasMarks = true }
                start = end
            }
            return (runs, hasMarks)
        }

        /// Escapes the marks that would begin or end emphasis (spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis), or
        /// struck words, whose marks are alike (github.github.com/gfm/#strikethrough-extension-).
        private mutating func escapeEmphasis(_ mark: UInt8) {
            var (runs, hasMarks) = runs(of: mark)
            // One sign strikes no words, except on GitHub.
            if mark == UInt8(ascii: "~") { runs.removeAll { $0.count != 2 } }
            let sides = runs.map { run in
                let (before, after) = (run.lowerBound - 1, run.upperBound)
                let isLeft =
                    !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before))
                let isRight =
                    !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after))
                guard mark == UInt8(ascii: "_") else { return (opens: isLeft, closes: isRight) }
                return (
                    opens: isLeft && (!isRight || isPunctuation(before)),
                    closes: isRight && (!isLeft || isPunctuation(after))
                )
            }
            let (first, last) = (sides.firstIndex(where: \.opens), sides.lastIndex(where: \.closes))
            for (index, run) in runs.enumerated() {
                let (opens, closes) = sides[index]
                let hasOther = opens && index < last ?? -1 || closes && index > first ?? runs.count
                if hasOther || hasMarks && (opens || closes) { escapes.append(contentsOf: run) }
            }
        }

        /// Escapes the marks that would begin or end code.
        private mutating func escapeCode() {
            let (runs, hasMarks) = runs(of: UInt8(ascii: "`"))
            // A backslash makes a run shorter, so that it may end another one.
            if hasMarks || runs.count > 1 { for run in runs { escapes.append(contentsOf: run) } }
        }

        /// Whether an ampersand begins a character reference.
        private func isReference(_ offset: Int) -> Bool {
            let name = bytes[(offset + 1)..<range.upperBound].prefix(maxEntity).prefix {
                $0 != UInt8(ascii: ";") && $0 < 0x80 && ($0 == UInt8(ascii: "#") || !$0.isPunctuation)
                    && $0 > 0x20
            }
            return !name.isEmpty && byte(name.endIndex) == UInt8(ascii: ";")
        }

        /// Escapes the brackets that would be a link, or would end one.
        private mutating func escapeBrackets() {
            var open: [Int] = []
            // For each open link, the number of brackets before it.
            var bases: [Int] = []
            var offset = range.lowerBound
            while offset < range.upperBound {
                defer { offset += 1 }
                let isFound = "[]".utf8.contains(bytes[offset]) && isLiteral(offset)
                switch bytes[offset] {
                case UInt8(ascii: "[") where isFound: open.append(offset)
                case UInt8(ascii: "["): bases.append(open.count)
                case UInt8(ascii: "]") where isFound && open.count > bases.last ?? 0:
                    let start = open.removeLast()
                    guard isLink(start, offset) else { break }
                    escapes.append(start)
                    // It would end a link that begins at a bracket before.
                    if !bases.isEmpty || !open.isEmpty { escapes.append(offset) }
                case UInt8(ascii: "]") where isFound: if !bases.isEmpty { escapes.append(offset) }
                case UInt8(ascii: "]") where byte(offset + 1) == UInt8(ascii: "[") && !bases.isEmpty:
                    let base = bases.removeLast()
                    escapes.append(contentsOf: open[base...])
                    open.removeLast(open.count - base)
                    offset = bytes[(offset + 2)...].firstIndex(of: UInt8(ascii: "]")) ?? offset
                case UInt8(ascii: "]"): _ = bases.popLast()
                default: break
                }
            }
        }

        private func isLink(_ start: Int, _ end: Int) -> Bool {
            let next = byte(end + 1)
            if next == UInt8(ascii: "(") { return true }
            if next == UInt8(ascii: ":"), start == range.lowerBound || byte(start - 1) == UInt8(ascii: "\n") {
                return true
            }
            let number = Int(String(decoding: bytes[(start + 1)..<min(end, start + 5)], as: UTF8.self))
            return number.map { $0 > 0 && $0 <= links } ?? false
        }
    }
}
