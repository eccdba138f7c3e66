/// A text as it is read, on one line without the marks of Markdown: for excerpts and titles.
package struct ReadText {
    private let bytes: [UInt8]
    private let hasAddresses: Bool
    /// The names of the addresses that the text lists, `[name]: https://example.org`.
    private var names: Set<String> = []
    private var result: [UInt8] = []
    /// The line of the open paragraph, from its first line on.
    private var paragraph: [UInt8] = []
    /// The fence around the lines of code, and the marks of quotes before each.
    private var fence: (signs: ArraySlice<UInt8>, quotes: Int)?
    private var isInTable = false

    private static let separator = Array("·".utf8)
    private static let bar = UInt8(ascii: "|")

    /// Returns all of a text.
    ///
    /// - Parameter hasAddresses: Whether the addresses of links remain.
    /// - Complexity: O(*n*).
    package static func line(_ source: String, hasAddresses: Bool = false) -> String {
        var text = ReadText(source, hasAddresses: hasAddresses)
        text.addLines(isFirstOnly: false)
        return text.shown
    }

    /// Returns the first line with words.
    package static func firstLine(_ source: String) -> String {
        var text = ReadText(source, hasAddresses: false)
        text.addLines(isFirstOnly: true)
        return text.shown
    }

    private init(_ source: String, hasAddresses: Bool) {
        (bytes, self.hasAddresses) = (Array(source.utf8), hasAddresses)
    }

    private var shown: String {
        String(decoding: result, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private mutating func addLines(isFirstOnly: Bool) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map(Self.trimmed)
        for line in lines { if let name = Self.definition(line)?.name { names.insert(name) } }
        for (index, line) in lines.enumerated() {
            let next = index + 1 < lines.count ? Self.withoutContainers(lines[index + 1]).content : []
            add(line, hasDashesBelow: next.contains(Self.bar) && Self.isRule(next))
            guard isFirstOnly else { continue }
            endParagraph()
            if result.contains(where: { $0 > 0x20 }) { return }
        }
        endParagraph()
    }

    private mutating func add(_ line: ArraySlice<UInt8>, hasDashesBelow: Bool) {
        if let fence {
            let (rest, quotes) = Self.withoutQuotes(line, upTo: fence.quotes)
            let isEnd = rest.starts(with: fence.signs) && rest.allSatisfy { $0 == fence.signs.first }
            // The end of a quote is that of its code.
            if isEnd || quotes < fence.quotes { self.fence = nil } else { result += rest + [0x20] }
            guard quotes < fence.quotes else { return }
        }
        let (content, isItem) = Self.withoutContainers(line)
        let sign = content.first ?? 0x20
        let run = content.prefix { $0 == sign }
        isInTable = (isInTable && !isItem || hasDashesBelow) && !content.isEmpty && sign != UInt8(ascii: "#")
        if run.count >= 3, sign == UInt8(ascii: "~") || sign == UInt8(ascii: "`"),
            !content.dropFirst(run.count).contains(UInt8(ascii: "`"))
        {
            endParagraph()
            let quotes = line[..<content.startIndex].count { $0 == UInt8(ascii: ">") }
            fence = (run, quotes)
        } else if content.isEmpty || Self.isRule(content) {
            endParagraph()
        } else if let (_, address) = Self.definition(content) {
            endParagraph()
            if hasAddresses { result += address + [0x20] }
        } else if sign == UInt8(ascii: "#"), run.count <= 6, content.dropFirst(run.count).first == 0x20 {
            endParagraph()
            let words = Self.trimmed(content.dropFirst(run.count))
            let signs = words.reversed().prefix { $0 == sign }.count
            paragraph += words.dropLast(signs).last == 0x20 ? words.dropLast(signs) : words
            endParagraph()
        } else if isInTable {
            endParagraph()
            addRow(content)
        } else {
            if isItem { endParagraph() }
            if isItem, !result.isEmpty { result += Self.separator + [0x20] }
            paragraph += content + [0x20]
        }
    }

    private mutating func addRow(_ line: ArraySlice<UInt8>) {
        var (cells, isLiteral) = ([[UInt8]()], false)
        for byte in line {
            if byte == Self.bar, isLiteral { cells[cells.count - 1].removeLast() }
            if byte == Self.bar, !isLiteral {
                cells.append([])
            } else {
                cells[cells.count - 1].append(byte)
            }
            isLiteral = byte == UInt8(ascii: "\\")
        }
        for cell in cells where cell.contains(where: { $0 > 0x20 }) {
            if !result.isEmpty { result += Self.separator + [0x20] }
            paragraph = cell
            endParagraph()
        }
    }

    private mutating func endParagraph() {
        guard !paragraph.isEmpty else { return }
        var words = ReadWords(names: names, hasAddresses: hasAddresses)
        words.add(paragraph[...])
        result += words.shown + [0x20]
        paragraph = []
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = line.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? line.startIndex
        return line[..<end].drop { $0 <= 0x20 }
    }

    /// Returns a line without the marks of quotes, and their number.
    private static func withoutQuotes(
        _ line: ArraySlice<UInt8>, upTo limit: Int
    ) -> (content: ArraySlice<UInt8>, count: Int) {
        var (rest, count) = (line, 0)
        while count < limit, rest.first == UInt8(ascii: ">") {
            rest = rest.dropFirst().drop { $0 == 0x20 }
            count += 1
        }
        return (rest, count)
    }

    /// Returns a line without the marks of quotes and of the items of a list, whose numbers remain.
    private static func withoutContainers(
        _ line: ArraySlice<UInt8>
    ) -> (content: ArraySlice<UInt8>, isItem: Bool) {
        var (rest, isItem) = (line, false)
        while let first = rest.first {
            let isSign = "-*+".utf8.contains(first) && (rest.count == 1 || rest.dropFirst().first == 0x20)
            guard first == UInt8(ascii: ">") || isSign, !isRule(rest) else { break }
            isItem = isItem || isSign
            rest = rest.dropFirst().drop { $0 == 0x20 }
        }
        let digits = rest.prefix { 48...57 ~= $0 }.count
        let end = rest.dropFirst(digits)
        let isNumbered =
            1...9 ~= digits && ".)".utf8.contains(end.first ?? 0) && end.dropFirst().first == 0x20
        return (rest, isItem || isNumbered)
    }

    /// Whether a line consists of dashes or stars, as those below the header of a table.
    private static func isRule(_ line: ArraySlice<UInt8>) -> Bool {
        let first = line.first ?? 0x20
        if line.count >= 3, "-*_=".utf8.contains(first) {
            if line.allSatisfy({ $0 == first || $0 == 0x20 }), line.count(where: { $0 == first }) >= 3 {
                return true
            }
        }
        return line.contains(bar)
            && line.allSatisfy { $0 == bar || "-: ".utf8.contains($0) }
    }

    /// Returns the name and the address of a line of the list of links.
    private static func definition(
        _ line: ArraySlice<UInt8>
    ) -> (name: String, address: ArraySlice<UInt8>)? {
        guard line.first == UInt8(ascii: "["), let end = line.prefix(100).firstIndex(of: UInt8(ascii: "]")),
            line[end...].starts(with: "]: ".utf8)
        else { return nil }
        let address = line[(end + 3)...].prefix { $0 > 0x20 }
        guard address.contains(UInt8(ascii: ":")) else { return nil }
        let name = String(decoding: line[(line.startIndex + 1)..<end], as: UTF8.self)
        return (name.lowercased(), address)
    }
}

/// The words of a paragraph, a heading, or a cell without the marks of links, emphasis, and code.
struct ReadWords {
    private let names: Set<String>
    private let hasAddresses: Bool
    private var result: [UInt8] = []
    /// The offsets in the result of brackets without an end, and of stars without one.
    private var brackets: [Int] = []
    private var stars: [Range<Int>] = []
    /// The ranges of the result that are marks.
    private var omitted: [Range<Int>] = []

    private static let maxOpen = 100
    private static let maxReference = 1000
    private static let escaped = Set("\\*_[]`&#+-.=>~!|".utf8)

    init(names: Set<String>, hasAddresses: Bool) { (self.names, self.hasAddresses) = (names, hasAddresses) }

    var shown: [UInt8] {
        var (shown, start) = ([UInt8](), 0)
        for mark in omitted.sorted(by: { $0.lowerBound < $1.lowerBound }) where mark.lowerBound >= start {
            shown += result[start..<mark.lowerBound]
            start = mark.upperBound
        }
        return shown + result[start...]
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\\")
            where index + 1 < bytes.endIndex && Self.escaped.contains(bytes[index + 1]):
                result.append(bytes[index + 1])
                index += 2
            case UInt8(ascii: "`"): index = addCode(bytes[index...])
            case UInt8(ascii: "["):
                brackets.append(result.count)
                if brackets.count > Self.maxOpen { brackets.removeFirst() }
                result.append(byte)
                index += 1
            case UInt8(ascii: "]"): index = endLink(bytes, at: index)
            case UInt8(ascii: "*"), UInt8(ascii: "~"): index = addStars(bytes, at: index)
            default:
                result.append(byte)
                index += 1
            }
        }
    }

    /// Adds code without the signs around it, and returns the index after it.
    private mutating func addCode(_ bytes: ArraySlice<UInt8>) -> Int {
        let sign = UInt8(ascii: "`")
        let start = bytes.prefix { $0 == sign }.endIndex
        var end = start
        while let first = bytes[end...].firstIndex(of: sign) {
            end = bytes[first...].prefix { $0 == sign }.endIndex
            guard end - first == start - bytes.startIndex else { continue }
            result += bytes[start..<first]
            return end
        }
        result += bytes[..<start]
        return start
    }

    /// Ends a link, and returns the index after its address.
    private mutating func endLink(_ bytes: ArraySlice<UInt8>, at index: Int) -> Int {
        guard let start = brackets.popLast() else {
            result.append(bytes[index])
            return index + 1
        }
        let isName = names.contains(String(decoding: result[(start + 1)...], as: UTF8.self).lowercased())
        // Brackets after a word, as in `a[i][2]`, are those of code.
        let isIndex = start > 0 && (Self.isWord(result[start - 1]) || ")]".utf8.contains(result[start - 1]))
        let found = reference(bytes, at: index + 1, takesNumber: !isIndex)
        guard let (end, address) = found ?? (isName ? (index + 1, []) : nil) else {
            result.append(bytes[index])
            return index + 1
        }
        // An image has an exclamation mark before its description.
        let isImage = start > 0 && result[start - 1] == UInt8(ascii: "!")
        omitted.append((isImage ? start - 1 : start)..<start + 1)
        if hasAddresses { result += [0x20] + address }
        // Words on both sides remain two.
        if end < bytes.endIndex, Self.isWord(bytes[end]), let last = result.last, Self.isWord(last) {
            result.append(0x20)
        }
        return end
    }

    /// Returns the index after a reference or an address in parentheses, and the address.
    private func reference(
        _ bytes: ArraySlice<UInt8>, at start: Int, takesNumber: Bool
    ) -> (end: Int, address: ArraySlice<UInt8>)? {
        guard start < bytes.endIndex else { return nil }
        let rest = bytes[(start + 1)...].prefix(Self.maxReference)
        if bytes[start] == UInt8(ascii: "(") {
            var depth = 0
            let address = rest.prefix { byte in
                depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
                return byte > 0x20 && depth >= 0
            }
            let end = address.endIndex
            return end < rest.endIndex && bytes[end] == UInt8(ascii: ")") ? (end + 1, address) : nil
        }
        guard bytes[start] == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) else {
            return nil
        }
        let name = rest[..<end]
        let isNumber = takesNumber && 1...4 ~= name.count && name.allSatisfy { 48...57 ~= $0 }
        let isKnown = isNumber || names.contains(String(decoding: name, as: UTF8.self).lowercased())
        return isKnown ? (end + 1, []) : nil
    }

    /// Adds stars, which are omitted if they begin and end words, and returns the index after them.
    private mutating func addStars(_ bytes: ArraySlice<UInt8>, at index: Int) -> Int {
        let sign = bytes[index]
        let end = bytes[index...].prefix { $0 == sign }.endIndex
        let count = end - index
        let before = result.last ?? 0x20
        let after = end < bytes.endIndex ? bytes[end] : 0x20
        let isMark = sign == UInt8(ascii: "*") ? count <= 3 : count == 2
        var left = isMark && before > 0x20 ? count : 0
        while left > 0, let open = stars.last(where: { result[$0.lowerBound] == sign }) {
            while let last = stars.last, last != open { stars.removeLast() }
            let used = min(left, open.count)
            // Two stars do not end what one begins.
            guard open.count == left || open.count == 3 || left == 3 || left < count else { break }
            stars.removeLast()
            if used < open.count { stars.append(open.lowerBound..<open.upperBound - used) }
            omitted.append(open.upperBound - used..<open.upperBound)
            left -= used
        }
        if isMark, before > 0x20, left < count {
            result += repeatElement(sign, count: left)
            return end
        }
        let start = result.count
        result += bytes[index..<end]
        guard isMark, after > 0x20, !Self.isWord(before) else { return end }
        stars.append(start..<result.count)
        if stars.count > Self.maxOpen { stars.removeFirst() }
        return end
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte >= 0x80
    }
}
