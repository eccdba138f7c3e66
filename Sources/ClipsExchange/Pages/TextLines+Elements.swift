import Platform

/// The kinds of elements.
extension TextLines {
    /// An open inline element.
    struct Inline {
        let name: String
        var address: String?
        /// The words of a link without text.
        var label = ""
        /// The addresses of the images in a link.
        var images: [String] = []
        /// The offset of its marks; nil before its first letter, and after each line.
        var start: Int?
        /// Whether it has no marks from now on.
        var isDone = false
        /// The number of open elements with the same marks in it, which add none.
        var repeats = 0
    }

    /// Returns the line ends before and after an element: two for a paragraph; nil for an inline element.
    static func breaks(before name: String) -> Int? {
        if lines.contains(name) { return 1 }
        return paragraphs.contains(name) ? 2 : nil
    }

    static let lines: Set<String> = [
        "br", "li", "tr", "dt", "dd", "option", "figcaption", "caption", "legend",
    ]
    /// The blocks that HTML defines. Other elements, such as those that a page defines, are inline, as in a browser.
    static let paragraphs: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "dir", "div",
        "dl", "fieldset", "figure", "footer", "form", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head",
        "header", "hgroup", "hr", "html", "listing", "main", "menu", "nav", "noframes", "ol", "optgroup", "p",
        "plaintext", "pre", "search", "section", "summary", "table", "tbody", "tfoot", "thead", "title", "ul",
        "xmp",
    ]
    /// The blocks that have no marks in a cell.
    static let blocks: Set<String> = [
        "blockquote", "dir", "h1", "h2", "h3", "h4", "h5", "h6", "li", "menu", "ol", "pre", "ul",
    ]
    /// The marks around inline elements.
    static let marks = [
        "b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "del": "~~", "strike": "~~", "code": "`",
        "a": "[", "sup": "^(", "sub": "_(",
    ]

    static let emphases: Set = ["b", "strong", "i", "em", "s", "del", "strike"]

    /// Returns the language of code by its class, as HTML's specification recommends, or that of its element `code`.
    static func language(ofCode node: HTMLDocument.Node) -> String {
        let classes = ([node] + node.children.filter { $0.name == "code" }).compactMap { $0["class"] }
        for name in classes.lazy.flatMap({ $0.split(whereSeparator: \.isWhitespace) }) {
            guard let prefix = ["language-", "lang-"].first(where: name.hasPrefix) else { continue }
            let language = name.dropFirst(prefix.count)
            let isName = language.utf8.allSatisfy { $0.isASCIIAlphanumeric || "+#.-".utf8.contains($0) }
            if isName, 1...20 ~= language.count { return String(language) }
        }
        return ""
    }

    static func numbers(of list: HTMLDocument.Node) -> (next: Int, step: Int) {
        guard list["reversed"] != nil else { return (number(list["start"]) ?? 1, 1) }
        return (number(list["start"]) ?? list.children.count { $0.name == "li" }, -1)
    }

    static func number(_ text: String?) -> Int? {
        text.flatMap { Int($0) }.map { max(0, min($0, 1 << 20)) }
    }

    /// Returns a fence that is longer than the marks in its code.
    static func fence(for code: ArraySlice<UInt8>, min count: Int) -> [UInt8] {
        let longest = code.split { $0 != UInt8(ascii: "`") }.map(\.count).max() ?? 0
        let isFree = longest == 0 || longest < count
        return [UInt8](repeating: UInt8(ascii: "`"), count: isFree ? count : longest + 1)
    }

    /// A soft hyphen, and a space without width.
    private static let hidden: [[UInt8]] = [[0xC2, 0xAD], [0xE2, 0x80, 0x8B]]

    /// Returns the text for the first character, and its number of bytes; nil if the text contains the character itself.
    static func replaced(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> (text: String, count: Int)? {
        if let hidden = hidden.first(where: rest.starts(with:)) { return ("", hidden.count) }
        guard rest.first == 0xC2, let next = rest.dropFirst().first, next < 0xA0 else { return nil }
        // Of these, HTML reads some as Windows-1252, and the others are controls of a terminal.
        let repaired = HTMLText.repaired(String(decoding: [0xC2, next], as: UTF8.self))
        return (repaired.utf8.first == 0xC2 ? "" : repaired, 2)
    }

    /// The words for elements whose content is a file of its own.
    static let media = [
        "img": "image", "video": "video", "audio": "audio", "iframe": "frame", "frame": "frame",
        "object": "object",
        "embed": "object",
    ]
}
