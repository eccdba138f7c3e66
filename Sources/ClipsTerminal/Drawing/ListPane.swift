import ClipsCore
import Terminal

/// The columns of the list that there is room for.
struct ListColumns: Equatable {
    struct Column: Equatable {
        var start = 0
        var width = 0
    }

    private(set) var title = Column()
    private(set) var site: Column?
    private(set) var tags: Column?
    private(set) var author: Column?
    private(set) var age: Column?
    /// The columns of the bar, the star and the unread dot stand before the title.
    let hasMarks: Bool

    init(width: Int) {
        hasMarks = width >= 12
        let start = hasMarks ? 4 : 0
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

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let area = layout.list else { return }
        let columns = ListColumns(width: area.size.columns)
        if let header = layout.header { drawHeader(columns, header, &frame) }
        guard state.list.count > 0 || !state.list.isLoaded else { return drawEmpty(area, &frame) }
        for row in 0..<area.size.rows {
            let index = state.list.top + row
            guard index < state.list.count else { break }
            let line = Rect(row: area.row + row, column: area.column, rows: 1, columns: area.size.columns)
            if let clip = state.list.row(at: index) {
                draw(clip, columns, line, &frame)
            } else {
                frame.put("…", in: line, column: columns.title.start, style: Theme.dim)
            }
            guard index == state.list.selectedIndex else { continue }
            if state.isReading {
                frame.restyle(line) { $0.attributes.formUnion(Theme.unfocusedSelection.attributes) }
            } else {
                frame.restyle(line) { $0 = Style(attributes: [.reverse]) }
                frame.cursor = Position(row: line.row, column: line.column)
            }
        }
    }

    private func drawHeader(_ columns: ListColumns, _ area: Rect, _ frame: inout Frame) {
        frame.fill(area, style: Theme.heading)
        func put(_ text: String, _ column: ListColumns.Column?) {
            guard let column else { return }
            frame.putCut(text, in: area, column: column.start, width: column.width, style: Theme.heading)
        }
        put("Title", columns.title)
        put("Site", columns.site)
        put("Tags", columns.tags)
        put("Author", columns.author)
        if let age = columns.age {
            frame.putRight("Age", in: area, column: age.start, width: age.width, style: Theme.heading)
        }
    }

    private func draw(_ clip: ClipRow, _ columns: ListColumns, _ line: Rect, _ frame: inout Frame) {
        let isNew = state.arrivals.isMarked(clip.id)
        if columns.hasMarks {
            if isNew { frame.put("▌", in: line, style: Theme.arrival) }
            if clip.isStarred { frame.put("*", in: line, column: 1, style: Theme.star) }
            if clip.isUnread { frame.put("•", in: line, column: 2, style: Theme.dim) }
        }
        frame.putCut(
            clip.title, in: line, column: columns.title.start, width: columns.title.width,
            style: isNew ? Theme.bold : .plain)
        if let site = columns.site {
            frame.putCut(clip.site, in: line, column: site.start, width: site.width, style: Theme.dim)
        }
        if let tags = columns.tags {
            let text = clip.tags.map { "#" + $0 }.joined(separator: " ")
            frame.putCut(text, in: line, column: tags.start, width: tags.width, style: Theme.dim)
        }
        if let author = columns.author {
            frame.putCut(
                clip.author, in: line, column: author.start, width: author.width,
                style: isNew ? Theme.arrival : Theme.author(clip.author))
        }
        if let age = columns.age {
            let text = Age(of: clip.created, at: state.now).text
            frame.putRight(text, in: line, column: age.start, width: age.width, style: Theme.dim)
        }
    }

    private func drawEmpty(_ area: Rect, _ frame: inout Frame) {
        let add = state.keys.name(of: .add)
        let lines: [(String, Style)]
        if state.query.admitsAll {
            lines = [
                ("No clips yet", Theme.bold), ("", .plain),
                ("Press \(add) to save an address or a text,", .plain),
                ("or run in another terminal:", .plain), ("", .plain),
                ("  clips add --url https://www.swift.org --title Swift", Theme.bold), ("", .plain),
                ("What any program saves appears here at once.", Theme.dim),
            ]
        } else {
            lines = [
                ("No clip contains “\(state.query.filter)”", Theme.bold), ("", .plain),
                ("\(state.keys.name(of: .back)) shows all clips again.", .plain),
            ]
        }
        let first = max(0, (area.size.rows - lines.count) / 3)
        for (row, line) in lines.enumerated() {
            frame.putCut(
                line.0, in: area, row: first + row, column: min(4, area.size.columns / 20),
                width: area.size.columns - min(4, area.size.columns / 20), style: line.1)
        }
    }
}
