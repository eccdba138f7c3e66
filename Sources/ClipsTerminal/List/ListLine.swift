import ClipsCore
import Terminal

/// The appearance that all lines of the list share.
struct ListLook: Equatable {
    let columns: ListColumns
    let theme: Theme
    /// The words to highlight.
    let words: String
    let dates: DateFormat
    /// The current year, which ages omit.
    let year: Int

    init(_ state: AppState, _ layout: Layout) {
        columns = state.columns(of: layout)
        theme = state.theme
        words = state.highlightedWords
        dates = state.settings.config.dates
        year = LocalTime(state.now).year
    }

    /// Draws an age over an earlier one.
    func drawAge(_ age: String, at line: Rect, in frame: inout Frame) {
        guard let column = columns[.age] else { return }
        let area = Rect(row: line.row, column: line.column + column.start, rows: 1, columns: column.width)
        frame.fill(area)
        frame.putRight(age, in: line, column: column.start, width: column.width, style: theme[.muted])
    }
}

/// The contents of one line of the list, without the age.
struct ListLine: Equatable {
    struct Number: Equatable {
        let value: Int
        let isSelected: Bool
    }

    let clip: ClipRow
    let title: String
    /// The part of the clip around words of the filter that the rest of the row lacks.
    let excerpt: Excerpts.Excerpt
    /// The distance from the cursor, if it is shown.
    let number: Number?
    let isNew: Bool
    let isMarked: Bool

    func draw(_ look: ListLook, _ highlight: ClipHighlight?, at line: Rect, in frame: inout Frame) {
        let (columns, theme) = (look.columns, look.theme)
        if let column = columns.number, let number {
            frame.putRight(
                String(number.value), in: line, column: column.start, width: column.width,
                style: theme[number.isSelected ? .strong : .muted])
        }
        if columns.hasMarks {
            if isNew { frame.put("▌", in: line, style: theme[.new]) }
            if isMarked { frame.put("✓", in: line, style: theme[.mark]) }
            if clip.isUnread { frame.put("•", in: line, column: 1, style: theme[.key]) }
            if clip.isStarred {
                frame.put("★", in: line, column: clip.isUnread ? 2 : 1, style: theme[.star])
            }
        }
        for column in columns.all {
            switch column.name {
            case .title: drawTitle(look, highlight, line, &frame)
            case .site: put(ReadableURL.host(clip.site), column, theme[.site], isSearched: true)
            case .tags: put(Self.tagText(clip.tags), column, theme[.tag], isSearched: true)
            case .author:
                put(AuthorName.shown(clip.author, inColumn: column.width), column, theme.author(clip.author))
            case .url: put(ReadableURL.text(clip.url), column, theme[.site])
            case .saved: put(look.dates.text(clip.created), column, theme[.muted])
            // Changes more often than the others; see `ListLook.drawAge`.
            case .age: break
            }
        }

        func put(_ text: String, _ column: ListColumns.Column, _ style: Style, isSearched: Bool = false) {
            let shown = SafeText.cut(text, to: column.width)
            frame.put(
                shown, in: line, column: column.start, width: column.width,
                style: isNew && column.name == .author ? theme[.new] : style)
            guard isSearched, let highlight else { return }
            frame.highlight(
                highlight.ranges(inExcerpt: shown), of: shown, in: line, column: column.start,
                width: column.width, theme[.match])
        }
    }

    private func drawTitle(
        _ look: ListLook, _ highlight: ClipHighlight?, _ line: Rect, _ frame: inout Frame
    ) {
        let (column, theme) = (look.columns.title, look.theme)
        let end = column.start + column.width
        var shown = Self.title(title, of: clip, highlight, columns: column.width)
        if highlight != nil, !excerpt.text.isEmpty,
            column.width - 2 - Self.minExcerpt < DisplayWidth.columns(of: SafeText.line(shown))
        {
            // The end of a long title makes room for why the clip matches. It is no shorter than in a narrower list.
            let least = look.columns.minTitleWithReason
            let left = max(least, column.width - 2 - Self.minExcerpt)
            let others = look.columns[.tags] == nil ? clip.tags.filter { !excerpt.tags.contains($0) } : []
            let rest = [excerpt.text, Self.tagText(others)].filter { !$0.isEmpty }.joined(separator: "  ")
            let free = column.width - 2 - max(Self.minMatch, DisplayWidth.columns(of: rest))
            let width = max(min(max(least, column.width * 3 / 5), left), free)
            shown = Self.title(title, of: clip, highlight, columns: width)
        }
        var used = frame.put(
            shown, in: line, column: column.start, width: column.width,
            style: theme[isMarked ? .mark : clip.isUnread ? .unread : .title])
        if let highlight {
            frame.highlight(
                highlight.ranges(inTitle: shown), of: shown, in: line, column: column.start,
                width: column.width, theme[.match])
        }
        var tags = clip.tags
        if let highlight, !excerpt.text.isEmpty, column.width - used - 2 >= Self.minMatch {
            tags.removeAll(where: excerpt.tags.contains)
            let start = column.start + used + 2
            let part = Self.part(of: excerpt.text, excerpt.words ?? highlight, columns: end - start)
            used += 2 + frame.put(part, in: line, column: start, width: end - start, style: theme[.muted])
            frame.highlight(
                highlight.ranges(inExcerpt: part), of: part, in: line, column: start, width: end - start,
                theme[.match])
        }
        // Without a column of their own, tags follow the title.
        let left = column.width + look.columns.slack - used - 2
        if look.columns[.tags] == nil, !tags.isEmpty, left >= 6 {
            let start = column.start + used + 2
            frame.putCut(Self.tagText(tags), in: line, column: start, width: left, style: theme[.tag])
        }
    }

    static let minExcerpt = 12
    /// The least room for the match alone.
    static let minMatch = 6

    /// Returns the words of an excerpt that fit, with its match.
    private static func part(of excerpt: String, _ highlight: ClipHighlight, columns: Int) -> String {
        var part = excerpt
        if columns < min(minExcerpt, DisplayWidth.columns(of: excerpt)),
            let match = highlight.ranges(inExcerpt: excerpt).first
        {
            return aroundMatch(of: excerpt, highlight, columns: columns)
                ?? SafeText.cut(String(excerpt[match]), to: columns)
        }
        while DisplayWidth.columns(of: part) > columns, let match = highlight.ranges(inExcerpt: part).first,
            DisplayWidth.columns(of: String(part[..<match.upperBound])) >= columns,
            let space = part[..<match.lowerBound].firstIndex(of: " ")
        {
            part = "…" + part[part.index(after: space)...]
        }
        guard let match = highlight.ranges(inExcerpt: part).first else {
            return SafeText.cutAtWord(part, to: columns)
        }
        if match.lowerBound > part.startIndex,
            DisplayWidth.columns(of: String(part[..<match.upperBound])) >= columns
        {
            // No space is before the match.
            part = "…" + part[match.lowerBound...]
        }
        let cut = SafeText.cutAtWord(part, to: columns)
        guard let shown = highlight.ranges(inExcerpt: cut).first else {
            return SafeText.cut(part, to: columns)
        }
        guard [cut[..<shown.lowerBound], cut[shown.upperBound...]].allSatisfy({ $0.isEmpty || $0 == "…" })
        else {
            return cut
        }
        // Parts of the words around a match say more than the match alone.
        return aroundMatch(of: excerpt, highlight, columns: columns) ?? cut
    }

    /// Returns the first match, with as many letters after it as fit, and then before it.
    private static func aroundMatch(
        of excerpt: String, _ highlight: ClipHighlight, columns: Int
    ) -> String? {
        guard let match = highlight.ranges(inExcerpt: excerpt).first else { return nil }
        let room = match.lowerBound == excerpt.startIndex ? columns : columns - 1
        let end = SafeText.cut(String(excerpt[match.lowerBound...]), to: room)
        guard !highlight.ranges(inExcerpt: end).isEmpty else { return nil }
        var start = match.lowerBound
        var left = room - DisplayWidth.columns(of: end)
        while start > excerpt.startIndex {
            let previous = excerpt.index(before: start)
            left -= DisplayWidth.columns(of: String(excerpt[previous]))
            guard left >= 0 else { break }
            start = previous
        }
        return (start > excerpt.startIndex ? "…" : "") + excerpt[start..<match.lowerBound] + end
    }

    static func tagText(_ tags: [String]) -> String {
        tags.map { "#" + $0 }.joined(separator: " ")
    }

    /// Returns the beginning of the title that fits, with the words around its first match if that is later.
    private static func title(
        _ title: String, of clip: ClipRow, _ highlight: ClipHighlight?, columns: Int
    ) -> String {
        let title = shownTitle(title, of: clip)
        let cut = SafeText.cut(title, to: columns)
        guard let highlight, columns >= minTitleWithExcerpt, cut.hasSuffix("…"),
            title.utf8.count <= maxSearchedTitle, highlight.ranges(inTitle: cut).isEmpty,
            let match = highlight.ranges(inTitle: title).first
        else { return cut }
        // With the word before the match, unless that is long.
        let before = title[..<match.lowerBound].split(separator: " ", omittingEmptySubsequences: false)
        let words = before.suffix(2).joined(separator: " ")
        let last = before.suffix(1).joined()
        let lead = [words, last].first { $0.count <= columns / 4 } ?? ""
        let end = lead + title[match.lowerBound...]
        let room = max(columns / 2 - 2, columns - 1 - DisplayWidth.columns(of: SafeText.line(end)))
        return SafeText.cut("\(SafeText.cut(title, to: room)) \(end)", to: columns)
    }

    private static let maxSearchedTitle = 4096

    private static func shownTitle(_ title: String, of clip: ClipRow) -> String {
        clip.linkSign + (title == clip.url ? ReadableURL.text(clip.url) : title).drop { $0.isWhitespace }
    }

    static let minTitleWithExcerpt = ListColumns.minTitle + 1

    /// Returns the tags that a condition names, and for which the column has no room.
    static func namedTags(_ clip: ClipRow, _ highlight: ClipHighlight, _ columns: ListColumns) -> [String] {
        let shown = SafeText.cut(tagText(clip.tags), to: columns[.tags]?.width ?? 0).split(separator: " ")
        return clip.tags.filter { highlight.names(tag: $0) && !shown.contains("#\($0)") }
    }

    /// Returns the words that the row of a clip does not show without an excerpt; nil if it shows all.
    static func wordsLacking(
        _ clip: ClipRow, _ highlight: ClipHighlight, _ columns: ListColumns
    ) -> ClipHighlight? {
        let title = title(clip.title, of: clip, highlight, columns: columns.title.width)
        return highlight.lacking { word in
            func isFound(_ text: String, _ name: ListColumns.Name) -> Bool {
                guard let column = columns[name] else { return false }
                return !word.ranges(inExcerpt: SafeText.cut(text, to: column.width)).isEmpty
            }
            return !word.ranges(inTitle: title).isEmpty || isFound(ReadableURL.host(clip.site), .site)
                || isFound(tagText(clip.tags), .tags)
        }
    }
}
