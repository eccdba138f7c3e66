/// The flow of a post: its paragraphs, and the parts between and around them.
enum PostFlow {
    typealias Node = HTMLDocument.Node

    /// Whether an element is a part of a text: a post is not only a quote or an item, and continues next to it.
    static func isPart(_ node: Node) -> Bool { parts.contains(node.name) }

    /// Whether an element contains paragraphs, quotes, or code of its own, or text, as the element with a post does.
    static func isIn(_ node: Node) -> Bool {
        node.children.contains { $0.isText && hasWords($0) || isParagraph($0) }
    }

    /// Whether an element is between two parts of a text.
    static func isAround(_ node: Node) -> Bool {
        func element(_ start: Node, _ step: (Node) -> Node?) -> Node? {
            var next = step(start)
            while let found = next, !found.isElement, !hasWords(found) { next = step(found) }
            return next
        }
        return [element(node, \.previous), element(node, \.next)].allSatisfy { found in
            guard let found else { return false }
            return found.isText || isPart(found) || Boilerplate.headings.contains(found.name)
        }
    }

    /// Whether a recording is next to a part of a text, by itself or in elements of its own.
    static func isNext(to node: Node) -> Bool {
        var (next, depth): (Node?, Int) = (node, 0)
        while let found = next, depth < 3, found.name != "body" {
            // A page may have thousands of recordings in one element.
            for step in [\Node.previous, \Node.next] {
                var (sibling, count) = (found[keyPath: step], 0)
                while let other = sibling, count < maxSiblings {
                    if other.isText && hasWords(other) || isParagraph(other) { return true }
                    (sibling, count) = (other[keyPath: step], count + 1)
                }
            }
            (next, depth) = (found.parent, depth + 1)
        }
        return false
    }

    private static let maxSiblings = 16

    /// Whether an element that is left out is below a heading without links, which may be its title.
    static func isBelowTitle(_ node: Node) -> Bool {
        var (previous, depth) = (node.previous, 0)
        while let found = previous, depth < 8 {
            if Boilerplate.headings.contains(found.name) {
                var hasLink = false
                ReadableText.forEachElement(in: found) { if $0.name == "a" { hasLink = true } }
                return !hasLink
            }
            (previous, depth) = (found.previous, depth + 1)
        }
        return false
    }

    private static func isParagraph(_ node: Node) -> Bool {
        guard paragraphs.contains(node.name) else { return false }
        return node.children.contains {
            if $0.isText { return hasWords($0) }
            return $0.isElement && $0.name != "a" && (node.name != "p" || $0.firstChild != nil)
        }
    }

    private static func hasWords(_ node: Node) -> Bool {
        node.isText && node.content.contains { $0 > 0x20 && $0 != 0x7C && $0 != 0xC2 && $0 != 0xA0 }
    }

    private static let paragraphs: Set<String> = ["p", "blockquote", "pre"]
    private static let parts: Set<String> = [
        "p", "blockquote", "pre", "ul", "ol", "li", "dl", "dt", "dd", "figure", "details", "tr", "tbody",
        "h1", "h2", "h3", "h4", "h5", "h6",
    ]

    /// Whether a short element has a link to another site that does not share the page there.
    static func isReference(_ node: Node, _ links: PageLinks) -> Bool {
        var (elements, size, found, isShort) = (0, 0, false, true)
        var next: Node? = node
        while let current = next, isShort {
            if current.isText { size += current.content.count }
            if current.isElement {
                elements += 1
                if forms.contains(current.name) || elements > maxElements { isShort = false }
                if current.name == "a", links.isExternal(current) { found = true }
            }
            if size > maxSize { isShort = false }
            next = current.following(in: node)
        }
        return found && isShort
    }

    /// Whether most links of an element lead to other sites.
    static func isList(ofReferences node: Node, _ links: PageLinks) -> Bool {
        var (count, external) = (0, 0)
        ReadableText.forEachElement(in: node) { element in
            guard element.name == "a", element["href"] != nil else { return }
            count += 1
            if links.isExternal(element) { external += 1 }
        }
        return external * 2 > count
    }

    private static let forms: Set<String> = ["form", "input", "textarea", "select"]
    private static let maxElements = 60
    private static let maxSize = 400
}
