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
    /// The column of the list's left edge, after the ID.
    private let edge: Int
    private let list: ListColumns

    /// The cells of “#”, a letter, and an ellipsis.
    private static let minTags = 3

    /// - Parameter id: The greatest ID.
    init(columns: Int, id: Int64, hasColor: Bool) {
        self.columns = columns
        self.hasColor = hasColor
        edge = String(id).count + 1
        let list = ListColumns(width: columns - edge, names: Self.names)
        self.list =
            list[.tags] != nil ? list : ListColumns(width: columns - edge, names: [.title, .tags, .age])
    }

    private static let names: [ListColumns.Name] = [.title, .site, .tags, .author, .age]

    /// The narrowest lists with the tags, and with the author.
    private static let widerLists: [ListColumns] = [.tags, .author].compactMap { name in
        (1...1000).lazy.map { ListColumns(width: $0, names: names) }.first { $0[name] != nil }
    }

    /// Returns the cells of a title in a list: those of its column, and of the empty ones up to the next.
    private static func titleWidth(in list: ListColumns, besides filled: [ListColumns.Name]) -> Int {
        let all = list.all.filter { $0.name != .title }
        guard let next = all.first(where: { filled.contains($0.name) }), next.name != all[0].name else {
            return list.title.width
        }
        return next.start - 1 - list.title.start
    }

    /// The column of the titles.
    var indent: Int { edge + list.title.start }

    /// - Parameter matches: Returns the matches of a search in a title.
    func line(_ clip: Clip, matches: (String) -> [Range<String.Index>] = { _ in [] }) -> String {
        var line = styled(right(String(clip.id), edge - 1), "33") + " "
        line += styled(clip.isUnread ? "•" : " ", "1") + styled(clip.isStarred ? "*" : " ", "1;33") + " "
        let title = clip.displayTitle == clip.url ? ReadableURL.text(clip.url) : clip.displayTitle
        let shown = (clip.link?.sign ?? "") + title.drop { $0.isWhitespace }
        // On a wider terminal, the columns that come there leave no fewer cells.
        let wider = Self.widerLists.filter { $0.all.count > list.all.count }
        let filled = Self.names.filter { !cell($0, of: clip, width: .max).text.isEmpty }
        let widths = ([list] + wider).map { Self.titleWidth(in: $0, besides: filled) }
        let width = max(8, widths.min() ?? 0)
        // Without room for their column, the tags have a third of the title's cells, and those that it leaves. A title
        // has no more than the minimum until they have enough for a letter.
        let third = min(width / 3, width - ListColumns.minTitle - 1)
        let most = third < Self.minTags ? min(width, ListColumns.minTitle) : width - 1 - third
        let left = width - 1 - min(most, DisplayWidth.columns(of: SafeText.line(shown)))
        let tagText = list[.tags] == nil ? cell(.tags, of: clip, width: 0).text : ""
        let needed = DisplayWidth.columns(of: tagText)
        let tags = left < min(Self.minTags, needed) ? "" : SafeText.cut(tagText, to: left)
        let titleWidth = tagText.isEmpty ? width : tags.isEmpty ? most : width - 1 - min(left, needed)
        let name = SafeText.cut(shown, to: titleWidth)
        let (style, matchStyle) = clip.isUnread ? ("1", "1;4") : (nil, "1")
        var from = name.startIndex
        for range in matches(name) {
            line +=
                styled(String(name[from..<range.lowerBound]), style) + styled(String(name[range]), matchStyle)
            from = range.upperBound
        }
        line += styled(String(name[from...]), style)
        var end = list.title.start + DisplayWidth.columns(of: name)
        if !tags.isEmpty {
            line += " " + styled(tags, cell(.tags, of: clip, width: 0).style)
            end += 1 + DisplayWidth.columns(of: tags)
        }
        for column in list.all where column.name != .title {
            let (full, style) = cell(column.name, of: clip, width: column.width)
            let text = SafeText.cut(full, to: column.width)
            let start = column.name == .age ? column.start + column.width - text.count : column.start
            line += String(repeating: " ", count: max(0, start - end)) + styled(text, style)
            end = start + DisplayWidth.columns(of: text)
        }
        return line
    }

    private func cell(
        _ column: ListColumns.Name, of clip: Clip, width: Int
    ) -> (text: String, style: String) {
        switch column {
        case .site: (ReadableURL.host(ClipRow.site(of: clip.url)), "36")
        case .tags: (clip.tags.map { "#" + $0 }.joined(separator: " "), "32")
        case .author: (AuthorName.shown(clip.author, inColumn: width), "2")
        default: (Age(of: clip.created, at: now).text, "2")
        }
    }

    private func styled(_ text: String, _ style: String?) -> String {
        guard hasColor, let style, text.contains(where: { $0 != " " }) else { return text }
        return "\u{1B}[\(style)m\(text)\u{1B}[0m"
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
