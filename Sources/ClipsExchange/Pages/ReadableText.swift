/// The text of a page that a reader came for.
///
/// The content is the `article` or `main` element with a large part of the text; without one, the element whose
/// paragraphs are long and have few links, with the elements around it that add paragraphs; otherwise the whole page. Boilerplate, such as navigation, is
/// recognized by its element, its role, and the words of its class, and left out.
struct ReadableText {
    typealias Node = HTMLDocument.Node

    /// The part of the text below which a part of the page is not its content, in percent.
    private static let minShare = 35
    /// The number of characters below which the words of classes were misleading.
    private static let minText = 140
    private static let maxDepth = 400

    private let usesClasses: Bool
    private var articles: [Candidate] = []
    private var mains: [Candidate] = []
    private var best: (candidate: Candidate, score: Double)?
    /// The measures of the elements with paragraphs.
    private var measures: [Node: Measure] = [:]
    private let paragraphs: Int

    private struct Candidate {
        let node: Node
        let measure: Measure
    }

    private struct Measure {
        /// The numbers of characters, and of those in links.
        var text = 0
        var links = 0
        /// The number of characters in paragraphs.
        var prose = 0
        /// The number of characters that belong to the paragraph around the element.
        var inline = 0
        /// The points of the element as a paragraph, and of its children, which count half for its parent.
        var points = 0.0
        var inherited = 0.0
    }

    static func text(of root: Node) -> String {
        let paragraphs = Boilerplate.paragraphs(in: root)
        let strict = ReadableText(usesClasses: true, paragraphs: paragraphs).text(root)
        guard strict.utf8.count < minText else { return strict }
        let loose = ReadableText(usesClasses: false).text(root)
        return loose.utf8.count > 2 * strict.utf8.count ? loose : strict
    }

    private init(usesClasses: Bool, paragraphs: Int = 0) {
        (self.usesClasses, self.paragraphs) = (usesClasses, paragraphs)
    }

    private func text(_ root: Node) -> String {
        var reader = self
        let whole = reader.measure(root, isInLink: false, isInContent: false, 0)
        // Lists of options and teasers may have more text than the paragraphs of the content.
        let hasProse = whole.prose >= Self.minText
        func large(_ candidates: [Candidate], _ size: (Measure) -> Int) -> Node? {
            candidates.max { size($0.measure) < size($1.measure) }.flatMap {
                size($0.measure) * 100 >= size(whole) * Self.minShare ? $0.node : nil
            }
        }
        let dense = reader.best.map { [reader.widened($0.candidate)] } ?? []
        let content =
            large(reader.articles) { $0.text - $0.links } ?? large(reader.mains) { $0.text - $0.links }
            ?? large(dense) { hasProse ? $0.prose : $0.text - $0.links } ?? root
        var lines = TextLines()
        append(content, to: &lines, isInContent: content != root, 0)
        return lines.text
    }

    /// Returns the outermost element around a candidate that adds many paragraphs and little other text.
    private func widened(_ candidate: Candidate) -> Candidate {
        var (best, next) = (candidate, candidate.node.parent)
        while let node = next, let measure = measures[node] {
            let other = measure.text - measure.links - measure.prose
            if measure.prose * 5 > best.measure.prose * 6, other * 2 <= measure.prose {
                best = Candidate(node: node, measure: measure)
            }
            next = node.parent
        }
        return best
    }

    private mutating func measure(_ node: Node, isInLink: Bool, isInContent: Bool, _ depth: Int) -> Measure {
        let name = node.name
        let isContent = isInContent || Boilerplate.content.contains(name)
        var sum = Measure()
        var (own, around, commas) = (0, 0, 0)
        for child in node.children {
            if child.isText {
                for byte in child.content where byte > 0x20 && byte & 0xC0 != 0x80 {
                    own += 1
                    if byte == UInt8(ascii: ",") { commas += 1 }
                }
            } else if child.isElement, depth < Self.maxDepth,
                !Boilerplate.covers(
                    child, isInContent: isContent, usesClasses: usesClasses, paragraphs: paragraphs)
            {
                let inner = measure(
                    child, isInLink: isInLink || name == "a", isInContent: isContent, depth + 1)
                sum.text += inner.text
                sum.links += inner.links
                sum.prose += inner.prose
                around += inner.inline
                sum.inherited += inner.points / 2
                sum.points += inner.points + inner.inherited
            }
        }
        sum.text += own
        if isInLink || name == "a" { sum.links += own }
        // The text of an inline element belongs to the paragraph around it.
        let isInline = TextLines.breaks(before: name) == nil
        let length = isInline ? 0 : own
        if isInline && name != "a" { sum.inline = own + around }
        if !isInline && !isInLink && own + around >= 25 { sum.prose += own + around }
        let candidate = Candidate(node: node, measure: sum)
        if sum.prose > 0 { measures[node] = sum }
        if name == "article" { articles.append(candidate) }
        if name == "main" || node["role"] == "main" { mains.append(candidate) }
        let score = sum.points * (1 - Double(sum.links) / Double(max(1, sum.text)))
        if score > best?.score ?? 0 { best = (candidate, score) }
        sum.points = length < 25 ? 0 : 1 + Double(commas) + min(3, Double(length) / 100)
        return sum
    }

    private func append(_ node: Node, to lines: inout TextLines, isInContent: Bool, _ depth: Int) {
        let name = node.name
        let isContent = isInContent || Boilerplate.content.contains(name)
        lines.open(name)
        for child in node.children {
            if child.isText {
                lines.add(child.content)
            } else if child.isElement, depth < Self.maxDepth,
                !Boilerplate.covers(
                    child, isInContent: isContent, usesClasses: usesClasses, paragraphs: paragraphs)
            {
                append(child, to: &lines, isInContent: isContent, depth + 1)
            }
        }
        lines.close(name)
    }

    /// Returns all text of an element as one line.
    static func line(of node: Node) -> String {
        var lines = TextLines()
        ReadableText(usesClasses: false).append(node, to: &lines, isInContent: true, 0)
        return lines.text
    }

    /// Calls a function with each element, parents first.
    static func forEachElement(in root: Node, _ body: (Node) -> Void) {
        var node: Node? = root
        while let current = node {
            if current.isElement { body(current) }
            if let child = current.firstChild, current.isElement {
                node = child
                continue
            }
            node = current
            while let open = node, open != root, open.next == nil { node = open.parent }
            node = node == root ? nil : node?.next
        }
    }
}
