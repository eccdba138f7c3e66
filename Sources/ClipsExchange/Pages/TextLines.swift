import Platform
import SearchIndex

/// The text of elements, with the line ends that a browser would show, and with its structure as Markdown.
///
/// Links are references, whose addresses follow the text: `[the manual][1]`, and at the end `[1]: https://…`. So the text
/// reads and searches as text, and loses no link.
struct TextLines {
    var bytes: [UInt8] = []
    var breaks = 0
    var hasSpace = false
    private(set) var preformatted = 0
    /// Whether the text has marks and links; false for a title.
    let isMarked: Bool
    var links: PageLinks
    /// The mark of a heading or a task, until its first letter.
    var mark = ""
    /// The last heading, with the line ends before it, and whether an element below it was omitted.
    private var heading: (range: Range<Int>, level: Int, isEmpty: Bool) = (0..<0, 0, false)
    /// The numbers of the next items of the open lists, and the steps to those after them; nil for a list with dashes.
    private(set) var lists: [(next: Int, step: Int)?] = []
    var containers = LineContainers()
    /// Whether the outermost open list has an item with text.
    private var hasItem = false
    /// Whether the open lists of terms have one, and whether the open descriptions have marks.
    private(set) var terms: [Bool] = []
    var definitions: [Bool] = []
    private var openQuotes = 0
    /// Whether a rule is due before the next text.
    private var hasRule = false
    private var table: TableRows?
    private var cells = 0
    private var hasSeparator = false
    private var isFenced = false
    private var fenceStart = 0
    /// The offset after the fence, and the links of the open code.
    private var codeStart = 0
    private var codeLinks: [CodeLink] = []
    /// The addresses of links without text.
    var emptyLinks: [String] = []
    /// The language of the open code.
    private var language = ""
    var inlines: [Inline] = []
    /// The offset after a link whose words are its address.
    private var addressEnd = -1
    /// The offset before which URLs have numbers.
    var numbered = 0
    /// The characters of the page that would be marks.
    var literals = LiteralMarks()
    /// The marks of notes in the text.
    var noteMarks: Set<String> = []
    /// Whether the open link contains an image without a description.
    var hasImage = false

    /// A link in code, with the range of its words until it ends.
    private struct CodeLink {
        let address: String
        let start: Int
        var words: String?
    }

    /// - Parameter links: The links of the page; nil for the text alone.
    init(links: PageLinks? = nil) {
        (self.links, isMarked) = (links ?? PageLinks(base: ""), links != nil)
    }

    /// The text without line ends around it, and the addresses of its links.
    var text: String {
        var whole = self
        if heading.isEmpty { whole.removeHeading() }
        whole.hasRule = false
        whole.addLinks(emptyLinks.map { ("", $0) })
        let bytes = whole.literals.escaped(whole.bytes, links: whole.links.count)
        return String(decoding: bytes, as: UTF8.self) + whole.links.definitions
    }

    /// The number of bytes without the addresses.
    var count: Int { bytes.count }

    /// The index of the open element with code.
    var openCode: Int? { inlines.firstIndex { $0.name == "code" && !$0.isDone } }

    /// Whether a link is open, and its address.
    var isInLink: Bool { inlines.contains { $0.name == "a" } }
    var openAddress: String? { inlines.last { $0.name == "a" }?.address }

    mutating func open(_ node: HTMLDocument.Node) {
        let name = node.name
        if name == "br" {
            addBreak()
        } else if let count = Self.breaks(before: name) {
            breaks = max(breaks, count)
        }
        if isInRow, Self.blocks.contains(name) { return }
        switch name {
        case "li":
            let number = (lists.last ?? nil).map { Self.number(node["value"]) ?? $0.next }
            if isMarked { containers.openItem(number) }
            if let number, let step = (lists.last ?? nil)?.step {
                lists[lists.count - 1] = (max(0, number + step), step)
            }
        case "ul", "ol", "menu", "dir":
            if lists.isEmpty { hasItem = false }
            lists.append(name == "ol" ? Self.numbers(of: node) : nil)
        case "dl": terms.append(false)
        case "dt": if !terms.isEmpty { terms[terms.count - 1] = true }
        case "dd": openDescription(node)
        case "q":
            add(openQuotes.isMultiple(of: 2) ? "“" : "‘")
            openQuotes += 1
        case "table": if isMarked { table = TableRows(node) }
        case "tr":
            cells = 0
            table?.openRow()
        case _ where TableRows.groups.contains(name): table?.openGroup()
        case "td", "th":
            table?.openCell(node)
            hasSpace = true
            hasSeparator = cells > 0 && isMarked
            cells += 1
        case _ where isBlock(ofCode: node):
            preformatted += 1
            breaks = max(breaks, 2)
            language = Self.language(ofCode: node)
        default: break
        }
        guard isMarked else { return }
        switch name {
        case "h1", "h2", "h3", "h4", "h5", "h6":
            mark = String(repeating: "#", count: name.utf8.last.map { Int($0) - 0x30 } ?? 1) + " "
        case "blockquote": containers.openQuote()
        case "hr": hasRule = containers.isEmpty && !isInRow && preformatted == 0
        case _ where Self.media[name] != nil: add(media: node)
        case "a" where preformatted > 0:
            // A link in code would not be one. It follows the code.
            if let address = links.address(of: node), !links.contains(address) {
                codeLinks.append(CodeLink(address: address, start: bytes.count))
            }
        case "a":
            let link = Inline(name: name, address: links.address(of: node), label: Self.label(of: node))
            if link.address != nil, let code = openCode {
                endMarks(code)
                inlines[code].isDone = true
            }
            inlines.append(link)
            hasImage = false
        case _ where Self.marks[name] != nil && preformatted == 0:
            if let outer = inline(like: name) {
                inlines[outer].repeats += 1
                break
            }
            // In a link, one kind of emphasis is shown.
            let isNested = isInLink && inlines.contains { Self.emphases.contains($0.name) }
            let isInScript = inlines.contains { ScriptSigns.elements.contains($0.name) }
            let isDone =
                openCode != nil || Self.emphases.contains(name) && (isNested || isInScript)
                || ScriptSigns.elements.contains(name) && (isInLink || isInScript)
            inlines.append(Inline(name: name, isDone: isDone))
        default: break
        }
    }

    var isInRow: Bool { table?.isInRow == true }

    mutating func close(_ node: HTMLDocument.Node) {
        let name = node.name
        closeInline(name, isBeforeWord: Self.isWord(after: node))
        defer { if name != "br", let count = Self.breaks(before: name) { breaks = max(breaks, count) } }
        if isInRow, Self.blocks.contains(name) { return }
        switch name {
        case _ where isBlock(ofCode: node):
            preformatted -= 1
            breaks = max(breaks, 2)
            if isFenced {
                let fence = Self.fence(for: bytes[(fenceStart + 3)...], min: 3)
                bytes.replaceSubrange(fenceStart..<fenceStart + 3, with: fence)
                bytes += [UInt8(ascii: "\n")] + containers.indent + fence
                isFenced = false
            }
            guard preformatted == 0 else { break }
            addLinks(codeLinks.map { ($0.words ?? "", $0.address) }, addresses(from: codeStart))
            codeLinks = []
        case "ul", "ol", "menu", "dir": lists = lists.dropLast()
        case "dl": terms = terms.dropLast()
        case "dd": if definitions.popLast() == true { containers.close() }
        case "q":
            openQuotes -= 1
            hasSpace = false
            add(openQuotes.isMultiple(of: 2) ? "”" : "’")
        case "li", "blockquote":
            if mark.first == "[" { mark = "" }
            if isMarked { containers.close() }
        case "tr": if isMarked { bytes += table?.closeRow(indent: containers.indent) ?? [] }
        case "table": table = nil
        // The header of a table is not a line of the paragraph before it.
        case "caption": breaks = 2
        case "h1", "h2", "h3", "h4", "h5", "h6":
            if heading.range.isEmpty { heading.range = heading.range.lowerBound..<bytes.count }
            mark = ""
        default: break
        }
    }

    /// Adds a link that follows the code; that of an open link comes after it.
    mutating func addCodeLink(_ words: String, to address: String) {
        let isOpen = codeLinks.last.map { $0.words == nil } ?? false
        let link = CodeLink(address: address, start: bytes.count, words: words)
        codeLinks.insert(link, at: codeLinks.count - (isOpen ? 1 : 0))
    }

    /// Adds a paragraph of links, except those whose address has a number or is shown.
    private mutating func addLinks(_ added: [(words: String, address: String)], _ shown: Set<String> = []) {
        breaks = 2
        for link in added where !links.contains(link.address) && !shown.contains(link.address) {
            addLink(link.words, to: link.address)
            hasSpace = true
        }
    }

    mutating func addLiteral(_ words: String) {
        for byte in words.utf8 {
            literals.add(byte, at: bytes.count)
            bytes.append(byte)
        }
    }

    private func inline(like name: String) -> Int? {
        inlines.firstIndex { Self.marks[$0.name] == Self.marks[name] }
    }

    private mutating func closeInline(_ name: String, isBeforeWord: Bool) {
        if name == "a", preformatted > 0, let link = codeLinks.last, link.words == nil {
            let words = bytes[max(link.start, min(codeStart, bytes.count))...]
            codeLinks[codeLinks.count - 1].words = HTMLText.oneLine(String(decoding: words, as: UTF8.self))
        }
        if let outer = inline(like: name), inlines[outer].repeats > 0 {
            inlines[outer].repeats -= 1
            return
        }
        guard inlines.last?.name == name else { return }
        endMarks(inlines.count - 1, isBeforeWord: isBeforeWord)
        let last = inlines.removeLast()
        // A link without text follows the text, unless another one leads there.
        guard name == "a", !last.isDone, let address = last.address else { return }
        guard hasImage || !last.label.isEmpty else { return emptyLinks.append(address) }
        hasSpace = true
        addLink(last.label.isEmpty ? "(image)" : last.label, to: address)
    }

    /// Ends the marks of an open element at the end of the text. A link has the words of its first line.
    ///
    /// - Parameter isBeforeWord: Whether a word follows without a space, before which signs do not end emphasis after
    ///   punctuation.
    private mutating func endMarks(_ index: Int, isBeforeWord: Bool = false) {
        guard !inlines[index].isDone, let start = inlines[index].start else { return }
        inlines[index].start = nil
        let name = inlines[index].name
        if name == "a" {
            inlines[index].isDone = true
            endLink(from: start, inlines[index].address)
            return inlines[index].images.forEach { addNumber(of: $0) }
        }
        let mark = Array((Self.marks[name] ?? "").utf8)
        guard name != "code" else {
            let fence = Self.fence(for: bytes[(start + 1)...], min: 1)
            let space: [UInt8] = fence.count > 1 ? [0x20] : []
            bytes.replaceSubrange(start..<start + 1, with: fence + space)
            bytes += space + fence
            return
        }
        guard !ScriptSigns.elements.contains(name) else { return endScript(name, from: start) }
        endEmphasis(mark, from: start, isBeforeWord: isBeforeWord)
    }

    private mutating func endLink(from start: Int, _ address: String?) {
        let content = String(decoding: bytes[(start + 1)...], as: UTF8.self)
        guard let address, let number = linkNumber(of: address, content, from: start) else {
            // Apart from a word before it, which would be a part of its scheme.
            if address == content, start > 0, bytes[start - 1] >= 0x30 {
                bytes[start] = 0x20
            } else {
                bytes.remove(at: start)
                literals.remove(at: start)
            }
            if address == content { addressEnd = bytes.count }
            return
        }
        bytes += Array("][\(number)]".utf8)
    }

    mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        let isInCode = openCode != nil
        var index = 0
        while index < text.count {
            let byte = text[index]
            let rest = text[index...].prefix(4)
            if byte >= 0xC2, let replaced = Self.replaced(rest) {
                index += replaced.count
                add(replaced.text)
                continue
            }
            let isWideSpace = byte == 0xC2 && rest.dropFirst().first == 0xA0
            index += isWideSpace ? 2 : 1
            if preformatted > 0, byte == UInt8(ascii: "\n") {
                if !bytes.isEmpty || breaks == 0 { breaks += 1 }
            } else if preformatted > 0, byte == 0x20 || byte == UInt8(ascii: "\t") {
                start()
                bytes.append(byte)
            } else if byte <= 0x20 || isWideSpace || byte == 0x7F {
                hasSpace = true
            } else {
                // Apart from a word after it, which would be a part of its path.
                if bytes.count == addressEnd, !LinkAddress.endsAddress(Array(rest)) { hasSpace = true }
                start()
                if isMarked, preformatted == 0, !isInCode { literals.add(byte, at: bytes.count) }
                if byte == UInt8(ascii: "|"), isInRow { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
        }
    }

    /// Leaves out the heading before an omitted element, unless it is the first, or other text is below it.
    mutating func omitElement() {
        if heading.range.upperBound == bytes.count, heading.range.lowerBound > 0 { heading.isEmpty = true }
    }

    private mutating func removeHeading() {
        bytes.removeLast(bytes.count - heading.range.lowerBound)
        literals.truncate(at: bytes.count)
        breaks = max(breaks, 2)
    }

    /// Adds the line ends, the space, and the marks that are due before text.
    mutating func start() {
        let level = mark.prefix { $0 == "#" }.count
        if heading.isEmpty, level > 0, level <= heading.level { removeHeading() }
        heading.isEmpty = false
        if level > 0 { heading = (bytes.count..<bytes.count, level, false) }
        let isFence = isMarked && preformatted > 0 && !isFenced
        if table?.hasText == true, isInRow, breaks > 0 { (breaks, hasSpace) = (0, true) }
        let isItem = containers.beginsItem
        let isCode = preformatted > 0 && !isFence
        let isNext =
            isItem && (hasItem || containers.beginsDefinition) || isInRow && table?.hasHeader == true
        let isRule = hasRule && !bytes.isEmpty
        hasRule = false
        let count = isRule ? 2 : isCode ? breaks : min(isNext ? 1 : 2, breaks)
        let begins = bytes.isEmpty || count > 0
        if count > 0 { for index in inlines.indices.reversed() { endMarks(index) } }
        if isRule { bytes += Array("\n\n---".utf8) }
        for line in 0..<(bytes.isEmpty ? 0 : count) {
            bytes.append(UInt8(ascii: "\n"))
            if line + 1 < count { bytes += containers.blank }
        }
        if begins {
            bytes += containers.begin()
            hasItem = hasItem || isItem
            if isFence {
                fenceStart = bytes.count
                bytes += Array("```\(language)\n".utf8) + containers.indent
                (isFenced, codeStart) = (true, bytes.count)
            }
            bytes += Array(mark.utf8)
            if isInRow { bytes += table?.begin(indent: containers.indent) ?? [] }
            let isCell = isInRow && bytes.suffix(2).elementsEqual("| ".utf8)
            if isMarked, preformatted == 0 || isFence {
                literals.beginLine(
                    at: bytes.count, beginsBlock: count != 1 || isFence || isItem || !mark.isEmpty,
                    hasStructure: !isFence && mark.first != "#" && !isCell)
            }
            mark = ""
        } else if hasSeparator {
            bytes += isInRow ? table?.begin(indent: containers.indent) ?? [] : Array(" | ".utf8)
        } else if hasSpace {
            bytes.append(UInt8(ascii: " "))
        }
        (breaks, hasSpace, hasSeparator) = (0, false, false)
        guard !isMarked || preformatted == 0 else { return }
        for index in inlines.indices where inlines[index].start == nil && !inlines[index].isDone {
            // Two adjacent pieces of code would be one.
            if inlines[index].name == "code", bytes.last == UInt8(ascii: "`") { bytes.append(0x20) }
            inlines[index].start = bytes.count
            bytes += Array((Self.marks[inlines[index].name] ?? "").utf8)
        }
    }
}
