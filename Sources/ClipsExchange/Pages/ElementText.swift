/// The amount and the kinds of text in an element.
struct ElementText {
    /// The numbers of characters, and of those in links.
    private(set) var count = 0
    private(set) var links = 0
    /// The number of characters of links in lists and tables of data, and of those that are numbered or in tables.
    private var itemLinks = 0
    private var sourceLinks = 0
    /// The number of characters in paragraphs, and of those in lists of teasers.
    private(set) var prose = 0
    private(set) var listed = 0
    /// The points of the paragraphs in the element, of which those inside its children count half.
    var points = 0.0
    private var inherited = 0.0
    private var commas = 0
    private var inputs = 0
    /// The numbers of forms and of buttons.
    private(set) var forms = 0
    private(set) var buttons = 0
    /// The number of headings that are links.
    private var headlines = 0
    /// The number of characters of headings, and of those in links.
    private(set) var titles = 0
    private(set) var linkedTitles = 0
    /// The number of bytes in paragraphs, omitted ones included.
    private(set) var paragraphs = 0
    /// Whether there is a paragraph with words of its own.
    private(set) var hasParagraph = false
    /// Whether there is a table of words.
    var hasTable = false
    /// Whether there is an element that declares content.
    private(set) var hasArticle = false
    /// The number of characters in blocks of links without a text of their own.
    private(set) var menus = 0
    /// The characters and commas of the paragraph around an inline element, and the characters of its links.
    private var inline = (count: 0, commas: 0, links: 0)

    /// The number of characters below which a text is not a paragraph.
    private static let minParagraph = 25

    /// The share of the characters that are in links.
    var linkShare: Double { Double(links) / Double(max(1, count)) }

    /// Whether a page has too little text to show which part is the content, and most of it is not links.
    var isShort: Bool { count < 1500 && prose < 500 && links * 2 < count }

    /// Adds a text of the element itself.
    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, isInLink: Bool, isInParagraph: Bool) {
        if isInParagraph { paragraphs += bytes.count }
        var own = 0
        for byte in bytes where byte > 0x20 && byte & 0xC0 != 0x80 {
            own += 1
            if byte == UInt8(ascii: ",") { inline.commas += 1 }
        }
        count += own
        inline.count += own
        if isInLink { links += own }
    }

    /// Adds a child.
    mutating func add(_ child: ElementText) {
        count += child.count
        links += child.links
        itemLinks += child.itemLinks
        sourceLinks += child.sourceLinks
        prose += child.prose
        listed += child.listed
        commas += child.commas
        inputs += child.inputs
        forms += child.forms
        buttons += child.buttons
        hasTable = hasTable || child.hasTable
        headlines += child.headlines
        titles += child.titles
        linkedTitles += child.linkedTitles
        paragraphs += child.paragraphs
        hasParagraph = hasParagraph || child.hasParagraph
        hasArticle = hasArticle || child.hasArticle
        inherited += child.points / 2
        points += child.points + child.inherited
        inline.count += child.inline.count
        inline.commas += child.inline.commas
        inline.links += child.inline.links
        menus += child.menus
    }

    /// Adds the paragraphs of a child that is left out by its names.
    mutating func add(named child: ElementText) { paragraphs += child.paragraphs }

    /// Adds a child that is left out.
    mutating func add(omitted node: HTMLDocument.Node) {
        if node.name == "button" { buttons += 1 }
        guard Self.inputs.contains(node.name) else { return }
        if !Self.marks.contains(node["type"]?.lowercased() ?? "") { inputs += 1 }
    }

    /// Completes the measure at the end of an element.
    ///
    /// - Parameter isData: Whether a table contains data, not a layout.
    /// - Returns: The points of the element as a paragraph.
    mutating func close(_ name: String, isInLink: Bool, isData: Bool) -> Double {
        if isData || name == "ol" { sourceLinks = links }
        if isData || Self.lists.contains(name) || name == "dl" { itemLinks = links }
        if Boilerplate.headings.contains(name) {
            (titles, linkedTitles) = (count, links)
            if links > 0, links * 10 >= count * 9 { headlines += 1 }
        }
        if name == "form" { forms += 1 }
        if Boilerplate.content.contains(name) { hasArticle = true }
        if Self.proseNames.contains(name), count - links >= Self.minParagraph { hasParagraph = true }
        // The text of an inline element belongs to the paragraph around it.
        if TextLines.breaks(before: name) == nil {
            if name == "a" { inline = (0, 0, inline.count + inline.links) }
            return 0
        }
        let own = inline
        inline = (0, 0, 0)
        if own.links > own.count { menus += own.links + own.count }
        commas += own.commas
        if !isInLink, own.count >= Self.minParagraph { prose += own.count }
        if isListOfTeasers(name) { listed = prose }
        return own.count < Self.minParagraph
            ? 0 : 1 + Double(own.commas) + min(3, Double(own.count) / 100)
    }

    /// Whether there are headings that are links, and a fourth of the text is in links.
    var isLinked: Bool { headlines > 0 && links * 4 > count }

    /// Whether an element in the content of a page is a form.
    func isForm(_ name: String) -> Bool { name == "form" && inputs > 0 && prose < 400 && commas < 10 }

    /// Whether most of an element in the content of a page are links, which does not show that they lead to other articles.
    ///
    /// A fourth of a block's text in links is much; tables of data and sources may have more, and so may the lists of an
    /// article. Text with ten commas is prose.
    ///
    /// - Parameter isPart: Whether a list is below a paragraph or a heading.
    func isLinks(_ name: String, isPart: Bool) -> Bool {
        guard commas < 10 else { return false }
        if Self.lists.contains(name) { return !isPart && name == "ul" && linkShare > 0.9 }
        return Self.blocks.contains(name) && (links - (isPart ? itemLinks : sourceLinks)) * 4 > count
    }

    /// Whether most of the text is links to pages, or short texts below headings that are links.
    var isMenu: Bool { menus * 2 > count || headlines >= 3 && count < 300 * headlines }

    /// Whether an article leads to another one.
    var isTeaser: Bool { isMenu || linkShare > 0.25 || headlines > 0 && count < 300 * headlines }

    /// Whether an element is a list of other pages with a few words about each.
    func isListOfTeasers(_ name: String) -> Bool {
        Self.lists.contains(name) && headlines >= 3 && count < 300 * headlines
    }

    private static let inputs: Set<String> = ["input", "textarea", "select"]
    /// The types of fields that are marks, or are not shown.
    private static let marks: Set<String> = ["checkbox", "hidden", "radio"]
    private static let proseNames: Set<String> = ["blockquote", "dd", "p", "pre"]
    private static let lists: Set<String> = ["ul", "ol"]
    private static let blocks: Set<String> = [
        "div", "section", "table", "form", "fieldset", "dl", "header", "aside",
    ]
}
