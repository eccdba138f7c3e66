import Platform

/// The signs that a text is an HTML page or a part of one, and not a text with names in angle brackets.
struct PageSigns {
    private var rest: ArraySlice<UInt8>

    /// Whether a text begins with a declaration or an element of a page, or with another complete element of HTML.
    static func areIn(_ text: [UInt8]) -> Bool {
        var signs = PageSigns(rest: text[...])
        return signs.arePresent
    }

    private var arePresent: Bool {
        mutating get {
            if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
            var isXML = false
            while true {
                rest = rest.drop(while: Self.isSpace)
                if begins("<!--") {
                    guard skip("-->") else { return false }
                } else if begins("<?xml") {
                    isXML = true
                    guard skip("?>") else { return false }
                } else if begins("<!doctype") {
                    rest = rest.dropFirst(9).drop(while: Self.isSpace)
                    return begins("html") || begins("netscape")
                } else {
                    let start = rest
                    guard let name = nextName(), let byte = rest.first else { return false }
                    if Self.roots.contains(name) { return Self.isSpace(byte) || byte == 0x2F || byte == 0x3E }
                    guard !isXML, Self.elements.contains(name) || Self.skipped.contains(name),
                        skipAttributes()
                    else { return false }
                    // These contain no text of a page, and a component of a program begins with them.
                    if Self.skipped.contains(name) {
                        guard skip("</\(name)"), skip(">") else { return false }
                        continue
                    }
                    return isComplete(name) && !Self.isScript(start)
                }
            }
        }
    }

    /// Whether an element has an end, or needs none.
    private func isComplete(_ name: String) -> Bool {
        if Self.void.contains(name) { return true }
        var signs = self
        while signs.skipToTag() {
            let isEnd = signs.rest.dropFirst().first == 0x2F
            if isEnd { signs.rest = signs.rest.dropFirst() }
            guard let found = signs.nextName(), signs.skipAttributes() else { continue }
            if isEnd ? found == name : Self.open.contains(name) && Self.isElement(found) { return true }
        }
        return false
    }

    /// Whether the tags have attributes that only a program has: `className=` and `={`.
    private static func isScript(_ text: ArraySlice<UInt8>) -> Bool {
        var signs = PageSigns(rest: text)
        while signs.skipToTag() {
            guard let name = signs.nextName() else { continue }
            var quote: UInt8?
            var last: UInt8 = 0
            while let byte = signs.rest.first, quote != nil || byte != 0x3E {
                if let open = quote {
                    if byte == open { quote = nil }
                } else if last == 0x3D && byte == 0x7B || isSpace(last) && signs.begins("classname=") {
                    return true
                } else if last == 0x3D, byte == 0x22 || byte == 0x27 {
                    quote = byte
                }
                last = byte
                signs.rest = signs.rest.dropFirst()
            }
            if name == "script" || name == "style" { _ = signs.skip("</\(name)") }
        }
        return false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
    private static func isElement(_ name: String) -> Bool {
        elements.contains(name) || roots.contains(name) || skipped.contains(name)
    }

    /// Whether the rest begins with a word in lower case.
    private func begins(_ word: String) -> Bool {
        rest.prefix(word.utf8.count).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }.elementsEqual(word.utf8)
    }

    /// Drops what is before a mark, and the mark; false if there is none.
    private mutating func skip(_ mark: String) -> Bool {
        let first = mark.utf8.first
        while let index = rest.firstIndex(where: { $0 == first }) {
            rest = rest[index...]
            if begins(mark) {
                rest = rest.dropFirst(mark.utf8.count)
                return true
            }
            rest = rest.dropFirst()
        }
        return false
    }

    private mutating func skipToTag() -> Bool {
        guard let index = rest.firstIndex(of: 0x3C) else { return false }
        rest = rest[index...]
        return true
    }

    /// Drops the first byte, and the name after it; nil if it is not the beginning of a tag.
    private mutating func nextName() -> String? {
        let isTag = rest.first == 0x3C || rest.first == 0x2F
        guard isTag else { return nil }
        rest = rest.dropFirst()
        guard let byte = rest.first, byte.isASCIILetter else { return nil }
        let name = rest.prefix { $0.isASCIIAlphanumeric || $0 == 0x3A || $0 == 0x2D }.prefix(64)
        rest = rest.dropFirst(name.count)
        return String(decoding: name, as: UTF8.self).lowercased()
    }

    /// Drops the attributes of HTML's form and the end of a tag; false if they are not of this form.
    private mutating func skipAttributes() -> Bool {
        while true {
            let spaces = rest.prefix(while: Self.isSpace).count
            rest = rest.dropFirst(spaces)
            guard let byte = rest.first else { return false }
            if byte == 0x3E || byte == 0x2F {
                if byte == 0x2F, rest.dropFirst().first != 0x3E { return false }
                rest = rest.dropFirst(byte == 0x2F ? 2 : 1)
                return true
            }
            guard spaces > 0, byte.isASCIILetter || byte == 0x5F || byte == 0x3A || byte == 0x40 else {
                return false
            }
            rest = rest.drop { !Self.isSpace($0) && !"\"'<>/=".utf8.contains($0) }
            let value = rest.drop(while: Self.isSpace)
            guard value.first == 0x3D else { continue }
            rest = value.dropFirst().drop(while: Self.isSpace)
            if let quote = rest.first, quote == 0x22 || quote == 0x27 {
                guard let end = rest.dropFirst().firstIndex(of: quote) else { return false }
                rest = rest[(end + 1)...]
                // Two attributes without a space between them are an error that browsers repair.
                if let byte = rest.first, !Self.isSpace(byte), byte != 0x3E, byte != 0x2F { return false }
            } else {
                rest = rest.drop { !Self.isSpace($0) && $0 != 0x3E && $0 != 0x3C }
            }
        }
    }

    private static let roots: Set = ["html", "head", "body"]
    private static let skipped: Set = ["script", "style", "template"]
    private static let void: Set = ["meta", "link", "base", "br", "hr", "img", "input", "wbr"]
    /// The elements that end where another one begins.
    private static let open: Set = ["p", "li", "td", "th", "tr", "option", "dt", "dd"]
    /// The first elements of parts of pages.
    private static let elements: Set = void.union(open).union([
        "title", "dl", "a", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "div", "span", "table", "thead",
        "tbody", "b", "i", "u", "s", "em", "strong", "main", "article", "section", "nav", "header", "footer",
        "center", "font", "pre", "blockquote", "noscript", "iframe", "form", "aside", "figure", "code",
        "small",
        "video", "audio", "details", "summary", "picture", "q", "cite", "mark", "del", "ins", "sub", "sup",
        "select", "address", "abbr", "kbd", "samp", "var", "time", "label", "button", "svg", "object",
    ])
}
