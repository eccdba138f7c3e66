/// A scanner of the links in a line of Markdown, which never goes back further than the words of a bracket.
struct MarkdownScanner {
    let scalars: [Unicode.Scalar]
    var position = 0
    /// The offsets of the last closing brackets, found once rather than for each opening one.
    private let lastBracket: Int
    private let lastParenthesis: Int

    /// Returns the words in brackets, which may be nested.
    private static let maxBracketLength = 4096
    private static let maxURLLength = 8192
    private static let deepestBracket = 32

    init(_ line: Substring) {
        scalars = Array(line.unicodeScalars)
        lastBracket = scalars.lastIndex(of: "]") ?? -1
        lastParenthesis = scalars.lastIndex(of: ")") ?? -1
    }

    var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func next() -> MarkdownLink? {
        while let scalar = current {
            switch scalar {
            case "\\": position += 2
            case "`": skipCode()
            case "!" where position + 1 < scalars.count && scalars[position + 1] == "[": skipImage()
            case "[": if let link = link() { return link }
            case "<": if let link = angled() { return link }
            case "h", "f", "m": if let link = bare() { return link }
            default: position += 1
            }
        }
        return nil
    }

    mutating func skipSpace() {
        while let scalar = current, scalar.properties.isWhitespace { position += 1 }
    }

    /// Returns the words between a bracket and its closing one; without one, does not advance.
    mutating func bracketed() -> String? {
        guard position < lastBracket else { return nil }
        var depth = 0
        var end = position
        let limit = min(scalars.count, position + Self.maxBracketLength)
        while end < limit {
            switch scalars[end] {
            case "\\": end += 1
            case "[": depth += 1
            case "]": depth -= 1
            default: break
            }
            end += 1
            if depth == 0 { break }
            if depth > Self.deepestBracket { return nil }
        }
        guard depth == 0, end <= limit, end > position + 1 else { return nil }
        defer { position = end }
        return MarkdownLink.plain(words(position + 1..<end - 1))
    }

    /// Returns a URL in angle brackets, or up to white space or the closing parenthesis.
    mutating func address() -> String? {
        if current == "<" {
            guard let end = scalars[position...].prefix(Self.maxURLLength).firstIndex(of: ">") else {
                return nil
            }
            defer { position = end + 1 }
            return MarkdownLink.plain(words(position + 1..<end))
        }
        var end = position
        var depth = 0
        let limit = min(scalars.count, position + Self.maxURLLength)
        while end < limit, !scalars[end].properties.isWhitespace {
            if scalars[end] == "\\" && end + 1 < scalars.count { end += 1 }
            if scalars[end] == "(" { depth += 1 }
            if scalars[end] == ")" {
                if depth == 0 { break }
                depth -= 1
            }
            end += 1
        }
        defer { position = end }
        return MarkdownLink.plain(words(position..<end))
    }

    mutating func quoted() -> String? {
        guard let mark = current, mark == "\"" || mark == "'" || mark == "(" else { return nil }
        let closing = mark == "(" ? ")" : mark
        guard let end = scalars[(position + 1)...].prefix(Self.maxBracketLength).firstIndex(of: closing)
        else {
            return nil
        }
        defer { position = end + 1 }
        return MarkdownLink.plain(words(position + 1..<end))
    }

    private func words(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(scalars[range]))
    }

    private mutating func skipCode() {
        let start = position
        while current == "`" { position += 1 }
        let count = position - start
        var (end, run) = (position, 0)
        while end < min(scalars.count, position + Self.maxBracketLength) {
            run = scalars[end] == "`" ? run + 1 : 0
            end += 1
            if run == count && (end == scalars.count || scalars[end] != "`") {
                position = end
                return
            }
        }
    }

    private mutating func skipImage() {
        position += 1
        guard bracketed() != nil else {
            position += 1
            return
        }
        if current == "(" {
            position += 1
            _ = address()
            skipSpace()
            _ = quoted()
            if current == ")" { position += 1 }
        }
    }

    private mutating func link() -> MarkdownLink? {
        let start = position
        let isImage = scalars[(start + 1)...].starts(with: "![".unicodeScalars)
        guard let title = bracketed() else {
            position = start + 1
            return nil
        }
        let end = position
        if current == "(" && position < lastParenthesis {
            position += 1
            skipSpace()
            if let url = address() {
                skipSpace()
                _ = quoted()
                skipSpace()
                if current == ")" {
                    position += 1
                    return MarkdownLink(
                        url: HTMLText.address(url), title: isImage ? Self.label(title) : title)
                }
            }
            position = start + 1
            return nil
        }
        if current == "[" {
            if position + 1 < scalars.count && scalars[position + 1] == "]" {
                position += 2
                return MarkdownLink(title: title, label: title)
            }
            if let label = bracketed() { return MarkdownLink(title: title, label: label) }
        }
        position = end
        return title.count > 1 ? MarkdownLink(title: title, label: title) : nil
    }

    /// The title of an image that is a link is its description.
    private static func label(_ title: String) -> String {
        guard title.hasPrefix("![") else { return title }
        return String(title.dropFirst(2).prefix { $0 != "]" })
    }

    private mutating func angled() -> MarkdownLink? {
        let start = position
        position += 1
        guard
            let end = scalars[position...].prefix(Self.maxURLLength).firstIndex(where: {
                $0 == ">" || $0 == "<" || $0 == " "
            }),
            scalars[end] == ">"
        else { return nil }
        let url = words(start + 1..<end)
        guard CSVColumns.isAddress(url) || url.hasPrefix("mailto:") else { return nil }
        position = end + 1
        return MarkdownLink(url: url)
    }

    /// Returns a bare URL, without punctuation at its end, which belongs to the sentence.
    private mutating func bare() -> MarkdownLink? {
        let isAtWord =
            position == 0 || !(scalars[position - 1].properties.isAlphabetic || scalars[position - 1] == "/")
        let known = ["https://", "http://", "ftp://"]
        guard isAtWord, known.contains(where: { scalars[position...].starts(with: $0.unicodeScalars) }) else {
            position += 1
            return nil
        }
        let start = position
        let ends: Set<Unicode.Scalar> = ["<", ">", "|", "\"", "`", "]"]
        while let scalar = current, !scalar.properties.isWhitespace, !ends.contains(scalar) { position += 1 }
        let trailing: Set<Unicode.Scalar> = [".", ",", ";", ":", "!", "?", "*", "_", "'"]
        while position > start, trailing.contains(scalars[position - 1]) { position -= 1 }
        if scalars[position - 1] == ")" && !scalars[start..<position].contains("(") { position -= 1 }
        return MarkdownLink(url: words(start..<position))
    }
}
