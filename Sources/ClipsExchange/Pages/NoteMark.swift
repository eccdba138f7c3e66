/// The marks of notes in a page, `[^1]` in its text as in Markdown, since `[1]` is the number of a link.
enum NoteMark {
    typealias Node = HTMLDocument.Node

    private static let maxMark = 4
    private static let maxWords = 16

    /// Returns the mark that a link into the page, an exponent, or the label of a note shows; nil for other
    /// elements.
    static func text(of node: Node, in links: PageLinks) -> String? {
        let name = node.name
        guard node.hasAttributes || name == "sup" else { return nil }
        let isInPage = name == "a" && links.isInPage(node)
        let isFound =
            switch name {
            case "a": isInPage || node["href"] == nil && node.hasAttributes
            case "sup": true
            case "td", "dt", "span": node.hasName(in: ["label", "brackets"])
            default: false
            }
        guard isFound, let words = node.text(upTo: maxWords), !leadsAway(node, links) else { return nil }
        if words.first == "[", words.last == "]" {
            let note = words.dropFirst().dropLast()
            // Letters are a mark only in an exponent.
            let isWord = name == "sup" && 1...3 ~= note.count && note.unicodeScalars.allSatisfy(\.isLetter)
            return isWord || isMark(note) ? "[^\(note)]" : nil
        }
        guard isMark(words[...]) else { return nil }
        if name == "a", isBetweenBrackets(node) { return "^" + words }
        let isRaised = isInPage && [node.parent, node.firstChild].contains { $0?.name == "sup" }
        let isNamed = name != "sup" && node.hasName(in: ["brackets", "footnote", "fnref", "noteref"])
        return isRaised || isNamed ? "[^\(words)]" : nil
    }

    /// Whether an element only leads from a note to its marks.
    static func isBackLink(_ node: Node, in links: PageLinks) -> Bool {
        guard node.hasAttributes else { return false }
        if node.name == "span" {
            return node.hasName(in: ["backlink", "backref", "backrefs"]) && !leadsAway(node, links)
        }
        guard node.name == "a", links.isInPage(node), let words = node.text(upTo: maxWords) else {
            return false
        }
        // One of several has a number, and the sign may have a selector of its look.
        let signs = words.unicodeScalars.filter { !("0"..."9").contains($0) && $0 != "\u{FE0E}" }
        return ["^", "↑", "↩"].contains(String(String.UnicodeScalarView(signs)))
    }

    /// Returns the mark that a text begins with as the label of a note, `[1]`, and the bytes before the rest.
    static func label(of text: UnsafeBufferPointer<UInt8>) -> (mark: String, count: Int)? {
        let start = text.prefix { $0 <= 0x20 }.count
        let label = text.dropFirst(start).prefix(maxMark + 2)
        guard label.first == UInt8(ascii: "["), let end = label.firstIndex(of: UInt8(ascii: "]")) else {
            return nil
        }
        let note = String(decoding: label[..<end].dropFirst(), as: UTF8.self)
        return isMark(note[...]) ? ("[^\(note)]", end + 1) : nil
    }

    private static func isMark(_ words: Substring) -> Bool {
        let isNumber = words.unicodeScalars.allSatisfy { ("0"..."9").contains($0) }
        return 1...maxMark ~= words.count && (isNumber || words.allSatisfy { "*†‡".contains($0) })
    }

    private static func leadsAway(_ node: Node, _ links: PageLinks) -> Bool {
        var isFound = false
        ReadableText.forEachElement(in: node) {
            if $0.name == "a", $0["href"] != nil, !links.isInPage($0) { isFound = true }
        }
        return isFound
    }

    private static func isBetweenBrackets(_ node: Node) -> Bool {
        guard let previous = node.previous, let next = node.next, previous.isText, next.isText else {
            return false
        }
        return previous.content.last == UInt8(ascii: "[") && next.content.first == UInt8(ascii: "]")
    }
}
