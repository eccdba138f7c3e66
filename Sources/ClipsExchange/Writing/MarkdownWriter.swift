import ClipsCore

/// A clip as a list item with a link, the other values in a comment, and its note, text, and quotes as block quotes for
/// readers of the file.
enum MarkdownWriter {
    /// The scalars that are written of a line of a note.
    static let maxLine = 2048

    static func line(_ clip: Clip) -> String {
        var carried: Set<ClipAttribute> = []
        let isLink =
            PlainWords.isLine(clip.url) && !clip.url.contains { " <>\\".contains($0) || $0.isWhitespace }
            && clip.url.utf8.count < 4096
        let hasTitle = PlainWords.isLine(clip.title) && clip.title.utf8.count < 2048
        if isLink { carried.insert(.url) }
        if isLink && hasTitle { carried.insert(.title) }
        let title = words(hasTitle ? clip.title : clip.displayTitle)
        let visible = isLink ? "[\(title)](<\(address(clip.url))>)" : "**\(title)**"
        // The text can neither begin nor end a comment.
        let rest = ClipRecord(clip).remainder(carried: carried).replacing(">", with: "\\u003e")
            .replacing("<", with: "\\u003c")
        return "- \(visible) \(OwnMarkdownLine.opening)\(rest)\(OwnMarkdownLine.closing)\n"
            + block(lines(clip.note))
            + block(MarkdownText.lines(clip.text, label: String(clip.id)))
            + clip.quotes.map { block(lines($0, of: clip.url)) }.joined()
    }

    /// A block quote of the list item, of which ``VisibleClip`` reads the edits: the comment has the words as they are.
    private static func block(_ lines: [String]) -> String {
        guard lines.contains(where: { !$0.isEmpty }) else { return "" }
        return "\n" + lines.map { $0.isEmpty ? "  >\n" : "  > \($0)\n" }.joined() + "\n"
    }

    static func lines(_ quote: Quote, of url: String) -> [String] {
        let source = url.isEmpty ? [] : ["", "— \(words(url))"]
        let note = quote.note.isEmpty ? [] : [""] + lines(quote.note)
        return lines(quote.text) + note + source
    }

    /// An ampersand is a character reference only where a name and a semicolon follow.
    private static func address(_ url: String) -> String {
        let parts = url.split(separator: "&", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts.first ?? "")) { address, part in
            let name = part.prefix { $0.isLetter || $0.isNumber || $0 == "#" }
            let isReference = !name.isEmpty && part.dropFirst(name.count).first == ";"
            return address + (isReference ? "&amp;" : "&") + part
        }
    }

    /// Returns the lines of a text without structure, which remain lines because of the spaces at their ends.
    static func lines(_ text: String) -> [String] {
        let lines = text.split { $0.isNewline }.map(line)
        return lines.dropLast().map { $0 + MarkdownText.lineEnd } + lines.suffix(1)
    }

    /// Returns a line of a text without structure, which begins neither a heading nor an item.
    private static func line(_ text: Substring) -> String {
        let words = words(String(text))
        let number = words.prefix { $0.isASCII && $0.isNumber }
        let mark = number.endIndex
        guard mark < words.endIndex, (number.isEmpty ? "#+-=~" : ".)").contains(words[mark]) else {
            return words
        }
        return number + "\\" + words[mark...]
    }

    private static func words(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars.prefix(maxLine) {
            if scalar.value < 0x20 {
                escaped += " "
                continue
            }
            if "\\[]<>&`*_!".unicodeScalars.contains(scalar) { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }
}
