/// The text of a page that a reader came for.
///
/// The content is the element that declares the body of the article, or the `article` or `main` element, with a large
/// part of the text, and the elements like it; without one, the element whose paragraphs are long and have few links,
/// with all around it that is not a menu; otherwise the whole page. Boilerplate, such as navigation, is recognized by its element, its
/// role, and the words of its class, and left out; in the content, only if it has few words or most of them are links.
/// Left out there are also forms, and links below a heading of teasers.
struct ReadableText {
    typealias Node = HTMLDocument.Node

    /// The part of the text below which a part of the page is not its content, in percent.
    private static let minShare = 35
    /// The number of characters below which the words of classes were misleading.
    private static let minText = 140
    /// The number of characters in paragraphs next to which a list of teasers is not the content.
    private static let minProse = 1000
    private static let maxDepth = 400

    private let usesClasses: Bool
    private let paragraphs: Int
    private var bodies: [Candidate] = []
    private var articles: [Candidate] = []
    private var mains: [Candidate] = []
    private var best: (candidate: Candidate, score: Double)?
    /// The measures of the elements with text.
    private var measures: [Node: ElementText] = [:]
    private var leavesOutLists = false
    /// Whether the page has so few words that what it embeds is its content.
    private var isBare = false
    /// The elements that are left out by their names.
    private var named: Set<Node> = []
    /// The elements of the content with parts of the page, and the menus in them.
    private var frames: Set<Node>?
    private var menus: Set<Node> = []
    /// The elements with comments of readers, and whether they are the content.
    private var comments: [Node] = []
    private var keepsComments = false

    private struct Candidate {
        let node: Node
        let text: ElementText
    }

    /// - Parameter links: The links of the page, none so far.
    static func text(of root: Node, links: PageLinks) -> String {
        let paragraphs = Boilerplate.paragraphs(in: root)
        let strict = ReadableText(usesClasses: true, paragraphs: paragraphs).lines(root, links)
        guard strict.count < minText else { return Boilerplate.isWall(strict.text) ? "" : strict.text }
        let loose = ReadableText(usesClasses: false).lines(root, links)
        let text = loose.count > 2 * strict.count ? loose.text : strict.text
        return Boilerplate.isWall(text) ? "" : text
    }

    private init(usesClasses: Bool, paragraphs: Int = 0) {
        (self.usesClasses, self.paragraphs) = (usesClasses, paragraphs)
    }

    private func lines(_ root: Node, _ links: PageLinks) -> TextLines {
        var reader = self
        let whole = reader.measure(root, isInLink: false, in: PageScope(), 0)
        let content = reader.content(whole, links) ?? root
        reader.isBare = content == root && whole.count < Self.minText
        let text = reader.measures[content] ?? whole
        reader.leavesOutLists = text.prose - text.listed >= Self.minProse && content.name != "article"
        let answers = reader.comments.filter { Self.isInside(content, $0) }.compactMap { reader.measures[$0] }
        reader.keepsComments = answers.reduce(0) { $0 + $1.count - $1.links } > text.count - text.links
        var lines = TextLines(links: links)
        reader.append(content, to: &lines, in: reader.scope(around: content, root), 0)
        return lines
    }

    /// Returns the element with the content; nil if no element has enough of the text.
    private mutating func content(_ whole: ElementText, _ links: PageLinks) -> Node? {
        func large(_ candidates: [Candidate], _ size: (ElementText) -> Int = { $0.count - $0.links }) -> Node?
        {
            guard let largest = candidates.max(by: { size($0.text) < size($1.text) }),
                size(largest.text) * 100 >= size(whole) * Self.minShare
            else { return nil }
            return Self.joined(largest.node, candidates)
        }
        if let node = large(bodies) { return node }
        if let node = large(articles) { return widened(article: node, links) }
        if let node = large(mains) { return node }
        guard !whole.isShort, let best = best?.candidate else { return nil }
        // Lists of options and teasers may have more text than the paragraphs of the content.
        let hasProse = whole.prose >= Self.minText
        if let node = large([widened(best, links)], { hasProse ? $0.prose : $0.count - $0.links }) {
            return node
        }
        (frames, menus) = (nil, [])
        return nil
    }

    private static func isInside(_ content: Node, _ node: Node) -> Bool {
        var next: Node? = node
        while let found = next, found != content { next = found.parent }
        return next != nil
    }

    /// Returns the element around all candidates that are like one of them, or are not links to other articles.
    private static func joined(_ chosen: Node, _ candidates: [Candidate]) -> Node {
        var content = chosen
        for other in candidates where other.text.count > 0 && !isInside(content, other.node) {
            guard !isInside(other.node, chosen), isLike(other.node, chosen) || !other.text.isTeaser else {
                continue
            }
            while let parent = content.parent, !isInside(content, other.node) { content = parent }
        }
        while let parent = content.parent, parent.name == "main" || parent["role"] == "main",
            PostFlow.isIn(parent)
        { content = parent }
        return content
    }

    /// Whether two elements have the same name and class.
    private static func isLike(_ node: Node, _ other: Node) -> Bool {
        node.name == other.name && node["class"] == other["class"]
    }

    private func scope(around content: Node, _ root: Node) -> PageScope {
        guard content != root else { return PageScope() }
        var (parents, next): ([Node], Node?) = ([], content.parent)
        while let node = next, node.isElement {
            parents.append(node)
            next = node.parent
        }
        var scope = parents.reversed().reduce(PageScope()) { $0.entering($1) }
        scope.isInContent = scope.isInContent || content.name != "body" && frames?.contains(content) != true
        return scope
    }

    /// Returns the main element around an article if it has other contents beside it, apart from links to pages.
    private mutating func widened(article node: Node, _ links: PageLinks) -> Node {
        guard node.name == "article", let main = node.parent, main.name == "main" || main["role"] == "main"
        else { return node }
        var (isContent, others) = (false, Set<Node>())
        for sibling in main.children where sibling != node && sibling.isElement {
            guard let text = measures[sibling], text.count > 0, !named.contains(sibling) else { continue }
            let refersAway = !text.isLinked && PostFlow.isList(ofReferences: sibling, links)
            let isTeaser =
                text.isTeaser && !refersAway || text.isForm(sibling.name)
                || text.isLinks(sibling.name, isPart: false) && Boilerplate.hasHeadingOfTeasers(sibling)
            if sibling.name == "aside" || sibling.name == "footer" || isTeaser {
                others.insert(sibling)
            } else if text.hasParagraph || text.hasTable || refersAway {
                isContent = true
            }
        }
        if isContent { menus = others }
        return isContent ? main : node
    }

    /// Returns the outermost element around a candidate that adds text or links to it, apart from menus.
    private mutating func widened(_ candidate: Candidate, _ links: PageLinks) -> Candidate {
        var (best, node) = (candidate, candidate.node)
        var (around, found): ([(Node, Int)], [Node]) = ([], [])
        while let parent = node.parent, parent.isElement, let text = measures[parent] {
            // A quote or an item is not a post, and one next to paragraphs is a part of it.
            let isFlow = PostFlow.isPart(node) || PostFlow.isIn(parent)
            var (adds, isFrame) = (isFlow, !isFlow)
            for sibling in parent.children where sibling != node && sibling.isElement {
                guard let part = measures[sibling], part.count > 0, !named.contains(sibling) else { continue }
                let isLike = Self.isLike(sibling, node) && node["class"] != nil
                if isLike { isFrame = false }
                if isLike || !part.isMenu || !isFlow && !Self.isMenu(sibling, links) {
                    adds = true
                } else if !isFlow {
                    found.append(sibling)
                }
            }
            if isFrame { around.append((parent, text.count)) }
            if adds {
                best = Candidate(node: parent, text: text)
                menus = Set(found)
            }
            node = parent
        }
        // The header of an answer is a part of it, and not of the page.
        frames = Set(around.filter { $0.1 * 5 >= best.text.count * 4 }.map(\.0))
        return best
    }

    /// Whether several links lead to pages of the same site. All those of a table of contents lead into the page, or to the
    /// parts of a manual, and a list of definitions, or under a heading of its own, is content.
    private static func isMenu(_ node: Node, _ links: PageLinks) -> Bool {
        guard node.name != "dl", !node.hasName(in: ["toc"]) else { return false }
        var (count, isContent, leadsAway) = (0, false, false)
        forEachElement(in: node) {
            guard !isContent else { return }
            if Boilerplate.headings.contains($0.name) {
                isContent = !$0.children.contains { $0.name == "a" } && $0.parent?.name != "a"
            }
            guard $0.name == "a", $0["href"] != nil else { return }
            count += 1
            isContent = links.isExternal($0)
            leadsAway = leadsAway || !links.isInPage($0)
        }
        return count > 3 && !isContent && leadsAway
    }

    private mutating func measure(
        _ node: Node, isInLink: Bool, in scope: PageScope, _ depth: Int
    ) -> ElementText {
        let name = node.name
        let scope = scope.entering(node)
        // A link within the page does not lead away from it.
        let isInLink = isInLink || name == "a" && node["href"]?.hasPrefix("#") != true
        var text = ElementText()
        for child in node.children {
            if child.isText {
                text.add(child.content, isInLink: isInLink, isInParagraph: name == "p")
            } else if child.isElement, depth < Self.maxDepth {
                if Boilerplate.covers(child, in: scope) {
                    text.add(omitted: child)
                    continue
                }
                let before = (best, bodies.count, articles.count, mains.count)
                let part = measure(child, isInLink: isInLink, in: scope, depth + 1)
                guard let names = names(of: child, in: scope),
                    names.cover(measures[child], in: scope, paragraphs: paragraphs)
                else {
                    text.add(part)
                    continue
                }
                if names.areComments { comments.append(child) }
                named.insert(child)
                text.add(omitted: child)
                text.add(named: part)
                best = before.0
                bodies.removeLast(bodies.count - before.1)
                articles.removeLast(articles.count - before.2)
                mains.removeLast(mains.count - before.3)
            }
        }
        let isData = Boilerplate.isData(table: node)
        let points = text.close(name, isInLink: isInLink, isData: isData)
        if isData || text.count > text.links && Boilerplate.isGrid(table: node) { text.hasTable = true }
        let candidate = Candidate(node: node, text: text)
        if text.count > 0 || text.hasArticle { measures[node] = text }
        if name == "article" { articles.append(candidate) }
        if name == "main" || node["role"] == "main" { mains.append(candidate) }
        if node["itemprop"] == "articleBody" { bodies.append(candidate) }
        let score = text.points * (1 - text.linkShare)
        if score > best?.score ?? 0 { best = (candidate, score) }
        text.points = points
        return text
    }

    private func names(of node: Node, in scope: PageScope) -> PartNames? {
        usesClasses ? PartNames(node, in: scope) : nil
    }

    private func covers(_ node: Node, in scope: PageScope, _ links: PageLinks) -> Bool {
        if menus.contains(node) { return true }
        if Boilerplate.covers(node, in: scope) {
            guard Self.places.contains(node.name), !Boilerplate.covers(node, in: .content) else {
                return true
            }
            let isPost = scope.isInPost && PostFlow.isReference(node, links)
            return !isPost && !(node.name == "aside" && PostFlow.isAround(node))
        }
        guard let names = names(of: node, in: scope), !(keepsComments && names.areComments) else {
            return false
        }
        guard names.cover(measures[node], in: scope, paragraphs: paragraphs) else { return false }
        // A heading of the article would remain alone; below its title are buttons.
        let heading = node.previousElement.map(\.name) ?? ""
        let isBelowHeading =
            ["ul", "ol"].contains(node.name) && heading != "h1" && Boilerplate.headings.contains(heading)
            && !Boilerplate.hasHeadingOfTeasers(node) && !names.areComments
        guard scope.isInContent else { return true }
        return !isBelowHeading && !(PostFlow.isReference(node, links) && names.mayRefer)
    }

    /// The elements that belong to a post or to the page, as those around them show.
    private static let places: Set = ["aside", "footer"]

    /// Whether an element in the content is a form, or leads to other articles. A share of links alone does not show it.
    private func isTeaser(_ node: Node, in scope: PageScope, _ links: PageLinks) -> Bool {
        guard let text = measures[node], !Boilerplate.isNotes(node) else { return false }
        let name = node.name
        let isPart = Boilerplate.isPart(node)
        if text.isForm(name) || leavesOutLists && !isPart && text.isListOfTeasers(name) { return true }
        if name == "aside", !scope.isInArticle, text.linkShare > 0.5, !PostFlow.isReference(node, links) {
            return true
        }
        return text.isLinks(name, isPart: isPart) && Boilerplate.hasHeadingOfTeasers(node)
    }

    /// Whether an element only says that an advertisement is next to it.
    private func isAdvertisement(_ node: Node) -> Bool {
        guard let text = measures[node], text.count <= Boilerplate.maxLabel,
            Boilerplate.labeled.contains(node.name)
        else { return false }
        return node.text(upTo: 200).map { Boilerplate.labels.contains(HTMLText.oneLine($0).lowercased()) }
            ?? false
    }

    private func append(_ node: Node, to lines: inout TextLines, in scope: PageScope, _ depth: Int) {
        let isInContent = scope.isInContent
        let scope = scope.entering(node, isFrame: frames?.contains(node) ?? true)
        lines.open(node)
        for child in node.children {
            if child.isText {
                lines.add(textOf: child)
            } else if child.isElement, Boilerplate.embedded.contains(child.name) {
                let isInContent = isInContent || isBare || PostFlow.isNext(to: child)
                guard Boilerplate.isContent(embedded: child, isInContent: isInContent) else { continue }
                if child.name == "noscript", isInContent,
                    Boilerplate.isContent(unscripted: child, besides: lines.links)
                {
                    lines.breakLine()
                    append(child, to: &lines, in: scope, depth + 1)
                    lines.breakLine()
                    continue
                }
                lines.add(media: child)
                if isInContent, !lines.isInLink { appendLinks(in: child, to: &lines, depth) }
            } else if child.isElement, depth < Self.maxDepth, !lines.addSpecial(child) {
                if child.name == "svg", !Boilerplate.isHidden(child) {
                    if isInContent { lines.add(drawing: child) }
                    if !lines.isInLink { appendLinks(in: child, to: &lines, depth) }
                } else if Boilerplate.isPermalink(child, in: lines.links)
                    || NoteMark.isBackLink(child, in: lines.links)
                {
                    continue
                } else if covers(child, in: scope, lines.links) || isAdvertisement(child)
                    || isInContent && !lines.isInLink && isTeaser(child, in: scope, lines.links)
                {
                    if PostFlow.isBelowTitle(child) { lines.omitElement() }
                } else if !lines.add(markOf: child) {
                    lines.separate(before: child)
                    append(child, to: &lines, in: scope, depth + 1)
                    lines.separate(after: child)
                }
            }
        }
        lines.close(node)
    }

    /// Adds the links of a drawing, or of an element whose text only browsers show that lack a feature.
    private func appendLinks(in node: Node, to lines: inout TextLines, _ depth: Int) {
        Self.forEachElement(in: node) { element in
            guard element.name == "a", depth < Self.maxDepth else { return }
            lines.breakLine()
            append(element, to: &lines, in: .content, depth + 1)
        }
    }

    /// Returns all text of an element, without marks.
    static func line(of node: Node) -> String { all(of: node, TextLines()) }

    /// Returns all text of a part of a page.
    static func text(ofPart node: Node, at address: String) -> String {
        all(of: node, TextLines(links: PageLinks(base: address)), in: .chosen)
    }

    private static func all(of node: Node, _ lines: TextLines, in scope: PageScope = .content) -> String {
        var lines = lines
        ReadableText(usesClasses: false).append(node, to: &lines, in: scope, 0)
        return lines.text
    }

    /// Calls a function with each element, parents first.
    static func forEachElement(in root: Node, _ body: (Node) -> Void) { elements(in: root).forEach(body) }

    /// The elements of a tree, parents first.
    static func elements(in root: Node) -> some Sequence<Node> {
        sequence(first: root) { $0.following(in: root) }.lazy.filter(\.isElement)
    }
}
