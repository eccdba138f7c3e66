/// The text of elements, with the line ends that a browser would show, and with its structure as Markdown.
///
/// Links are references, whose addresses follow the text: `[the manual][1]`, and at the end `[1]: https://…`. So the text
/// reads and searches as text, and loses no link.
struct TextLines {
    private var bytes: [UInt8] = []
    private var breaks = 0
    private var hasSpace = false
    private var preformatted = 0
    /// Whether the text has marks and links; false for a title.
    private let isMarked: Bool
    private var links: PageLinks
    /// The mark of a heading or an item, until its first letter.
    private var mark = ""
    /// The last heading, with the line ends before it, and whether an element below it was omitted.
    private var heading: (range: Range<Int>, level: Int, isEmpty: Bool) = (0..<0, 0, false)
    /// The numbers of the next items of the open lists; nil for a list with dashes.
    private var lists: [Int?] = []
    private var quotes = 0
    private var lastQuotes = 0
    private var cells = 0
    private var hasSeparator = false
    private var isFenced = false
    private var fenceStart = 0
    /// The open inline elements, and where their text begins; nil until its first letter.
    private var inlines: [(name: String, start: Int?)] = []
    /// The characters of the page that would be marks.
    private var literals = LiteralMarks()
    /// Whether the open link contains an image without a description.
    private var hasImage = false

    /// - Parameter links: The links of the page; nil for the text alone.
    init(links: PageLinks? = nil) {
        (self.links, isMarked) = (links ?? PageLinks(base: ""), links != nil)
    }

    /// The text without line ends around it, and the addresses of its links.
    var text: String {
        var whole = self
        if heading.isEmpty { whole.removeHeading() }
        let bytes = whole.literals.escaped(whole.bytes, links: links.count)
        return String(decoding: bytes, as: UTF8.self) + links.definitions
    }

    /// The number of bytes without the addresses.
    var count: Int { bytes.count }

    /// Returns the line ends before and after an element: two for a paragraph; nil for an inline element.
    static func breaks(before name: String) -> Int? {
        if lines.contains(name) { return 1 }
        return inline.contains(name) ? nil : 2
    }

    private static let lines: Set<String> = [
        "br", "li", "tr", "dt", "dd", "option", "figcaption", "caption", "legend",
    ]
    private static let inline: Set<String> = [
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
        "i",
        "img", "ins", "kbd", "label", "mark", "math", "q", "rp", "rt", "ruby", "s", "samp", "small", "span",
        "strike", "strong", "sub", "sup", "td", "th", "time", "tt", "u", "var", "wbr",
    ]
    /// The depth of the marks of lists and quotes: a page may nest hundreds around each letter.
    private static let maxDepth = 4
    /// The marks around inline elements.
    private static let marks = ["b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "a": "["]

    mutating func open(_ node: HTMLDocument.Node) {
        let name = node.name
        if let count = Self.breaks(before: name) { breaks = max(breaks, lists.isEmpty ? count : 1) }
        switch name {
        case "li":
            let number = lists.last ?? nil
            mark =
                String(repeating: "  ", count: max(0, min(lists.count, Self.maxDepth) - 1))
                + (number.map { "\($0). " } ?? "- ")
            if let number { lists[lists.count - 1] = number + 1 }
        case "ul": lists.append(nil)
        case "ol": lists.append(node["start"].flatMap { Int($0) }.map { max(0, min($0, 1 << 20)) } ?? 1)
        case "tr": cells = 0
        case "td", "th":
            hasSpace = true
            hasSeparator = cells > 0 && isMarked
            cells += 1
        case "pre": preformatted += 1
        default: break
        }
        guard isMarked else { return }
        switch name {
        case "h1", "h2", "h3", "h4", "h5", "h6":
            mark = String(repeating: "#", count: name.utf8.last.map { Int($0) - 0x30 } ?? 1) + " "
        case "blockquote": quotes += 1
        case _ where Self.media[name] != nil: add(media: node)
        case _ where Self.marks[name] != nil && (preformatted == 0 || name == "a"):
            inlines.append((name, nil))
            if name == "a" { hasImage = false }
        default: break
        }
    }

    mutating func close(_ node: HTMLDocument.Node) {
        let name = node.name
        closeInline(node, name)
        switch name {
        case "pre":
            preformatted -= 1
            if isFenced {
                // A fence is longer than the marks in its code.
                let runs = bytes[(fenceStart + 3)...].split { $0 != UInt8(ascii: "`") }
                let more = (runs.map(\.count).max() ?? 0) - 2
                let fence = [UInt8](repeating: UInt8(ascii: "`"), count: max(3, more + 3))
                bytes.replaceSubrange(fenceStart..<fenceStart + 3, with: fence)
                bytes += [UInt8(ascii: "\n")] + quote + fence
                isFenced = false
            }
        case "ul", "ol": lists = lists.dropLast()
        case "blockquote": if isMarked { quotes -= 1 }
        case "h1", "h2", "h3", "h4", "h5", "h6":
            if heading.range.isEmpty { heading.range = heading.range.lowerBound..<bytes.count }
            mark = ""
        case "li": mark = ""
        default: break
        }
        if name != "br", let count = Self.breaks(before: name) {
            breaks = max(breaks, lists.isEmpty ? count : 1)
        }
    }

    private mutating func closeInline(_ node: HTMLDocument.Node, _ name: String) {
        guard let last = inlines.last, last.name == name else { return }
        inlines.removeLast()
        guard name == "a" else {
            if last.start != nil { bytes += Array((Self.marks[name] ?? "").utf8) }
            return
        }
        // A link without text is listed.
        let address = links.address(of: node)
        guard let start = last.start else {
            guard let address, let number = links.number(of: address), hasImage else { return }
            hasSpace = true
            self.start()
            bytes += Array("[(image)][\(number)]".utf8)
            return
        }
        let content = String(decoding: bytes[(start + 1)...], as: UTF8.self)
        guard let address, address != content, let number = links.number(of: address) else {
            bytes.remove(at: start)
            literals.remove(at: start)
            return
        }
        bytes += Array("][\(number)]".utf8)
    }

    /// The words for elements whose content is a file of its own.
    static let media = ["img": "image", "video": "video", "audio": "audio", "iframe": "frame"]

    /// Adds the description of an image, a recording, or an embedded page, and a link to it.
    mutating func add(media node: HTMLDocument.Node) {
        guard isMarked, preformatted == 0, let kind = Self.media[node.name] else { return }
        let (isImage, isInLink) = (kind == "image", inlines.contains { $0.name == "a" })
        let words = node[isImage ? "alt" : "title"].map { HTMLText.oneLine(HTMLText.repaired($0)) } ?? ""
        if isImage, words.isEmpty { hasImage = true }
        // An image of one pixel counts visitors, and an empty description means decoration.
        let isDecoration = isImage && (node["alt"] == "" || ["0", "1"].contains(node["width"] ?? ""))
        let source = node["src"] ?? node.children.first { $0.isElement && $0["src"] != nil }?["src"]
        let address = isInLink || isDecoration ? nil : source.flatMap { links.address($0) }
        guard address != nil || isImage && !words.isEmpty else { return }
        if !isImage { breaks = max(breaks, 1) }
        start()
        let number = address.flatMap { links.number(of: $0) }
        bytes += Array(((number == nil ? "" : "[") + "(\(kind)\(words.isEmpty ? "" : ": ")").utf8)
        for byte in words.utf8 {
            literals.add(byte, at: bytes.count)
            bytes.append(byte)
        }
        bytes += Array((")" + (number.map { "][\($0)]" } ?? "")).utf8)
        if !isImage { breaks = 1 }
    }

    mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
        let isInCode = inlines.contains { $0.name == "code" }
        var index = 0
        while index < text.count {
            let byte = text[index]
            let isWideSpace = byte == 0xC2 && index + 1 < text.count && text[index + 1] == 0xA0
            index += isWideSpace ? 2 : 1
            if preformatted > 0, byte == UInt8(ascii: "\n") {
                if !bytes.isEmpty || breaks == 0 { breaks += 1 }
            } else if preformatted > 0, byte == 0x20 || byte == UInt8(ascii: "\t") {
                start()
                bytes.append(byte)
            } else if byte <= 0x20 || isWideSpace || byte == 0x7F {
                hasSpace = true
            } else {
                start()
                if isMarked, preformatted == 0, !isInCode { literals.add(byte, at: bytes.count) }
                bytes.append(byte)
            }
        }
    }

    /// The marks of the open quotes.
    private var quote: [UInt8] { Array(String(repeating: "> ", count: min(quotes, Self.maxDepth)).utf8) }

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
    private mutating func start() {
        let level = mark.prefix { $0 == "#" }.count
        if heading.isEmpty, level > 0, level <= heading.level { removeHeading() }
        heading.isEmpty = false
        if level > 0 { heading = (bytes.count..<bytes.count, level, false) }
        let isFence = isMarked && preformatted > 0 && !isFenced
        let count = preformatted > 0 && !isFence ? breaks : min(2, breaks)
        let begins = bytes.isEmpty || count > 0
        for line in 0..<(bytes.isEmpty ? 0 : count) {
            bytes.append(UInt8(ascii: "\n"))
            // A blank line would end a quote.
            if line + 1 < count, min(quotes, lastQuotes) > 0 { bytes.append(UInt8(ascii: ">")) }
        }
        if begins {
            bytes += quote
            if isFence {
                fenceStart = bytes.count
                bytes += Array("```\n".utf8) + quote
                isFenced = true
            }
            bytes += Array(mark.utf8)
            if isMarked, preformatted == 0 || isFence {
                literals.beginLine(
                    at: bytes.count, beginsBlock: count != 1 || isFence || !mark.isEmpty,
                    hasStructure: !isFence && mark.first != "#")
            }
            mark = ""
        } else if hasSeparator {
            bytes += Array(" | ".utf8)
        } else if hasSpace {
            bytes.append(UInt8(ascii: " "))
        }
        (breaks, hasSpace, hasSeparator, lastQuotes) = (0, false, false, quotes)
        for index in inlines.indices where inlines[index].start == nil {
            inlines[index].start = bytes.count
            bytes += Array((Self.marks[inlines[index].name] ?? "").utf8)
        }
    }
}
