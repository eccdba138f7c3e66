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
        var property = Property()
        for line in lines {
            let text = line.trimmed
            let isInner = line.first == " " || line.first == "\t" || text.hasPrefix("- ")
            if !isInner, let colon = text.firstIndex(of: ":"), text.first != "#" {
                add(property)
                property = Property()
                property.name = Self.scalar(text[..<colon].trimmed).lowercased()
                let rest = text[text.index(after: colon)...].trimmed
                property.block = ["|", ">", "|-", ">-", "|+", ">+"].contains(rest) ? rest.first : nil
                if property.block == nil, !rest.isEmpty { property.lines = [rest] }
            } else if isInner {
                property.add(text)
            }
        }
        add(property)
    }

    private struct Property {
        var name = ""
        /// The first sign of a text of several lines, which says whether their ends are a part of it.
        var block: Character?
        var lines: [String] = []
        private var isList = false

        mutating func add(_ line: String) {
            if line.hasPrefix("- "), block == nil, isList || lines.isEmpty {
                isList = true
                lines.append(String(line.dropFirst(2)))
            } else if isList {
                lines[lines.count - 1] += " " + line
            } else {
                lines.append(line)
            }
        }

        var list: [String]? {
            isList ? lines.map(FrontMatter.scalar) : FrontMatter.list(lines.joined(separator: " "))
        }

        var text: String {
            let text = lines.joined(separator: block == "|" ? "\n" : " ")
            return block == nil ? FrontMatter.scalar(text) : text
        }
    }

    private mutating func add(_ property: Property) {
        let (list, text) = (property.list, property.text)
        guard !text.isEmpty, list?.isEmpty != true else { return }
        let name = property.name
        switch name == "source" ? .url : name == "author" ? .byline : ClipField(name: name) {
        case .tags?:
            let names = list ?? text.split(separator: text.contains(",") ? "," : " ").map { String($0) }
            let tags = names.flatMap { $0.split(separator: ",") }.map { tag -> String in
                String(tag.trimmed.drop { $0 == "#" })
            }
            fielded.addTags(tags.filter { !$0.isEmpty })
        case .byline?:
            // Obsidian links to a note of the author.
            let authors = list?.joined(separator: ", ") ?? text
            fielded.set(.byline, authors.filter { $0 != "[" && $0 != "]" })
        case let field?: fielded.set(field, list?.joined(separator: ", ") ?? text)
        case nil: unread.insert(name)
        }
    }

    /// `[a, "b"]`
    private static func list(_ text: String) -> [String]? {
        guard text.hasPrefix("["), text.hasSuffix("]"), !text.hasPrefix("[[") else { return nil }
        return text.dropFirst().dropLast().split(separator: ",").map { scalar($0.trimmed) }
    }

    private static func scalar(_ text: String) -> String {
        guard let mark = text.first, mark == "\"" || mark == "'", text.count > 1, text.last == mark else {
            return text
        }
        let inner = String(text.dropFirst().dropLast())
        if mark == "'" {
            return inner.split(separator: "''", omittingEmptySubsequences: false).joined(separator: "'")
        }
        return JSONParser.parse(Array(text.utf8)).value?.string ?? FieldedDraft.unescaped(inner)
    }
}
