/// The forms that files are read in.
package enum ImportFormat: String, CaseIterable, Sendable {
    /// Bookmarks as browsers and services export them, and any page with links.
    case html
    /// One document: the backups of Firefox, the bookmarks of Chromium, the lists of services.
    case json
    /// One object a line.
    case jsonl
    case csv
    case markdown
    /// Addresses a line each, and blocks of text.
    case text

    package init?(name: String) {
        switch name.lowercased() {
        case "md": self = .markdown
        case "txt": self = .text
        case "htm": self = .html
        case "tsv": self = .csv
        case let name: self.init(rawValue: name)
        }
    }
}

extension ImportFormat {
    /// What a file is, by how it begins and what it is called.
    static func detect(_ beginning: String, fileName: String) -> ImportFormat {
        let suffix = fileName.lastIndex(of: ".").map { String(fileName[$0...].dropFirst()) } ?? ""
        let named = ImportFormat(name: suffix)
        let text = beginning.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        switch text.first {
        case "<" where named != .markdown && isHTML(text): return .html
        case "{": return isJSONLines(text) ? .jsonl : .json
        case "[":
            let second = text.dropFirst().first { !$0.isWhitespace }
            if second == "{" || second == "]" && named != .markdown { return .json }
        default: break
        }
        if let named, named != .json, named != .jsonl { return named }
        let line = text.prefix { !$0.isNewline }
        if CSVColumns.understands(header: String(line)) { return .csv }
        return text.contains("](") || line.hasPrefix("#") ? .markdown : .text
    }

    private static func isHTML(_ text: Substring) -> Bool {
        let lower = text.prefix(4096).lowercased()
        return [
            "<!doctype", "<html", "<meta", "<title", "<dl", "<dt", "<a ", "<h1", "<body", "<!--", "<ul",
            "<head",
        ]
        .contains { lower.hasPrefix($0) }
    }

    private static func isJSONLines(_ text: Substring) -> Bool {
        let lines = text.utf8.prefix(1 << 16).split(separator: UInt8(ascii: "\n"), maxSplits: 2)
        guard let first = lines.first else { return false }
        let parsed = JSONParser.parse(Array(first))
        if parsed.problem == nil { return parsed.value?["roots"] == nil && parsed.value?["children"] == nil }
        let isTree = text.contains("\"children\"") || text.contains("\"roots\"")
        // One line that goes on for long is a clip with a long text.
        return !isTree && (lines.count == 1 || lines[1].first == UInt8(ascii: "{"))
    }
}
