import ClipsCore
import Terminal

/// The links on the screen.
extension Reader {
    /// Returns the URL at a line of the pane and a column of it.
    func link(line: Int, column: Int) -> String? {
        guard lines.indices.contains(line), let clip else { return nil }
        let shown = lines[line]
        let isOwnText = shown.part == .text || shown.part == .note
        let start = shown.label.isEmpty ? 0 : text?.indent ?? 0
        let offset = column - start + (isOwnText ? hiddenColumns : 0)
        guard offset >= 0, offset < DisplayWidth.columns(of: shown.text) else { return nil }
        if shown.part == .url {
            // The clip's own URL has no number.
            let block = lines[...line].reversed().prefix { $0.part == .url }
            return block.lazy.compactMap { Self.number(in: $0.text) }.first.flatMap(numberedLink) ?? clip.url
        }
        guard isOwnText else { return nil }
        var used = 0
        let before = shown.text.prefix { character in
            used += DisplayWidth.columns(of: character)
            return used <= offset
        }
        let word =
            before.reversed().prefix { $0 != " " && $0 != "<" }.reversed()
            + shown.text[before.endIndex...].prefix { $0 != " " && $0 != ">" }
        guard word.count > 2 else { return nil }
        // The number follows the URL, which may continue in the next lines.
        let rest =
            shown.text[before.endIndex...] + lines[(line + 1)...].prefix(8).map { " " + $0.text }.joined()
        guard let url = Self.number(in: String(rest)).flatMap(numberedLink) else { return nil }
        return url.contains(String(word)) || Self.number(in: String(word)) != nil ? url : nil
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
