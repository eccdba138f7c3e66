/// The parts of a page that are not its content.
enum Boilerplate {
    /// The elements with the content of a page, in which a header is part of it.
    static let content: Set<String> = ["article", "main"]

    /// Whether an element is left out with all it contains, apart from the words of its names.
    static func covers(_ node: HTMLDocument.Node, in scope: PageScope) -> Bool {
        let name = node.name
        if neverText.contains(name) {
            return name != "button" || !isLink(button: node) && controlled(by: node) == nil
        }
        guard !scope.isRetained else { return isHidden(node) && node.hasName(in: ["katex-html"]) }
        return isAround(node, in: scope) && !(scope.isChosen && leadsAway(node))
    }

    /// Whether an element is around the content, or hidden.
    static func isAround(_ node: HTMLDocument.Node, in scope: PageScope) -> Bool {
        guard node.hasAttributes else { return scope.omits(node.name) }
        if isNotes(node) { return false }
        // A tab that is not selected is hidden until the reader asks for it.
        let isClosed = isHidden(node) && node["role"]?.lowercased() != "tabpanel" && !isSection(node)
        if scope.omits(node.name) || isClosed { return true }
        // An article that another program found has no parts of the page.
        return !scope.isChosen && node["role"].map { roles.contains($0.lowercased()) } ?? false
    }

    /// Returns the ID of the element that a button in a heading shows; nil for other elements.
    private static func controlled(by button: HTMLDocument.Node) -> Substring? {
        guard button.name == "button", let parent = button.parent, headings.contains(parent.name),
            button["aria-haspopup"] == nil
        else { return nil }
        let target = ["aria-controls", "data-bs-target", "data-target"].lazy.compactMap { button[$0] }.first
        return target.map { $0.drop { $0 == "#" } }
    }

    /// Whether an element is shown by a button in the heading before it.
    private static func isSection(_ node: HTMLDocument.Node) -> Bool {
        guard let id = node["id"], let heading = node.previousElement, headings.contains(heading.name) else {
            return false
        }
        return heading.children.contains { controlled(by: $0) == id[...] }
    }

    /// Whether a button is in a link, or contains one.
    private static func isLink(button node: HTMLDocument.Node) -> Bool {
        node.parent?.name == "a" || node.children.contains { $0.name == "a" && $0["href"] != nil }
    }

    /// Whether an element is not shown, except a formula of which an image is shown.
    static func isHidden(_ node: HTMLDocument.Node) -> Bool {
        if Formula.isHiding(node) { return false }
        if node["hidden"] != nil || node["aria-hidden"] == "true" && !hasLink(node) { return true }
        guard let style = node["style"]?.filter({ $0 != " " }).lowercased() else { return false }
        return style.contains("display:none") || style.contains("visibility:hidden")
    }

    /// Whether an element that only screen readers leave out leads to another page that a reader may not know.
    private static func hasLink(_ node: HTMLDocument.Node) -> Bool {
        // Other elements may be menus that are closed.
        ["a", "p", "span", "li"].contains(node.name) && leadsAway(node, toOtherPart: false)
    }

    /// Whether a link in an element leads to another page.
    ///
    /// - Parameter toOtherPart: Whether that may be a part of it.
    private static func leadsAway(_ node: HTMLDocument.Node, toOtherPart: Bool = true) -> Bool {
        // A formula is there for screen readers, too.
        !node.hasName(in: ["katex-html"])
            && ReadableText.elements(in: node).contains { element in
                // The keyboard does not reach the second link to a page.
                guard element.name == "a", element["tabindex"] != "-1", let address = element["href"],
                    !address.isEmpty, !address.hasPrefix("javascript:")
                else { return false }
                return toOtherPart ? !address.hasPrefix("#") : !address.contains("#")
            }
    }

    /// Whether an element contains notes of the article, or its sources.
    static func isNotes(_ node: HTMLDocument.Node) -> Bool {
        node.hasName(in: notes) && !isHidden(node)
    }

    private static let notes: Set<String> = ["footnote", "footnotes", "endnote", "endnotes", "bibliography"]

    /// The elements with contents of other files, and those whose text only browsers show that lack a feature.
    static let embedded: Set<String> = ["audio", "embed", "iframe", "noscript", "object", "video"]

    /// Whether a recording or an embedded page belongs to the content. Counters of visitors are small, and outside of
    /// the content, embedded pages are advertisements unless they can have the whole screen.
    static func isContent(embedded node: HTMLDocument.Node, isInContent: Bool) -> Bool {
        let isCounter = ["width", "height"].contains { ["0", "1"].contains(node[$0] ?? "") }
        let host = node["src"]?.split(separator: "/").dropFirst().first?.split(separator: ".") ?? []
        guard !isHidden(node), !isCounter, !host.contains(where: { advertisers.contains(String($0)) }) else {
            return false
        }
        let isPlayer = node["allowfullscreen"] != nil || node["allow"]?.contains("fullscreen") == true
        return isInContent || isPlayer || ["audio", "video"].contains(node.name)
    }

    /// Whether the part that only browsers without scripts show has an image that is not shown before it, or words about
    /// something else than JavaScript.
    static func isContent(unscripted node: HTMLDocument.Node, besides links: PageLinks) -> Bool {
        guard !isHidden(node) else { return false }
        // One in another is a part of it.
        if sequence(first: node, next: \.parent).dropFirst().contains(where: { $0.name == "noscript" }) {
            return true
        }
        let words = ReadableText.line(of: node)
        guard !isWall(words) else { return false }
        var hasImage = false
        ReadableText.forEachElement(in: node) { element in
            guard element.name == "img", let address = element["src"].flatMap(links.address) else { return }
            hasImage = hasImage || !links.contains(address)
        }
        return hasImage || !words.isEmpty && !words.lowercased().contains("javascript")
    }

    /// Whether an element leads to the heading that it is in, by a sign, or without words that are shown. Elsewhere, an image
    /// in it is a picture that opens.
    static func isPermalink(_ node: HTMLDocument.Node, in links: PageLinks) -> Bool {
        // A link in another one is a part of its words, whose time would double with each.
        guard node.name == "a", node["href"]?.contains("#") == true, !isInLink(node) else { return false }
        let words = ReadableText.line(of: node).unicodeScalars.filter {
            !$0.properties.isDefaultIgnorableCodePoint
        }
        return words.isEmpty
            ? links.isInPage(node)
                && (isInHeading(node) || !ReadableText.elements(in: node).contains(where: isPicture))
            : ["¶", "#", "§", "🔗"].contains(String(String.UnicodeScalarView(words)))
                && !links.leadsElsewhere(node)
    }

    private static func isPicture(_ node: HTMLDocument.Node) -> Bool {
        node.name == "img" && !TextLines.isDecoration(node)
    }

    private static func isInLink(_ node: HTMLDocument.Node) -> Bool {
        sequence(first: node, next: \.parent).dropFirst().contains { $0.name == "a" }
    }

    private static func isInHeading(_ node: HTMLDocument.Node) -> Bool {
        sequence(first: node, next: \.parent).dropFirst().prefix(3).contains { headings.contains($0.name) }
    }

    private static let advertisers: Set<String> = ["ad", "ads", "doubleclick", "googlesyndication"]

    /// Whether an element is below a paragraph or a heading, or is a section that links can lead to.
    static func isPart(_ node: HTMLDocument.Node) -> Bool {
        if let previous = node.previousElement, flow.contains(previous.name) { return true }
        return node.name == "section"
            || node.children.contains { $0.isElement && headings.contains($0.name) && $0["id"] != nil }
    }

    static let headings: Set<String> = ["h1", "h2", "h3", "h4", "h5", "h6"]
    /// The elements before a list of the article.
    private static let flow = headings.union(["p", "ul", "ol", "dl", "pre", "blockquote", "table", "figure"])

    /// Whether the heading in an element, or the one before it, is a usual one of links to other articles.
    static func hasHeadingOfTeasers(_ node: HTMLDocument.Node) -> Bool {
        var (first, depth) = (node, 0)
        while !headings.contains(first.name), depth < 4, let child = first.children.first(where: \.isElement)
        {
            (first, depth) = (child, depth + 1)
        }
        return [first, node.previousElement].contains { heading in
            guard let heading, headings.contains(heading.name) else { return false }
            return teasers.contains(ReadableText.line(of: heading).lowercased())
        }
    }

    private static let teasers: Set<String> = [
        "also read", "latest news", "more", "more articles", "more news", "more posts", "more stories",
        "most popular", "most read", "read more", "read next", "read on", "recommended", "related",
        "related articles", "related posts", "related stories", "trending", "you may also like",
        "you might also like",
    ]

    /// Whether the elements of a table show that it contains data, not a layout.
    static func isData(table node: HTMLDocument.Node) -> Bool {
        guard node.name == "table", !["presentation", "none"].contains(node["role"]) else { return false }
        var isData = node["summary"] != nil
        for element in ReadableText.elements(in: node) where element != node {
            if element.name == "table" { return false }
            isData = isData || dataElements.contains(element.name)
        }
        return isData
    }

    /// Whether a table has several rows of several cells, each with few words, as one of data that declares no header.
    static func isGrid(table node: HTMLDocument.Node) -> Bool {
        guard node.name == "table", !["presentation", "none"].contains(node["role"]) else { return false }
        var rows: [[HTMLDocument.Node]] = []
        for element in ReadableText.elements(in: node) where element != node {
            if element.name == "tr" {
                rows.append(element.children.filter { Self.cellNames.contains($0.name) })
            } else if !tableParts.contains(element.name), TextLines.breaks(before: element.name) != nil {
                return false
            }
        }
        return rows.count { $0.count > 1 } > 1
            && rows.joined().allSatisfy { ReadableText.line(of: $0).utf8.count <= maxCell }
    }

    private static let cellNames: Set = ["td", "th"]
    private static let tableParts: Set = ["tbody", "thead", "tfoot", "caption", "colgroup", "col", "br"]
    private static let maxCell = 300

    /// The elements of tables of data (`_markDataTables` of Mozilla's Readability).
    private static let dataElements: Set<String> = ["caption", "col", "colgroup", "tfoot", "th", "thead"]

    /// Whether the only text of a page requires scripts, or a proof that the reader is human.
    static func isWall(_ text: String) -> Bool {
        guard text.utf8.count < maxWall else { return false }
        let text = text.lowercased()
        return walls.contains { text.contains($0) }
    }

    private static let maxWall = 400
    private static let walls = [
        "enable javascript", "enable js", "javascript is disabled", "javascript is required",
        "javascript to run",
        "requires javascript", "turn on javascript", "are a human", "are human", "not a robot", "not a bot",
        "are you a robot", "are you human", "checking your browser", "unusual traffic", "just a moment...",
    ]

    /// The texts above advertisements (`adWords` of Mozilla's Readability), and the elements that contain them; a heading
    /// may be the title of a section.
    static let labels: Set<String> = [
        "ad", "ads", "advertisement", "advertisements", "advertising", "anuncio", "anzeige", "publicidad",
        "publicité",
        "pubblicità", "werbung", "реклама", "广告",
    ]
    static let labeled: Set<String> = ["center", "div", "figcaption", "p", "section"]
    static let maxLabel = 16

    /// Returns the number of bytes in the paragraphs of an element.
    static func paragraphs(in node: HTMLDocument.Node) -> Int {
        var count = 0
        ReadableText.forEachElement(in: node) { element in
            guard element.name == "p" else { return }
            for child in element.children where child.isText { count += child.content.count }
        }
        return count
    }

    private static let neverText: Set<String> = [
        "title", "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas",
        "audio",
        "video", "button", "select", "textarea", "datalist", "input",
    ]
    private static let roles: Set<String> = [
        "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu",
        "menubar", "toolbar",
    ]
}
