/// The words of boilerplate in the `id` and the classes of an element. They mislead for a section whose title has them.
struct PartNames {
    typealias Node = HTMLDocument.Node

    private let node: Node
    private let found: Set<Substring>

    /// - Returns: nil if the names of the element have no such word.
    init?(_ node: Node, in scope: PageScope) {
        let name = node.name
        guard node.hasAttributes, Self.containers.contains(name), node["role"] != "main",
            !Boilerplate.isNotes(node)
        else { return nil }
        let names = "\(node["class"] ?? "") \(node["id"] ?? "")".lowercased().split(separator: " ")
        let isPart = scope.isInContent || Boilerplate.isPart(node)
        // A longer name is the title of a section.
        let found = names.map { $0.split { !$0.isLetter } }.filter { $0.count <= Self.maxWords }.joined()
            .filter {
                // The pictures of an article are part of it, and so is its footer.
                Self.words.contains(String($0)) && $0 != name
                    && !(isPart && Self.pictures.contains(String($0)))
            }
        guard !found.isEmpty else { return nil }
        (self.node, self.found) = (node, Set(found))
    }

    /// Whether the element contains comments of readers.
    var areComments: Bool { found.contains { $0.hasPrefix("comment") } && !isSectionOnComments }

    /// Whether the element may refer to another page, rather than contain what its name says: a note on comments.
    var mayRefer: Bool {
        found.allSatisfy(Self.places.contains) && (!areComments || isNote)
    }

    /// Whether a name has a word that is not of boilerplate, and no element inside is of comments.
    private var isNote: Bool {
        var isNote = false
        ReadableText.forEachElement(in: node) { element in
            let names = element.words(of: "class", "id")
            if element == node {
                isNote = !Self.words.isSuperset(of: names)
            } else if names.contains(where: { $0.hasPrefix("comment") }) {
                isNote = false
            }
        }
        return isNote
    }

    private static let places: Set<Substring> = ["comment", "comments", "footer", "related", "sidebar"]

    /// Whether an element is left out with all it contains.
    ///
    /// - Parameters:
    ///   - text: The measure of the element; nil if it has no text.
    ///   - paragraphs: The characters in the paragraphs of the page. The words of classes mislead for an element with
    ///     four fifths of them, unless it contains comments.
    func cover(_ text: ElementText?, in scope: PageScope, paragraphs: Int) -> Bool {
        guard let text else { return true }
        if text.hasArticle { return false }
        if areComments { return true }
        if paragraphs >= Self.minParagraphs, text.paragraphs * 5 >= paragraphs * 4 { return false }
        return !(scope.isInContent || isTitled) || isBoilerplate(text)
    }

    /// Whether the contents are those of boilerplate, too: links, a form, or a few words without a paragraph.
    private func isBoilerplate(_ text: ElementText) -> Bool {
        let other = text.count - text.titles
        if other == 0 { return text.titles == 0 || node.name != "section" }
        if (text.links - text.linkedTitles) * 2 > other || text.isLinked { return true }
        guard text.count < Self.minLong else { return false }
        let asks = found.contains { Self.questions.contains(String($0)) } && text.buttons > 0
        return asks || text.forms > 0 || text.isForm("form")
            || text.titles == 0 && !text.hasParagraph && !text.hasTable
    }

    /// Whether an element is a section with the words of its heading as its `id`, as in manuals.
    private var isTitled: Bool {
        let classes = node["class"]?.split(separator: " ") ?? []
        guard let id = node["id"], node.name == "section" || classes.contains(where: { $0.hasPrefix("sect") })
        else { return false }
        let heading = node.children.first { $0.isElement && Boilerplate.headings.contains($0.name) }
        guard let heading else { return false }
        func words(_ text: String) -> [Substring] { text.lowercased().split { !$0.isLetter } }
        let title = words(ReadableText.line(of: heading))
        return words(id).allSatisfy(title.contains)
    }

    /// Whether a section of a manual is about comments: it has paragraphs of its own, and no element of its class.
    private var isSectionOnComments: Bool {
        guard isTitled, node.children.contains(where: { $0.name == "p" }) else { return false }
        return !ReadableText.elements(in: node).prefix(Self.maxElements).contains { element in
            element.name == "form" || element.words(of: "class").contains { $0.hasPrefix("comment") }
        }
    }

    private static let minParagraphs = 1000
    private static let maxWords = 4
    /// The number of elements after which the rest is like them.
    private static let maxElements = 300
    /// The number of characters from which a text is more than a button, a label, or a banner.
    private static let minLong = 300

    private static let containers: Set<String> = [
        "div", "section", "ul", "ol", "table", "form", "header", "footer", "aside", "menu",
    ]
    private static let pictures: Set<String> = ["carousel", "gallery", "slideshow"]
    private static let questions: Set<String> = [
        "consent", "cookie", "cookies", "gdpr", "modal", "newsletter", "popup", "promo", "subscribe",
    ]
    private static let words: Set<String> = [
        "ad", "ads", "advert", "advertisement", "banner", "breadcrumb", "breadcrumbs", "carousel", "comment",
        "comments", "consent", "cookie", "cookies", "footer", "gallery", "gdpr", "masthead", "menu", "modal",
        "nav", "navbar",
        "navigation", "newsletter", "pager", "pagination", "popup", "promo", "related", "share", "sharing",
        "sidebar", "skip", "social", "sphinxsidebar", "sponsor", "slideshow", "subscribe", "toolbar",
    ]
}
