/// A scanner of the links in a line of Markdown, which never goes back further than the words of a bracket.
struct MarkdownScanner {
    let scalars: [Unicode.Scalar]
    var place = 0
    /// The offsets of the last closing brackets, found once rather than for each opening one.
    private let lastBracket: Int
    private let lastParenthesis: Int

    /// Returns the words in brackets, which may be nested.
    private static let longestBracket = 4096
    private static let longestAddress = 8192
    private static let deepestBracket = 32

    init(_ line: Substring) {
        scalars = Array(line.unicodeScalars)
        lastBracket = scalars.lastIndex(of: "]") ?? -1
        lastParenthesis = scalars.lastIndex(of: ")") ?? -1
    }

    var current: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    mutating func next() -> MarkdownLink? {
        while let scalar = current {
            switch scalar {
            case "\\": place += 2
            case "`": skipCode()
            case "!" where place + 1 < scalars.count && scalars[place + 1] == "[": skipImage()
            case "[": if let link = link() { return link }
            case "<": if let link = angled() { return link }
            case "h", "f", "m": if let link = bare() { return link }
            default: place += 1
            }
        }
        return nil
    }

    mutating func skipSpace() {
        while let scalar = current, scalar.properties.isWhitespace { place += 1 }
    }

    /// Returns the words between a bracket and its closing one; without one, does not advance.
    mutating func bracketed() -> String? {
        guard place < lastBracket else { return nil }
        var depth = 0
        var end = place
        let limit = min(scalars.count, place + Self.longestBracket)
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
        guard depth == 0, end <= limit, end > place + 1 else { return nil }
        defer { place = end }
        return MarkdownLink.plain(words(place + 1..<end - 1))
    }

    /// Returns a URL in angle brackets, or up to white space or the closing parenthesis.
    mutating func address() -> String? {
        if current == "<" {
            guard let end = scalars[place...].prefix(Self.longestAddress).firstIndex(of: ">") else {
                return nil
            }
            defer { place = end + 1 }
            return MarkdownLink.plain(words(place + 1..<end))
        }
        var end = place
        var depth = 0
        let limit = min(scalars.count, place + Self.longestAddress)
        while end < limit, !scalars[end].properties.isWhitespace {
            if scalars[end] == "\\" && end + 1 < scalars.count { end += 1 }
            if scalars[end] == "(" { depth += 1 }
            if scalars[end] == ")" {
                if depth == 0 { break }
                depth -= 1
            }
            end += 1
        }
        defer { place = end }
        return MarkdownLink.plain(words(place..<end))
    }

    mutating func quoted() -> String? {
        guard let mark = current, mark == "\"" || mark == "'" || mark == "(" else { return nil }
        let closing = mark == "(" ? ")" : mark
        guard let end = scalars[(place + 1)...].prefix(Self.longestBracket).firstIndex(of: closing) else {
            return nil
        }
        defer { place = end + 1 }
        return MarkdownLink.plain(words(place + 1..<end))
    }

    private func words(_ range: Range<Int>) -> String {
        String(String.UnicodeScalarView(scalars[range]))
    }

    private mutating func skipCode() {
        let start = place
        while current == "`" { place += 1 }
        let count = place - start
        var (end, run) = (place, 0)
        while end < min(scalars.count, place + Self.longestBracket) {
            run = scalars[end] == "`" ? run + 1 : 0
            end += 1
            if run == count && (end == scalars.count || scalars[end] != "`") {
                place = end
                return
            }
        }
    }

    private mutating func skipImage() {
        place += 1
        guard bracketed() != nil else {
            place += 1
            return
        }
        if current == "(" {
            place += 1
            _ = address()
            skipSpace()
            _ = quoted()
            if current == ")" { place += 1 }
        }
    }

    private mutating func link() -> MarkdownLink? {
        let start = place
        guard let title = bracketed() else {
            place = start + 1
            return nil
        }
        let end = place
        if current == "(" && place < lastParenthesis {
            place += 1
            skipSpace()
            if let url = address() {
                skipSpace()
                _ = quoted()
                skipSpace()
                if current == ")" {
                    place += 1
                    return MarkdownLink(url: HTMLText.address(url), title: Self.label(title))
                }
            }
            place = start + 1
            return nil
        }
        if current == "[" {
            if place + 1 < scalars.count && scalars[place + 1] == "]" {
                place += 2
                return MarkdownLink(title: title, label: title)
            }
            if let label = bracketed() { return MarkdownLink(title: title, label: label) }
        }
        place = end
        return title.count > 1 ? MarkdownLink(title: title, label: title) : nil
    }

    /// The title of an image that is a link is its description.
    private static func label(_ title: String) -> String {
        guard title.hasPrefix("![") else { return title }
        return String(title.dropFirst(2).prefix { $0 != "]" })
    }

    private mutating func angled() -> MarkdownLink? {
        let start = place
        place += 1
        guard
            let end = scalars[place...].prefix(Self.longestAddress).firstIndex(where: {
                $0 == ">" || $0 == "<" || $0 == " "
            }),
            scalars[end] == ">"
        else { return nil }
        let url = words(start + 1..<end)
        guard CSVColumns.isAddress(url) || url.hasPrefix("mailto:") else { return nil }
        place = end + 1
        return MarkdownLink(url: url)
    }

    /// Returns a bare URL, without punctuation at its end, which belongs to the sentence.
    private mutating func bare() -> MarkdownLink? {
        let isAtWord =
            place == 0 || !(scalars[place - 1].properties.isAlphabetic || scalars[place - 1] == "/")
        let known = ["https://", "http://", "ftp://"]
        guard isAtWord, known.contains(where: { scalars[place...].starts(with: $0.unicodeScalars) }) else {
            place += 1
            return nil
        }
        let start = place
        let ends: Set<Unicode.Scalar> = ["<", ">", "|", "\"", "`", "]"]
        while let scalar = current, !scalar.properties.isWhitespace, !ends.contains(scalar) { place += 1 }
        let trailing: Set<Unicode.Scalar> = [".", ",", ";", ":", "!", "?", "*", "_", "'"]
        while place > start, trailing.contains(scalars[place - 1]) { place -= 1 }
        if scalars[place - 1] == ")" && !scalars[start..<place].contains("(") { place -= 1 }
        return MarkdownLink(url: words(start..<place))
    }
}
