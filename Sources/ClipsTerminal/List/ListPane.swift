import ClipsCore
import LiveQuery
import PersistentStore
import Terminal

/// The list of clips.
struct ListPane {
    let state: AppState
    private var theme: Theme { state.theme }

    /// - Parameter drawn: The lines of the last frame, replaced by those of this one.
    func draw(_ layout: Layout, reusing drawn: inout DrawnLines, in frame: inout Frame) {
        guard let area = layout.list else { return }
        let columns = ListColumns(
            width: area.size.columns, hasNumbers: state.settings.config.showsRelativeNumbers)
        if let header = layout.header { drawHeader(columns, header, &frame) }
        let list = state.list.clips
        guard list.count > 0 || !list.isLoaded else { return drawEmpty(area, &frame) }
        let look = ListLook(columns: columns, theme: theme, words: state.highlightedWords)
        let earlier = drawn.reusable(in: look)
        drawn = DrawnLines(look)
        for row in 0..<area.size.rows {
            let index = list.top + row
            guard index < list.count else { break }
            let line = Rect(row: area.row + row, column: area.column, rows: 1, columns: area.size.columns)
            if let clip = list.row(at: index) {
                drawn.put(self.line(clip, index, list.selectedIndex), at: line, in: &frame, copying: earlier)
            } else {
                frame.put("…", in: line, column: columns.title.start, style: theme.dim)
            }
            guard index == list.selectedIndex else { continue }
            if state.reader.hasFocus {
                frame.restyle(line) { style in
                    style.attributes.formUnion(theme.unfocusedSelection.attributes)
                    style.background = theme.unfocusedSelection.background
                }
            } else {
                frame.select(line, theme)
            }
        }
    }

    private func drawHeader(_ columns: ListColumns, _ area: Rect, _ frame: inout Frame) {
        frame.fill(area, style: theme.heading)
        func put(_ text: String, _ column: ListColumns.Column?) {
            guard let column else { return }
            frame.putCut(text, in: area, column: column.start, width: column.width, style: theme.heading)
        }
        let sort = state.list.query.sort
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

    private func line(_ clip: ClipRow, _ index: Int, _ selectedIndex: Int) -> ListLine {
        let distance = abs(index - selectedIndex)
        return ListLine(
            clip: clip,
            number: state.settings.config.showsRelativeNumbers
                ? ListLine.Number(value: distance == 0 ? index + 1 : distance, isSelected: distance == 0)
                : nil,
            isNew: state.list.arrivals.isMarked(clip.id), isMarked: state.list.marks.contains(clip.id),
            age: Age(of: clip.created, at: state.now).text)
    }

    private func drawEmpty(_ area: Rect, _ frame: inout Frame) {
        let add = state.keys.name(of: .add)
        let lines: [(String, Style)]
        if state.list.query.admitsAll {
            lines = [
                ("No clips yet", theme.bold), ("", .plain),
                ("Press \(add) to add a URL or a text,", .plain),
                ("or run in another terminal:", .plain), ("", .plain),
                ("  clips add --url https://www.swift.org --title Swift", theme.bold), ("", .plain),
                ("Clips that any program saves appear here immediately.", theme.dim),
            ]
        } else {
            // The status line has room for a problem on a wide screen only.
            let problem = state.list.query.problem(isTyping: state.prompt?.kind == .filter)
            lines = [
                (problem ?? "No clip contains “\(state.list.query.filter)”", theme.bold), ("", .plain),
                ("\(state.keys.name(of: .back)) shows all clips.", .plain),
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
