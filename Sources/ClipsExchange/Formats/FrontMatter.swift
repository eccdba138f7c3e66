import ClipsCore

/// The properties between lines of three hyphens at the beginning of a Markdown file, a subset of YAML: texts, lists,
/// and texts of several lines.
struct FrontMatter {
    private(set) var fielded = FieldedDraft()
    private(set) var unread = UnreadFields()

    static let mark = "---"
    /// The maximum number of lines.
    static let maxLines = 1000

    /// Whether a text begins with properties.
    static func begins(_ text: Substring) -> Bool {
        let lines = text.split(maxSplits: 2, omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.count > 2 && lines[0] == mark && (lines[1].contains(":") || lines[1].hasPrefix("#"))
    }

    init(_ lines: some Sequence<String>) {
        var (name, values, isBlock): (String, [String], Bool) = ("", [], false)
        for line in lines {
            let text = HTMLText.trimmed(line)
            let isInner = line.first == " " || line.first == "\t" || text.hasPrefix("- ")
            if !isInner, let colon = text.firstIndex(of: ":"), text.first != "#" {
                add(name, values, isBlock: isBlock)
                name = text[..<colon].lowercased()
                let rest = HTMLText.trimmed(String(text[text.index(after: colon)...]))
                isBlock = ["|", ">", "|-", ">-", "|+", ">+"].contains(rest)
                values = rest.isEmpty || isBlock ? [] : Self.list(rest) ?? [Self.scalar(rest)]
            } else if isInner {
                values.append(
                    Self.scalar(text.hasPrefix("- ") && !isBlock ? String(text.dropFirst(2)) : text))
            }
        }
        add(name, values, isBlock: isBlock)
    }

    private mutating func add(_ name: String, _ values: [String], isBlock: Bool) {
        let values = values.filter { !$0.isEmpty }
        guard !values.isEmpty else { return }
        switch name == "source" ? .url : name == "author" ? .byline : ClipField(name: name) {
        case .tags?:
            let isList = values.count > 1 || values[0].contains(",")
            let names = isList ? values : values[0].split(separator: " ").map { String($0) }
            fielded.addTags(
                names.flatMap { $0.split(separator: ",") }.map { HTMLText.trimmed($0.filter { $0 != "#" }) })
        case .byline?:
            // Obsidian links to a note of the author.
            fielded.set(.byline, values.joined(separator: ", ").filter { $0 != "[" && $0 != "]" })
        case let field?: fielded.set(field, values.joined(separator: isBlock ? "\n" : ", "))
        case nil: unread.insert(name)
        }
    }

    /// `[a, "b"]`
    private static func list(_ text: String) -> [String]? {
        guard text.hasPrefix("["), text.hasSuffix("]"), !text.hasPrefix("[[") else { return nil }
        return text.dropFirst().dropLast().split(separator: ",").map { scalar(HTMLText.trimmed(String($0))) }
    }

    private static func scalar(_ text: String) -> String {
        guard let mark = text.first, mark == "\"" || mark == "'", text.count > 1, text.last == mark else {
            return text
        }
        let inner = String(text.dropFirst().dropLast())
        if mark == "'" {
            return inner.split(separator: "''", omittingEmptySubsequences: false).joined(separator: "'")
        }
        return JSONParser.parse(Array(text.utf8)).value?.string ?? inner
    }
}
