import SearchIndex

/// A link of a line of Markdown.
struct MarkdownLink {
    var url = ""
    var title = ""
    /// The label of the URL's definition; nil for an inline link.
    var label: String?

    /// Returns the links of a line in order, and the words after the last one.
    static func all(in line: Substring) -> (links: [MarkdownLink], rest: String) {
        var links: [MarkdownLink] = []
        var scanner = MarkdownScanner(line)
        var end = 0
        while let link = scanner.next() {
            links.append(link)
            end = scanner.position
        }
        let separators: Set<Character> = ["-", "–", "—", ":", " ", "\t", "*", "|"]
        let rest = String(String.UnicodeScalarView(scanner.scalars[end...])).drop { separators.contains($0) }
        return (links, HTMLText.trimmed(plain(rest)))
    }

    /// `[label]: address "title"`
    static func definition(_ line: Substring) -> (label: String, link: MarkdownLink)? {
        var scanner = MarkdownScanner(line)
        guard scanner.current == "[", let label = scanner.bracketed(), !label.isEmpty, !label.hasPrefix("^"),
            scanner.current == ":"
        else { return nil }
        scanner.position += 1
        scanner.skipSpace()
        guard let url = scanner.address(), !url.isEmpty else { return nil }
        scanner.skipSpace()
        return (label, MarkdownLink(url: url, title: scanner.quoted() ?? ""))
    }

    /// Returns words without backslashes and entities.
    static func plain(_ text: some StringProtocol) -> String {
        guard text.contains("\\") || text.contains("&") else { return String(text) }
        var scalars = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.first, next.isASCII, UInt8(next.value).isPunctuation {
                scalars.append(next)
                rest.removeFirst()
            } else if scalar == "&",
                let (name, character) = entities.first(where: { rest.starts(with: $0.0.unicodeScalars) })
            {
                scalars.append(character)
                rest.removeFirst(name.unicodeScalars.count)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static let entities: [(String, Unicode.Scalar)] = [
        ("amp;", "&"), ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("nbsp;", "\u{A0}"), ("#39;", "'"),
    ]
}
