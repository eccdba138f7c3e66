import ClipsCore
import Terminal

/// The links on the screen.
extension Reader {
    /// Returns the URL at a line of the pane and a column of it.
    func link(line: Int, column: Int) -> String? {
        guard lines.indices.contains(line), let clip else { return nil }
        let shown = lines[line]
        let isOwnText = shown.part == .text || shown.part == .note
        let indent = shown.label.isEmpty ? 0 : text?.indent ?? 0
        let offset = column - indent + (isOwnText ? hiddenColumns : 0)
        guard offset >= 0, offset < DisplayWidth.columns(of: shown.text) else { return nil }
        if shown.part == .url || shown.part == .links {
            // The clip's own URL has no number.
            let block = lines[...line].reversed().prefix { $0.part == shown.part }
            return block.lazy.compactMap { Self.number(in: $0.text) }.first.flatMap(numberedLink) ?? clip.url
        }
        guard isOwnText else { return nil }
        let text = shown.text
        func columns(to end: String.Index) -> Int { DisplayWidth.columns(of: String(text[..<end])) }
        let number = text.matches(of: /\[([0-9]+)\]/).first(where: { match in
            (columns(to: match.range.lowerBound)..<columns(to: match.range.upperBound)).contains(offset)
        })
        if let number { return Int(number.output.1).flatMap(numberedLink) }
        // The number follows the words or the address, which may continue in the next lines.
        func link(from start: String.Index) -> String? {
            let rest = text[start...] + lines[(line + 1)...].prefix(8).map { " " + $0.text }.joined()
            return Self.number(in: String(rest)).flatMap(numberedLink)
        }
        let words = shown.emphasis.first { $0.isLink && $0.columns.contains(offset) }
        if let words {
            return text.indices.first { columns(to: $0) >= words.columns.lowerBound }.flatMap(link)
        }
        let end = text.indices.last { columns(to: $0) <= offset } ?? text.startIndex
        let start = text[...end].lastIndex { " <".contains($0) }.map(text.index(after:)) ?? text.startIndex
        guard start <= end else { return nil }
        let word = text[start...].prefix { !" >".contains($0) }
        return word.count > 2 ? link(from: start).flatMap { $0.contains(String(word)) ? $0 : nil } : nil
    }

    private func numberedLink(_ number: Int) -> String? {
        links.indices.contains(number - 1) ? links[number - 1] : nil
    }

    /// Returns the first number in brackets.
    private static func number(in text: String) -> Int? {
        text.split(separator: "[").lazy.compactMap { part in
            part.firstIndex(of: "]").flatMap { Int(part[..<$0]) }
        }.first
    }
}
