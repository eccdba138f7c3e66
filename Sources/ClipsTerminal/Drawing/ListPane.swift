import ClipsCore
import PersistentStore
import Terminal

/// The columns of the list that there is room for.
struct ListColumns: Equatable {
    struct Column: Equatable {
        var start = 0
        var width = 0
    }

    /// The distance from the cursor.
    private(set) var number: Column?
    private(set) var title = Column()
    private(set) var site: Column?
    private(set) var tags: Column?
    private(set) var author: Column?
    private(set) var age: Column?
    /// The columns of the bar, the star and the unread dot stand before the title.
    let hasMarks: Bool

    init(width: Int, tellsNumbers: Bool = false) {
        hasMarks = width >= 12
        var start = hasMarks ? 4 : 0
        if tellsNumbers, width >= 24 {
            number = Column(start: 4, width: 4)
            start = 9
        }
        var end = max(start, width)
        func take(_ columns: Int, from width: Int, _ least: Int) -> Column? {
            guard width >= least else { return nil }
            end -= columns + 1
            return Column(start: end + 1, width: columns)
        }
        if width >= 24 {
            end -= 1
            age = take(6, from: width, 24)
        }
        author = take(min(12, 9 + width / 60), from: width, 40)
        tags = take(min(20, width / 7), from: width, 84)
        site = take(min(26, width / 5), from: width, 58)
        title = Column(start: start, width: max(0, end - start))
    }
}

/// The list of clips.
struct ListPane {
    let state: AppState
    private let highlight: ClipHighlight?
    private var theme: Theme { state.theme }

    init(state: AppState) {
        self.state = state
        highlight = state.highlight
    }

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let area = layout.list else { return }
        let columns = ListColumns(
            width: area.size.columns, tellsNumbers: state.config.tellsRelativeNumbers)
        if let header = layout.header { drawHeader(columns, header, &frame) }
        guard state.list.count > 0 || !state.list.isLoaded else { return drawEmpty(area, &frame) }
        for row in 0..<area.size.rows {
            let index = state.list.top + row
            guard index < state.list.count else { break }
            let line = Rect(row: area.row + row, column: area.column, rows: 1, columns: area.size.columns)
            if let clip = state.list.row(at: index) {
                draw(clip, index, columns, line, &frame)
            } else {
                frame.put("…", in: line, column: columns.title.start, style: theme.dim)
            }
            guard index == state.list.selectedIndex else { continue }
            if state.isReading {
                frame.restyle(line) { style in
                    style.attributes.formUnion(theme.unfocusedSelection.attributes)
                    style.background = theme.unfocusedSelection.background
                }
            } else {
                frame.restyle(line) { $0 = theme.selection }
                frame.cursor = Position(row: line.row, column: line.column)
            }
        }
    }

    private func drawHeader(_ columns: ListColumns, _ area: Rect, _ frame: inout Frame) {
        frame.fill(area, style: theme.heading)
        func put(_ text: String, _ column: ListColumns.Column?) {
            guard let column else { return }
            frame.putCut(text, in: area, column: column.start, width: column.width, style: theme.heading)
        }
        let sort = state.query.sort
        func name(_ text: String, _ attribute: ClipAttribute) -> String {
            guard sort.attribute == attribute.rawValue else { return text }
            return text + (sort.isAscending ? "↑" : "↓")
        }
        put(name("Title", .title), columns.title)
        put(name("Site", .url), columns.site)
        put(name("Tags", .tags), columns.tags)
        put(name("Author", .author), columns.author)
        if let age = columns.age {
            let isUsual = sort == ClipQuery.newestFirst
            frame.putRight(
                isUsual ? "Age" : name("Age", .created), in: area, column: age.start, width: age.width,
                style: theme.heading)
        }
    }

    private func draw(
        _ clip: ClipRow, _ index: Int, _ columns: ListColumns, _ line: Rect, _ frame: inout Frame
    ) {
        let isNew = state.arrivals.isMarked(clip.id)
        let isMarked = state.marks.contains(clip.id)
        if let number = columns.number {
            let distance = abs(index - state.list.selectedIndex)
            frame.putRight(
                String(distance == 0 ? index + 1 : distance), in: line, column: number.start,
                width: number.width, style: distance == 0 ? theme.bold : theme.dim)
        }
        if columns.hasMarks {
            if isNew { frame.put("▌", in: line, style: theme.arrival) }
            if isMarked { frame.put("✓", in: line, style: theme.mark) }
            if clip.isStarred { frame.put("*", in: line, column: 1, style: theme.star) }
            if clip.isUnread { frame.put("•", in: line, column: 2, style: theme.dim) }
        }
        let title = String(clip.title.drop { $0.isWhitespace })
        let shown = SafeText.cut(title, to: columns.title.width)
        let used = frame.put(
            shown, in: line, column: columns.title.start, width: columns.title.width,
            style: isMarked ? theme.mark : isNew ? theme.bold : .plain)
        if columns.tags == nil, !clip.tags.isEmpty {
            drawTags(clip.tags, behind: used, columns.title, line, &frame)
        }
        if let highlight {
            frame.highlight(
                highlight.ranges(inTitle: shown), of: shown,
                at: Position(row: line.row, column: line.column + columns.title.start),
                width: columns.title.width, theme.match)
        }
        if let site = columns.site {
            frame.putCut(clip.site, in: line, column: site.start, width: site.width, style: theme.dim)
        }
        if let tags = columns.tags {
            let text = clip.tags.map { "#" + $0 }.joined(separator: " ")
            frame.putCut(text, in: line, column: tags.start, width: tags.width, style: theme.dim)
        }
        if let author = columns.author {
            frame.putCut(
                clip.author, in: line, column: author.start, width: author.width,
                style: isNew ? theme.arrival : theme.author(clip.author))
        }
        if let age = columns.age {
            let text = Age(of: clip.created, at: state.now).text
            frame.putRight(text, in: line, column: age.start, width: age.width, style: theme.dim)
        }
    }

    /// Where there is no column for them, tags take what the title leaves.
    private func drawTags(
        _ tags: [String], behind used: Int, _ title: ListColumns.Column, _ line: Rect, _ frame: inout Frame
    ) {
        let left = title.width - used - 2
        guard left >= 6 else { return }
        frame.putCut(
            tags.map { "#" + $0 }.joined(separator: " "), in: line, column: title.start + used + 2,
            width: left, style: theme.dim)
    }

    private func drawEmpty(_ area: Rect, _ frame: inout Frame) {
        let add = state.keys.name(of: .add)
        let lines: [(String, Style)]
        if state.query.admitsAll {
            lines = [
                ("No clips yet", theme.bold), ("", .plain),
                ("Press \(add) to save an address or a text,", .plain),
                ("or run in another terminal:", .plain), ("", .plain),
                ("  clips add --url https://www.swift.org --title Swift", theme.bold), ("", .plain),
                ("What any program saves appears here at once.", theme.dim),
            ]
        } else {
            lines = [
                ("No clip contains “\(state.query.filter)”", theme.bold), ("", .plain),
                ("\(state.keys.name(of: .back)) shows all clips again.", .plain),
            ]
        }
        let indent = min(4, area.size.columns / 20)
        let width = area.size.columns - indent
        let wrapped = lines.flatMap { line in
            var text = WrappedText(line.0.isEmpty ? " " : line.0, width: max(1, width))
            return text.lines(0..<8).map { StyledRun($0, line.1) }
        }
        let first = max(0, (area.size.rows - wrapped.count) / 3)
        for (row, line) in wrapped.enumerated() {
            frame.put(line.text, in: area, row: first + row, column: indent, width: width, style: line.style)
        }
    }
}
