/// A text as it is read, on one line without the marks of Markdown: for excerpts and titles.
package struct ReadText {
    private let bytes: [UInt8]
    /// Whether the addresses of links and the languages of code remain.
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
    /// - Parameter hasAddresses: Whether the addresses of links and the languages of code remain.
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
            let marks = LineMarks(line, maxQuotes: fence.quotes, maxItems: 0)
            let (rest, quotes) = (line[marks.content...], marks.quotes)
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
            if hasAddresses { result += content.dropFirst(run.count) + [0x20] }
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
            paragraph += content + [UInt8(ascii: "\n")]
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
        let (words, _) = UnmarkedText.unmarked(paragraph, hasAddresses: hasAddresses) { name, form in
            // Brackets after a word, as in `a[i][2]`, are those of code.
            form == .full && UnmarkedText.isNumber(name)
                || names.contains(String(decoding: name, as: UTF8.self).lowercased())
        }
        result += words + [0x20]
        paragraph = []
    }

    /// Returns a line without the white space around it.
    package static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = line.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? line.startIndex
        return line[..<end].drop { $0 <= 0x20 }
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
        var address = line[(end + 3)...].prefix { $0 > 0x20 }
        if address.first == UInt8(ascii: "<"), address.last == UInt8(ascii: ">") {
            address = address.dropFirst().dropLast()
        }
        guard address.contains(UInt8(ascii: ":")) else { return nil }
        let name = String(decoding: line[(line.startIndex + 1)..<end], as: UTF8.self)
        return (name.lowercased(), address)
    }
}
