import ClipsCore
import ClipsTerminal
import FoundationEssentials
import Platform
import Terminal

/// Clips as rows on a terminal, with the columns of the app.
struct ClipTable {
    let columns: Int
    private let hasColor: Bool
    private let now = Date()
    /// The widths of the columns; nil without room.
    private let title: Int
    /// The cells after the titles that the next column will have.
    private let slack: Int
    private let site: Int?
    private let tags: Int?
    private let author: Int?
    private let age: Int?
    private let id: Int

    /// - Parameter id: The greatest ID.
    init(columns: Int, id: Int64, hasColor: Bool) {
        self.columns = columns
        self.hasColor = hasColor
        self.id = String(id).count
        // ID, a space, the marks, and a space precede the title.
        var (left, slack, widths) = (columns - self.id - 4, 0, [Int]())
        // A title is no narrower than on a narrower terminal: it waits for the room of the next column.
        for (width, minTitle) in zip([6, 11, 14, 11], [24, 30, 34, 44]) {
            guard left - width - 1 >= minTitle else {
                slack = max(0, left - minTitle)
                left -= slack
                break
            }
            left -= width + 1
            widths.append(width)
        }
        age = widths.first
        author = widths.count > 3 ? widths[3] : nil
        // One of them grows by a cell at a time, and the title by two of four.
        let spare = max(0, left - 60)
        let (moreTags, moreSite) = (min(9, spare / 4), min(12, (spare + 2) / 4))
        tags = widths.count > 1 ? widths[1] + moreTags : nil
        site = widths.count > 2 ? widths[2] + moreSite : nil
        title = max(8, left - moreTags - moreSite)
        self.slack = widths.isEmpty ? 0 : slack
    }

    /// The column of the titles.
    var indent: Int { id + 4 }

    /// - Parameter matches: Returns the matches of a search in a title.
    func line(_ clip: Clip, matches: (String) -> [Range<String.Index>] = { _ in [] }) -> String {
        var line = styled(right(String(clip.id), id), "33") + " "
        line += styled(clip.isUnread ? "•" : " ", "1") + styled(clip.isStarred ? "*" : " ", "1;33") + " "
        let shown = clip.displayTitle == clip.url ? ReadableURL.text(clip.url) : clip.displayTitle
        var cells = [
            site.map { ($0, ReadableURL.host(ClipRow.site(of: clip.url)), "36") },
            tags.map { ($0, clip.tags.map { "#" + $0 }.joined(separator: " "), "32") },
            author.map { ($0, AuthorName.shown(clip.author, inColumn: $0), "2") },
        ].compactMap { $0 }
        // A title has the cells of the columns that are empty in its row, up to the next one.
        let empty = cells.prefix { $0.1.isEmpty }
        let title = empty.reduce(title) { $0 + 1 + $1.0 }
        cells.removeFirst(empty.count)
        let name = SafeText.cut(
            (clip.link?.sign ?? "") + shown.drop { $0.isWhitespace }, to: title)
        let (style, matchStyle) = clip.isUnread ? ("1", "1;4") : (nil, "1")
        var from = name.startIndex
        for range in matches(name) {
            line +=
                styled(String(name[from..<range.lowerBound]), style) + styled(String(name[range]), matchStyle)
            from = range.upperBound
        }
        line +=
            styled(String(name[from...]), style) + padded("", title + slack - DisplayWidth.columns(of: name))
        for (width, text, style) in cells { line += " " + styled(cell(text, width), style) }
        if let age { line += " " + styled(right(Age(of: clip.created, at: now).text, age), "2") }
        return line
    }

    private func styled(_ text: String, _ style: String?) -> String {
        guard hasColor, let style, text.contains(where: { $0 != " " }) else { return text }
        return "\u{1B}[\(style)m\(text)\u{1B}[0m"
    }

    private func cell(_ text: String, _ width: Int) -> String { padded(SafeText.cut(text, to: width), width) }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - DisplayWidth.columns(of: text)))
    }

    private func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension Invocation {
    /// Whether results on standard output have colors.
    var usesColor: Bool {
        switch try? colorChoice() {
        case .never: false
        case .always, .sixteen: true
        default: output.isTerminal && Environment.variable("NO_COLOR") == nil
        }
    }

    /// The lines of clips: JSON, a table on a terminal, or plain lines for other programs.
    func clipLines(of store: ClipStore) async throws -> ClipLines {
        try await clipTable(of: store).map(ClipLines.init(table:)) ?? ClipLines(isJSON: isJSON)
    }

    /// The columns of clips on a terminal; nil for other programs.
    func clipTable(of store: ClipStore) async throws -> ClipTable? {
        guard !isJSON, output.isTerminal else { return nil }
        let newest = try await store.newestID()
        // Some terminals do not know their size.
        let columns = Size.ofTerminal(output.descriptor)?.columns ?? 80
        return ClipTable(columns: columns, id: newest, hasColor: usesColor)
    }
}
