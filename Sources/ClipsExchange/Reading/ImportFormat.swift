import ClipsCore

/// A file format that can be imported.
package enum ImportFormat: String, CaseIterable, Sendable {
    /// The bookmark exports of browsers and services, and any page with links.
    case html
    /// One document: the backups of Firefox, the bookmarks of Chromium, the lists of services.
    case json
    /// One object per line.
    case jsonl
    case csv
    /// OPML, XBEL, and the posts of Pinboard, Delicious, and Scuttle.
    case xml
    case markdown
    /// The feeds of newsboat's file `urls`.
    case newsboat
    /// Firefox's `places.sqlite`.
    case places
    /// Safari's `Bookmarks.plist`, binary or XML.
    case plist
    case ris
    case bibtex
    /// A Kindle's `My Clippings.txt`.
    case kindle
    /// URLs, one per line, and blocks of text. OneTab separates titles by vertical lines.
    case text

    package init?(name: String) {
        switch name.lowercased() {
        case "md": self = .markdown
        case "txt": self = .text
        case "htm": self = .html
        case "tsv": self = .csv
        case "opml", "xbel": self = .xml
        case "bib": self = .bibtex
        case "sqlite": self = .places
        case let name: self.init(rawValue: name)
        }
    }
}

extension ImportFormat {
    /// Returns the format of a file according to its beginning and its name.
    static func detect(_ beginning: String, fileName: String) -> ImportFormat {
        let suffix = fileName.lastIndex(of: ".").map { String(fileName[$0...].dropFirst()) } ?? ""
        let named = ImportFormat(name: suffix)
        let text = beginning.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        switch text.first {
        case "<":
            if let markup = markup(text), markup == .xml || named != .markdown { return markup }
        case "{": return isJSONLines(text) ? .jsonl : .json
        case "[" where named != .markdown && isJSONList(text): return .json
        default: break
        }
        if let named, ![.jsonl, .text, .places, .plist].contains(named), named != .xml || text.first == "<" {
            return named
        }
        if FrontMatter.begins(text) { return .markdown }
        if RISReader.understands(text) { return .ris }
        if BibTeX.understands(text) { return .bibtex }
        if KindleReader.understands(text) { return .kindle }
        if named == .text { return .text }
        if NewsboatReader.understands(text, fileName: fileName) { return .newsboat }
        let line = text.prefix { !$0.isNewline }
        if CSVColumns.understands(header: String(line)) { return .csv }
        return text.contains("](") || line.hasPrefix("#") ? .markdown : .text
    }

    /// Whether a text begins as an XML document that is not a page.
    static func isXML(_ beginning: String) -> Bool {
        markup(beginning.drop { $0.isWhitespace || $0 == "\u{FEFF}" }) == .xml
    }

    /// Whether a text begins as a property list.
    static func isPlist(_ beginning: String) -> Bool {
        isXML(beginning) && beginning.prefix(1 << 10).contains("<plist")
    }

    /// Whether a text begins as an HTML page or a part of one.
    static func isPage(_ beginning: String) -> Bool {
        markup(beginning.drop { $0.isWhitespace || $0 == "\u{FEFF}" }) == .html
    }

    /// Returns HTML or XML according to the first element; nil if the text does not begin with one.
    private static func markup(_ text: Substring) -> ImportFormat? {
        var rest = text
        var isDeclared = false
        while true {
            rest = rest.drop { $0.isWhitespace }
            let lower = rest.prefix(64).lowercased()
            if lower.hasPrefix("<!--") {
                guard let end = rest.firstRange(of: "-->") else { return .html }
                rest = rest[end.upperBound...]
            } else if lower.hasPrefix("<?xml") {
                isDeclared = true
                guard let end = rest.firstRange(of: "?>") else { return .xml }
                rest = rest[end.upperBound...]
            } else if lower.hasPrefix("<!doctype") {
                let name = lower.dropFirst(9).drop { $0.isWhitespace }
                return name.hasPrefix("html") || name.hasPrefix("netscape") ? .html : .xml
            } else {
                guard rest.first == "<", rest.dropFirst().first?.isLetter == true else {
                    return isDeclared ? .xml : nil
                }
                let name = lower.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == ":" || $0 == "-" }
                return pages.contains(String(name)) ? .html : .xml
            }
        }
    }

    /// The first elements of pages, and of parts of pages.
    private static let pages: Set<String> = [
        "html", "head", "meta", "title", "link", "base", "script", "style", "body", "dl", "dt", "dd", "a",
        "h1", "h2",
        "h3", "h4", "h5", "h6", "ul", "ol", "li", "p", "div", "span", "table", "tr", "td", "br", "hr", "img",
        "b", "i",
        "em", "strong", "main", "article", "section", "nav", "header", "footer", "center", "font", "pre",
        "blockquote", "noscript", "template", "iframe", "form", "aside", "figure", "code", "small", "video",
    ]

    /// Whether a text is a JSON list and not Markdown that begins with a link.
    private static func isJSONList(_ text: Substring) -> Bool {
        let second = text.dropFirst().first { !$0.isWhitespace }
        if second == "{" { return true }
        return second != nil && JSONParser.parse(Array(text.utf8)).problem == nil
    }

    private static func isJSONLines(_ text: Substring) -> Bool {
        let lines = text.utf8.prefix(1 << 16).split(separator: UInt8(ascii: "\n"), maxSplits: 2)
        guard let first = lines.first else { return false }
        // Even truncated, the first members distinguish a record from a document of records.
        let parsed = JSONParser.parse(Array(first))
        guard case .object(let members)? = parsed.value, !isDocument(members) else { return false }
        // One line, truncated here, is a clip with a long text.
        if parsed.problem == nil && lines.count == 1 { return isRecord(members) }
        guard parsed.problem != nil, lines.count > 1 else { return true }
        // A line that is not JSON by itself may be damaged, or the beginning of a document.
        let second = JSONParser.parse(Array(lines[1]))
        return second.problem == nil && second.value?.isObject == true
    }

    /// Whether an object has a URL or a text of its own, or is a clip of this program.
    private static func isRecord(_ members: [String: JSONValue]) -> Bool {
        members.contains { name, value in
            let field = ClipField(name: name)
            return name == "uuid" || (field == .url || field == .text) && value.string != nil
        }
    }

    /// Whether an object holds records, and is not one: a tree, or lists of objects, or objects by their IDs.
    private static func isDocument(_ members: [String: JSONValue]) -> Bool {
        if members["roots"] != nil || members["children"] != nil { return true }
        if ["url", "href", "text"].contains(where: { members[$0]?.string != nil }) { return false }
        return members.contains { name, value in
            guard ClipField(name: name) != .tags else { return false }
            if let values = value.array { return values.first?.isObject ?? (members.count == 1) }
            guard case .object(let inner) = value else { return false }
            return !inner.isEmpty && inner.values.allSatisfy(\.isObject)
        }
    }
}
