import SearchIndex

/// The elements with other contents than text.
extension TextLines {
    /// Adds the description of an image, a recording, or an embedded page, and a link to it.
    mutating func add(media node: HTMLDocument.Node) {
        guard isMarked, let kind = Self.media[node.name] else { return }
        let isImage = kind == "image"
        let words = Self.label(of: node, first: isImage ? "alt" : "title")
        if isImage, words.isEmpty { hasImage = true }
        let isDecoration = isImage && Self.isDecoration(node)
        let sources =
            isImage
            ? [Self.source(ofImage: node)]
            : [node["src"] ?? node["data"]] + node.children.filter(\.isElement).map { $0["src"] }
        let own = openAddress
        var addresses: [String] = []
        for address in sources.lazy.compactMap(\.self).compactMap(links.address)
        where !isDecoration && address != own && !addresses.contains(address) {
            addresses.append(address)
        }
        guard !addresses.isEmpty || isImage && !words.isEmpty else { return }
        guard preformatted == 0 else {
            let description = "(\(kind)\(words.isEmpty ? "" : ": \(words)"))"
            add(description)
            return addresses.forEach { addCodeLink(description, to: $0) }
        }
        let isInLink = isInLink
        if !isImage, !isInLink { breaks = max(breaks, 1) }
        if let last = bytes.last, ")]".utf8.contains(last) { hasSpace = true }
        start()
        // A link in the words of another one is none in Markdown: its number follows that of the other one.
        let outer = inlines.lastIndex { $0.name == "a" && !$0.isDone && $0.address != nil }
        if let outer { inlines[outer].images += addresses }
        let first = isInLink ? nil : addresses.first.flatMap { number(of: $0) }
        bytes += Array(((first == nil ? "" : "[") + "(\(kind)\(words.isEmpty ? "" : ": ")").utf8)
        addLiteral(words)
        bytes += Array((first.map { ")][\($0)]" } ?? ")").utf8)
        if outer == nil { addresses.dropFirst(first == nil ? 0 : 1).forEach { addNumber(of: $0) } }
        if !isImage, !isInLink { breaks = 1 }
    }

    /// Whether an image has one pixel, to count visitors, or is small and has no description. Of others, blogs leave the
    /// description empty, too.
    static func isDecoration(_ image: HTMLDocument.Node) -> Bool {
        let sizes = ["width", "height"].compactMap { image[$0].flatMap { Int($0) } }
        return sizes.contains { $0 <= 1 || image["alt"] == "" && $0 < minImage }
    }

    mutating func addNumber(of address: String) {
        if let number = number(of: address) { bytes += Array(" [\(number)]".utf8) }
    }

    /// Adds a link with words that are no text of the page here.
    mutating func addLink(_ words: String, to address: String) {
        guard let number = number(of: address) else { return }
        start()
        bytes.append(UInt8(ascii: "["))
        addLiteral(words.isEmpty ? "(link)" : words)
        bytes += Array("][\(number)]".utf8)
    }

    /// Adds the description of a drawing.
    mutating func add(drawing node: HTMLDocument.Node) {
        let title = node.children.first { $0.name == "title" }.map(ReadableText.line) ?? ""
        let words = title.isEmpty ? Self.label(of: node) : title
        guard isMarked, preformatted == 0, !words.isEmpty else { return }
        start()
        bytes += Array("(image: ".utf8)
        addLiteral(words)
        bytes.append(UInt8(ascii: ")"))
    }

    /// Returns the words of the first attribute that describes an element; an empty text if none does.
    static func label(of node: HTMLDocument.Node, first: String = "aria-label") -> String {
        [first, "aria-label", "title"].lazy.compactMap { node[$0] }
            .map { HTMLText.oneLine(HTMLText.repaired($0)) }.first { !$0.isEmpty } ?? ""
    }

    /// Returns the address of an image, of which a script may show a picture of its own until the image is seen.
    private static func source(ofImage node: HTMLDocument.Node) -> String? {
        let source = node["src"] ?? ""
        if !source.isEmpty, !source.lowercased().hasPrefix("data:") { return source }
        let sets = ["data-srcset", "srcset"].compactMap {
            node[$0]?.split(whereSeparator: \.isWhitespace).first
        }
        return ["data-src", "data-original", "data-lazy-src"].lazy.compactMap { node[$0] }.first
            ?? sets.first.map { String($0.last == "," ? $0.dropLast() : $0) }
    }

    /// Whether an element is code of several lines, as `pre` is, and as forums have in `code`.
    func isBlock(ofCode node: HTMLDocument.Node) -> Bool {
        if node.name == "pre" { return true }
        guard node.name == "code", !isInRow, node.children.contains(where: { $0.name == "br" }) else {
            return false
        }
        var next = node.parent
        while let found = next, found.isElement, !["a", "code", "pre"].contains(found.name) {
            next = found.parent
        }
        return next?.isElement != true
    }

    /// Adds the mark of a note.
    ///
    /// - Returns: Whether the element is one, so that its contents are not added.
    mutating func add(markOf node: HTMLDocument.Node) -> Bool {
        guard isMarked, preformatted == 0, let mark = NoteMark.text(of: node, in: links), openCode == nil
        else { return false }
        noteMarks.insert(mark.first == "^" ? "[\(mark)]" : mark)
        if node.name == "td" || node.name == "dt" { open(node) }
        add(mark)
        if node.name == "td" || node.name == "dt" { close(node) }
        return true
    }

    /// Adds a text. In code with elements for its line ends, those of the page are spaces.
    mutating func add(textOf node: HTMLDocument.Node) {
        guard preformatted > 0, let parent = node.parent, parent.name == "code", isBlock(ofCode: parent)
        else {
            // The label of a note is like its mark.
            guard breaks > 0, preformatted == 0, let label = NoteMark.label(of: node.content),
                noteMarks.contains(label.mark)
            else { return add(node.content) }
            add(label.mark)
            return add(UnsafeBufferPointer(rebasing: node.content[label.count...]))
        }
        var line = String(decoding: node.content, as: UTF8.self)[...]
        if node.previous == nil || node.previous?.name == "br" { line = line.drop { $0.isNewline } }
        add(String(line.map { $0.isNewline || $0 == "\u{A0}" ? " " : $0 }))
    }

    /// Adds the space between words and those that replace them.
    mutating func separate(before node: HTMLDocument.Node) {
        guard ["del", "ins"].contains(node.name), let name = node.previous?.name else { return }
        if ["del", "ins", "s", "strike"].contains(name), name != node.name { hasSpace = true }
    }

    /// Adds the space after the name of a quoted writer.
    mutating func separate(after node: HTMLDocument.Node) {
        if node.name == "cite", bytes.last == UInt8(ascii: ":"), breaks == 0 { hasSpace = true }
    }

    /// Adds a formula, an area of an image, or the mark of a task.
    ///
    /// - Returns: Whether the element is one of them, so that its contents are not added.
    mutating func addSpecial(_ node: HTMLDocument.Node) -> Bool {
        switch node.name {
        case "math": add(formula: Formula.text(of: node), isBlock: node["display"] == "block")
        case "img":
            guard let formula = Formula.text(ofImage: node) else { return false }
            let isBlock = node["class"]?.contains("-display") == true
            if !Formula.isCopy(node) { add(formula: formula, isBlock: isBlock) }
        case "input":
            // GitHub's Markdown has it at the start of an item.
            guard isMarked, containers.beginsItem, !lists.isEmpty, !isInRow,
                node["type"]?.lowercased() == "checkbox"
            else { return false }
            mark = node["checked"] == nil ? "[ ] " : "[x] "
        case "area":
            guard isMarked, preformatted == 0, !isInLink, let address = links.address(of: node) else {
                return false
            }
            let words = HTMLText.oneLine(HTMLText.repaired(node["alt"] ?? ""))
            guard !words.isEmpty else {
                if !links.isInPage(node) { emptyLinks.append(address) }
                break
            }
            hasSpace = true
            addLink(words, to: address)
            hasSpace = true
        default: return false
        }
        return true
    }

    mutating func breakLine() { breaks = max(breaks, 1) }

    /// Adds the end of a line, or that of a paragraph after it.
    mutating func addBreak() {
        if preformatted > 0 {
            if !bytes.isEmpty || breaks == 0 { breaks += 1 }
        } else if isInRow {
            hasSpace = true
        } else {
            breaks = breaks > 0 ? 2 : 1
        }
    }

    /// Begins the description of a term. A list without terms is only indented in a browser.
    mutating func openDescription(_ node: HTMLDocument.Node) {
        // libxml2 nests descriptions without end tags.
        if node.parent?.name == "dd", definitions.last == true {
            definitions[definitions.count - 1] = false
            containers.close()
        }
        let hasMark = isMarked && !isInRow && terms.last == true
        definitions.append(hasMark)
        if hasMark { containers.openDefinition() }
    }

    private mutating func add(formula: String, isBlock: Bool) {
        if isBlock { breakLine() }
        add(formula)
        if isBlock { breakLine() }
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add($0) }
    }

    /// Returns the number of an address after those of the URLs before it, so that they are in the order of reading.
    ///
    /// - Parameter end: The offset of the words of the link.
    mutating func number(of address: String, after end: Int? = nil) -> Int? {
        let end = end ?? bytes.count
        for url in LinkAddress.urls(in: bytes, from: min(numbered, end), stops: [end])
        where url.lowerBound < end {
            _ = links.number(of: String(decoding: bytes[url], as: UTF8.self))
        }
        numbered = bytes.count
        return links.number(of: address)
    }

    /// Returns the URLs in the text from an offset on.
    func addresses(from start: Int) -> Set<String> {
        let urls = LinkAddress.urls(in: bytes, from: min(start, bytes.count), stops: [bytes.count])
        return Set(urls.map { String(decoding: bytes[$0], as: UTF8.self) })
    }

    /// Returns the number of a link at the end of the text; nil for one whose words are its address, and are read as it. One
    /// that ends in a stop, or follows marks, would be read as another address.
    mutating func linkNumber(of address: String, _ words: String, from start: Int) -> Int? {
        let bare = Array(words.utf8)
        let isBare =
            address == words && LinkAddress.urls(in: bare).first.map { $0 == bare.indices } ?? true
            && (start == 0 || !"*~".utf8.contains(bytes[start - 1]))
        return isBare ? nil : number(of: address, after: start)
    }

    /// The pixels of an image that is more than an icon.
    private static let minImage = 64
}
