import ClipsCore

/// A formula of a page as a line of text.
enum Formula {
    typealias Node = HTMLDocument.Node

    private static let styles = ["\\displaystyle", "\\textstyle"]

    /// Returns the source of a formula in MathML, or its letters if there is none.
    static func text(of math: Node) -> String {
        if let text = math["alttext"].map(source), !text.isEmpty { return text }
        var found = ""
        ReadableText.forEachElement(in: math) { node in
            guard found.isEmpty, node.name == "annotation", node["encoding"]?.contains("tex") == true else {
                return
            }
            found = source(letters(in: node))
        }
        return found.isEmpty ? HTMLText.oneLine(HTMLText.repaired(line(of: math))) : found
    }

    /// Returns the formula of an image whose class shows that it is one; nil for other images.
    static func text(ofImage image: Node) -> String? {
        guard let alt = image["alt"].map(source), !alt.isEmpty else { return nil }
        return image.words(of: "class").contains(where: classes.contains) ? alt : nil
    }

    private static let classes: Set<String> = ["latex", "mwe", "tex"]

    /// Whether an image shows the formula that is before it.
    static func isCopy(_ image: Node) -> Bool {
        image.previousElement.map { $0.name == "math" || isHiding($0) } ?? false
    }

    /// Whether an element contains only a formula, as those that are hidden next to an image of it.
    static func isHiding(_ node: Node) -> Bool {
        var child = node.firstChild
        while let found = child, !found.isElement { child = found.next }
        return child?.name == "math"
    }

    /// Returns TeX without the braces and the style around it.
    private static func source(_ text: String) -> String {
        var text = HTMLText.oneLine(HTMLText.repaired(text))
        for style in styles {
            let start = "{\(style)"
            if text.hasPrefix(start), text.hasSuffix("}") {
                text = HTMLText.oneLine(String(text.dropFirst(start.count).dropLast()))
            } else if text.hasPrefix(style) {
                text = HTMLText.oneLine(String(text.dropFirst(style.count)))
            }
        }
        return text
    }

    private static func letters(in node: Node) -> String {
        node.children.reduce("") { $1.isText ? $0 + String(decoding: $1.content, as: UTF8.self) : $0 }
    }

    private static func line(of node: Node) -> String {
        let name = node.name
        guard !name.hasPrefix("annotation") else { return "" }
        let parts = node.children.filter(\.isElement)
        guard !parts.isEmpty else { return letters(in: node).trimmed }
        let texts = parts.map(line)
        func joined(_ signs: String...) -> String {
            var text = texts[0]
            for (sign, part) in zip(signs, texts.dropFirst()) { text += sign + grouped(part) }
            return text
        }
        switch name {
        case "msup", "mover": return joined("^")
        case "msub", "munder": return joined("_")
        case "msubsup", "munderover": return joined("_", "^")
        case "mfrac": return "\(grouped(texts[0]))/\(grouped(texts.count > 1 ? texts[1] : ""))"
        case "msqrt": return "√" + grouped(texts.joined())
        case "mroot": return "\(grouped(texts.count > 1 ? texts[1] : ""))√" + grouped(texts[0])
        case "mtr": return texts.joined(separator: ", ")
        case "mtable": return texts.joined(separator: "; ")
        default: return texts.joined()
        }
    }

    /// Returns a part in brackets, unless it is one letter or a number.
    private static func grouped(_ text: String) -> String {
        text.count <= 1 || text.allSatisfy(\.isNumber) ? text : "(\(text))"
    }
}
