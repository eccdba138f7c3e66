/// The text of a page that a reader came for.
///
/// The content is the `article` or `main` element with a large part of the text; without one, the element whose
/// paragraphs are long and have few links; otherwise the whole page. Boilerplate, such as navigation, is
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

    private struct Candidate {
        let node: Node
        /// The number of characters that are not in links.
        let text: Int
    }

    private struct Measure {
        /// The numbers of characters, and of those in links.
        var text = 0
        var links = 0
        /// The points of the element as a paragraph, and of its children, which count half for its parent.
        var points = 0.0
        var inherited = 0.0
    }

    static func text(of root: Node) -> String {
        let strict = ReadableText(usesClasses: true).text(root)
        guard strict.utf8.count < minText else { return strict }
        let loose = ReadableText(usesClasses: false).text(root)
        return loose.utf8.count > 2 * strict.utf8.count ? loose : strict
    }

    private init(usesClasses: Bool) { self.usesClasses = usesClasses }

    private func text(_ root: Node) -> String {
        var reader = self
        let whole = reader.measure(root, isInLink: false, isInContent: false, 0)
        let total = max(1, whole.text - whole.links)
        func large(_ candidates: [Candidate]) -> Node? {
            candidates.max { $0.text < $1.text }.flatMap {
                $0.text * 100 >= total * Self.minShare ? $0.node : nil
            }
        }
        let dense = reader.best.map { [$0.candidate] } ?? []
        let content = large(reader.articles) ?? large(reader.mains) ?? large(dense) ?? root
        var lines = TextLines()
        append(content, to: &lines, isInContent: content != root, 0)
        return lines.text
    }

    private mutating func measure(_ node: Node, isInLink: Bool, isInContent: Bool, _ depth: Int) -> Measure {
        let name = node.name
        let isContent = isInContent || Boilerplate.content.contains(name)
        var sum = Measure()
        var (own, commas) = (0, 0)
        for child in node.children {
            if child.isText {
                for byte in child.content where byte > 0x20 && byte & 0xC0 != 0x80 {
                    own += 1
                    if byte == UInt8(ascii: ",") { commas += 1 }
                }
            } else if child.isElement, depth < Self.maxDepth,
                !Boilerplate.covers(child, isInContent: isContent, usesClasses: usesClasses)
            {
                let inner = measure(
                    child, isInLink: isInLink || name == "a", isInContent: isContent, depth + 1)
                sum.text += inner.text
                sum.links += inner.links
                sum.inherited += inner.points / 2
                sum.points += inner.points + inner.inherited
            }
        }
        sum.text += own
        if isInLink || name == "a" { sum.links += own }
        let candidate = Candidate(node: node, text: sum.text - sum.links)
        if name == "article" { articles.append(candidate) }
        if name == "main" || node["role"] == "main" { mains.append(candidate) }
        let score = sum.points * (1 - Double(sum.links) / Double(max(1, sum.text)))
        if score > best?.score ?? 0 { best = (candidate, score) }
        // The text of an inline element belongs to the paragraph around it.
        let length = TextLines.breaks(before: name) == nil ? 0 : own
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
                !Boilerplate.covers(child, isInContent: isContent, usesClasses: usesClasses)
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
