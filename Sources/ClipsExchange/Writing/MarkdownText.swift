import SearchIndex

/// A text with the structure of Markdown as a part of a document: without markup, and with labels of links that no other
/// part of the document has.
struct MarkdownText {
    /// The beginning of the labels.
    private let prefix: [UInt8]
    /// The labels that the text defines, in lower case.
    private var labels: Set<[UInt8]> = []
    /// Whether a code span of the paragraph may end on a later line, so that it is unknown which parts are code.
    private var isUncertain = false
    private var fence: (quotes: Int, mark: UInt8, count: Int)?

    /// The end of a line with which the next one is not joined.
    static let lineEnd = "  "
    private static let maxLabel = 1000

    /// Returns the lines of a text. Those in fenced code remain as they are.
    ///
    /// - Parameter label: A word that begins the labels of this text only.
    static func lines(_ text: String, label: String) -> [String] {
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
            line.utf8.filter { $0 == 0x09 || $0 >= 0x20 }
        }
        var reader = MarkdownText(prefix: Array("\(label)-".utf8))
        let isDefinition = reader.findDefinitions(lines)
        let next = lines.dropFirst() + [[]]
        return zip(zip(lines, next), isDefinition).map { line, isDefinition in
            guard !reader.isCode(line.0) else { return String(decoding: line.0, as: UTF8.self) }
            let words = reader.words(line.0, isDefinition)
            let end = !isDefinition && continues(line.0, line.1) ? lineEnd : ""
            return String(decoding: words, as: UTF8.self) + end
        }
    }

    /// Whether the next line would be joined with a line.
    private static func continues(_ line: [UInt8], _ next: [UInt8]) -> Bool {
        let lines = (content(of: line), content(of: next))
        let (rest, start) = (lines.0.rest, lines.1.rest.drop { $0 == 0x20 })
        guard lines.0.quotes == lines.1.quotes, rest.contains(where: { $0 > 0x20 }), let first = start.first,
            rest.first != UInt8(ascii: "#"), !"|#`~".utf8.contains(first), definition(start) == nil
        else { return false }
        let number = start.prefix { 48...57 ~= $0 }.count
        let mark = start.dropFirst(number)
        let isItem = number == 0 ? "-+*".utf8.contains(first) : ".)".utf8.contains(mark.first ?? 0)
        return !(isItem && mark.dropFirst().first == 0x20)
    }

    private init(prefix: [UInt8]) { self.prefix = prefix }

    /// Finds the labels, and returns whether each line defines one. A definition does not interrupt a paragraph.
    private mutating func findDefinitions(_ lines: [[UInt8]]) -> [Bool] {
        var mayDefine = true
        defer { fence = nil }
        return lines.map { line in
            guard !isCode(line) else {
                mayDefine = true
                return false
            }
            let content = Self.content(of: line).rest
            let label = mayDefine ? Self.definition(content) : nil
            if let label { labels.insert(Self.key(label)) }
            mayDefine = label != nil || content.allSatisfy { $0 <= 0x20 }
            return label != nil
        }
    }

    /// Returns the label that a line defines: `[label]: address`.
    private static func definition(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let line = line.drop { $0 == 0x20 }
        guard line.first == UInt8(ascii: "["), let label = label(line, at: line.startIndex), !label.isEmpty,
            line[label.endIndex...].dropFirst().first == UInt8(ascii: ":")
        else { return nil }
        return label
    }

    /// Returns the words in the brackets at an index, which contain no brackets.
    private static func label(_ line: ArraySlice<UInt8>, at start: Int) -> ArraySlice<UInt8>? {
        let rest = line[start...].dropFirst().prefix(maxLabel)
        guard let end = rest.firstIndex(where: { "[]".utf8.contains($0) }), rest[end] == UInt8(ascii: "]")
        else {
            return nil
        }
        return rest[..<end]
    }

    private static func key(_ label: ArraySlice<UInt8>) -> [UInt8] {
        Array(String(decoding: label, as: UTF8.self).lowercased().utf8)
    }

    /// Returns the number of the marks of quotes, and the rest of a line.
    private static func content(of line: [UInt8]) -> (quotes: Int, rest: ArraySlice<UInt8>) {
        var (quotes, rest) = (0, line[...])
        while rest.first == UInt8(ascii: ">") {
            rest = rest.dropFirst(rest.dropFirst().first == 0x20 ? 2 : 1)
            quotes += 1
        }
        return (quotes, rest)
    }

    /// Whether a line is fenced code, or its fence. A fence counts if it is not indented: then it is certain where it
    /// ends, and no markup of a page takes effect.
    private mutating func isCode(_ line: [UInt8]) -> Bool {
        let (quotes, rest) = Self.content(of: line)
        let mark = rest.first ?? 0
        let count = "`~".utf8.contains(mark) ? rest.prefix { $0 == mark }.count : 0
        let info = rest.dropFirst(count)
        if let open = fence, quotes >= open.quotes {
            let isEnd = quotes == open.quotes && mark == open.mark && count >= open.count
            if isEnd, info.allSatisfy({ $0 <= 0x20 }) { fence = nil }
            return true
        }
        fence = nil
        guard count >= 3, !info.contains(UInt8(ascii: "`")) else { return false }
        (fence, isUncertain) = ((quotes, mark, count), false)
        return true
    }

    /// Returns a line without markup, and with the labels of the document.
    private mutating func words(_ line: [UInt8], _ isDefinition: Bool) -> [UInt8] {
        if Self.content(of: line).rest.allSatisfy({ $0 <= 0x20 }) { isUncertain = false }
        var output: [UInt8] = []
        var (index, open) = (0, [Int]())
        while index < line.count {
            let byte = line[index]
            var end = index + 1
            switch byte {
            case UInt8(ascii: "\\"):
                if end < line.count, line[end].isPunctuation { end += 1 }
                output += line[index..<end]
            case UInt8(ascii: "`"):
                end = codeEnd(line, from: index)
                output += line[index..<end]
            case UInt8(ascii: "<"):
                // An address in angle brackets is no markup of a page.
                let isTarget = output.suffix(2).elementsEqual("](".utf8)
                let target = line[end...].prefix {
                    $0 > (isTarget ? 0x1F : 0x20) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
                }
                if LinkAddress.isAddress(target), target.endIndex < line.count,
                    line[target.endIndex] == UInt8(ascii: ">")
                {
                    end = target.endIndex + 1
                    output += line[index..<end]
                } else {
                    output += Array("\\<".utf8)
                }
            case UInt8(ascii: "["):
                open.append(output.count)
                output.append(byte)
            case UInt8(ascii: "]"):
                let start = open.popLast()
                output.append(byte)
                if let start { end = link(line, after: index, from: start, &output, isDefinition) }
            default: output.append(byte)
            }
            index = end
        }
        return output
    }

    /// Replaces the label of a link whose words end at an index. Returns the index after the link.
    private func link(
        _ line: [UInt8], after index: Int, from start: Int, _ output: inout [UInt8], _ isDefinition: Bool
    ) -> Int {
        let next = index + 1 < line.count ? line[index + 1] : 0
        let words = output[(start + 1)...].dropLast()
        if next == UInt8(ascii: "["), let label = Self.label(line[...], at: index + 1) {
            let name = label.isEmpty ? words : label
            guard labels.contains(Self.key(name)) else { return index + 1 }
            output += [UInt8(ascii: "[")] + renamed(name) + [UInt8(ascii: "]")]
            return label.endIndex + 1
        }
        guard next != UInt8(ascii: "("), labels.contains(Self.key(words)) else { return index + 1 }
        let isLine = isDefinition && output[..<start].allSatisfy { $0 == 0x20 || $0 == UInt8(ascii: ">") }
        let name = renamed(words)
        if isLine || words.first == UInt8(ascii: "^") {
            output.replaceSubrange((start + 1)..., with: name + [UInt8(ascii: "]")])
        } else {
            output += [UInt8(ascii: "[")] + name + [UInt8(ascii: "]")]
        }
        return index + 1
    }

    /// Returns a label of the document. That of a footnote begins with a mark.
    private func renamed(_ label: ArraySlice<UInt8>) -> [UInt8] {
        let mark = label.prefix { $0 == UInt8(ascii: "^") }.prefix(1)
        return mark + prefix + label.dropFirst(mark.count)
    }

    /// Returns the index after a code span, or after the marks if it does not end on the line.
    private mutating func codeEnd(_ line: [UInt8], from start: Int) -> Int {
        let first = line[start...].firstIndex { $0 != UInt8(ascii: "`") } ?? line.count
        var index = first
        while !isUncertain, let mark = line[index...].firstIndex(of: UInt8(ascii: "`")) {
            index = line[mark...].firstIndex { $0 != UInt8(ascii: "`") } ?? line.count
            if index - mark == first - start { return index }
        }
        isUncertain = true
        return first
    }
}
