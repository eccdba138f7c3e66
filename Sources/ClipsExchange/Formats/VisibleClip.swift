import ClipsCore
import SearchIndex

/// The block quotes after a clip of an own Markdown file: its note, its text, and its quotes as readers of the file see
/// them. They may have edits that the comment of the clip does not have.
struct VisibleClip {
    /// The lines of each block, without marks and without spaces at their ends.
    private var blocks: [[String]] = []
    private var isOpen = false
    private var size = 0
    /// Whether the blocks exceed the limit, so that they were not read.
    private var isCut = false

    private static let mark = "  >"

    /// Returns whether a line belongs to the blocks.
    mutating func add(_ line: String, limit: Int) -> Bool {
        guard line.hasPrefix(Self.mark) else {
            isOpen = false
            return line.allSatisfy { $0 == " " || $0 == "\t" }
        }
        size += line.utf8.count
        isCut = isCut || size > limit
        guard !isCut else { return true }
        if !isOpen { blocks.append([]) }
        isOpen = true
        let words = line.dropFirst(Self.mark.count)
        blocks[blocks.count - 1].append(Self.trimmed(words.hasPrefix(" ") ? words.dropFirst() : words))
        return true
    }

    /// Changes a clip to the blocks. Returns whether all of them could be read.
    func apply(to draft: inout ClipDraft) -> Bool {
        guard !isCut else { return false }
        var rest = blocks[...]
        let (note, label) = (MarkdownWriter.lines(draft.note), Self.label(in: blocks.joined()))
        let text = MarkdownText.lines(draft.text, label: label)
        let quotes = draft.quotes.map { MarkdownWriter.lines($0, of: draft.url) }.filter(Self.isShown)
        let shown = ([note, text].filter(Self.isShown) + quotes).count
        if shown == 0, rest.count == 1 || rest.count == 2 {
            // Without values, the last one is the text.
            if rest.count == 2 { draft.note = Self.note(rest.removeFirst()[...]) }
            draft.text = Self.text(rest.removeFirst(), label)[...].joined(separator: "\n")
            return true
        }
        guard rest.count == shown else { return false }
        if Self.isShown(note) {
            let lines = draft.note.split { $0.isNewline }
            let edit = LineEdit(note.map(Self.trimmed), rest.removeFirst())
            let isCut = lines[edit.removed].contains { $0.unicodeScalars.count > MarkdownWriter.maxLine }
            guard !isCut else { return false }
            draft.note = edit.apply(to: draft.note, lines) { Self.note($0[edit.added]) }
        }
        if Self.isShown(text) {
            let lines = draft.text.split(omittingEmptySubsequences: false) { $0.isNewline }
            let edit = LineEdit(text.map(Self.trimmed), rest.removeFirst())
            draft.text = edit.apply(to: draft.text, lines) { block in
                Self.text(block, label)[edit.added].joined(separator: "\n")
            }
        }
        return zip(quotes, rest).allSatisfy { Self.words($0.map(Self.trimmed)) == Self.words($1) }
    }

    private static func isShown(_ lines: [String]) -> Bool { lines.contains { !$0.isEmpty } }

    private static func trimmed(_ line: some StringProtocol) -> String {
        var scalars = String(line).unicodeScalars[...]
        while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
        return String(scalars)
    }

    /// Returns the lines of a quote without its source, which changes with the URL of the clip.
    private static func words(_ lines: [String]) -> ArraySlice<String> {
        lines.last?.hasPrefix("— ") == true ? lines.dropLast(2) : lines[...]
    }

    /// Returns the word that begins the labels of the links, from the first definition.
    private static func label(in lines: some Sequence<String>) -> String {
        for line in lines {
            let words = line.drop { $0 == ">" || $0 == " " }
            guard words.first == "[" else { continue }
            let digits = words.dropFirst().drop { $0 == "^" }.prefix { $0.isASCII && $0.isNumber }
            if !digits.isEmpty, words[digits.endIndex...].first == "-", words.contains("]:") {
                return String(digits)
            }
        }
        return "0"
    }

    private static func note(_ lines: ArraySlice<String>) -> String {
        lines.map { MarkdownLink.plain($0) }.joined(separator: "\n")
    }

    /// Returns the lines of a text as they are in a clip, except those of code.
    private static func text(_ lines: [String], _ label: String) -> [String] {
        let code = TextCode.all(in: Array(lines.joined(separator: "\n").utf8)).filter { $0.lines != nil }
        var offset = 0
        return lines.map { line in
            defer { offset += line.utf8.count + 1 }
            guard !code.contains(where: { $0.range.contains(offset) }) else { return line }
            return line.replacing("[\(label)-", with: "[").replacing("[^\(label)-", with: "[^")
                .replacing("\\<", with: "<")
        }
    }
}

/// The lines that differ between what a text would show and a block.
private struct LineEdit {
    let removed: Range<Int>
    let added: Range<Int>
    private let block: [String]

    init(_ shown: [String], _ block: [String]) {
        let start = zip(shown, block).prefix { $0 == $1 }.count
        let ends = zip(shown[start...].reversed(), block[start...].reversed())
        let end = ends.prefix { $0 == $1 }.count
        removed = start..<shown.count - end
        added = start..<block.count - end
        self.block = block
    }

    /// Returns a text with the lines of the block that differ; the others have the values that they had.
    func apply(to text: String, _ lines: [Substring], _ words: ([String]) -> String) -> String {
        guard !removed.isEmpty || !added.isEmpty, lines.count >= removed.upperBound else { return text }
        var new = added.isEmpty ? "" : words(block)
        let (start, end): (String.Index, String.Index)
        if let first = lines[removed].first, let last = lines[removed].last {
            let next = removed.upperBound < lines.count ? lines[removed.upperBound].startIndex : nil
            let before = removed.lowerBound > 0 ? lines[removed.lowerBound - 1].endIndex : first.startIndex
            start = added.isEmpty && next == nil ? before : first.startIndex
            end = added.isEmpty ? next ?? last.endIndex : last.endIndex
        } else if removed.lowerBound < lines.count {
            (start, end) = (lines[removed.lowerBound].startIndex, lines[removed.lowerBound].startIndex)
            new += "\n"
        } else {
            (start, end) = (lines.last?.endIndex ?? text.endIndex, lines.last?.endIndex ?? text.endIndex)
            new = "\n" + new
        }
        return String(text[..<start]) + new + text[end...]
    }
}
