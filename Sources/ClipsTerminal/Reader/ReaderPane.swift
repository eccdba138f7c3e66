import ClipsCore
import LiveQuery
import Terminal

/// The clip next to or below the list, or alone.
struct ReaderPane {
    let state: AppState
    private var theme: Theme { state.theme }

    func draw(_ layout: Layout, in frame: inout Frame) {
        drawSeparator(layout, in: &frame)
        guard let area = layout.text else { return }
        let reader = state.reader
        var label = ""
        for (row, line) in reader.lines.enumerated() {
            let isOwnText = line.part == .text || line.part == .note
            if line.label != label { frame.put(line.label, in: area, row: row, style: theme[.muted]) }
            label = line.label
            frame.put(
                line.text, in: indented(area, line), row: row,
                column: isOwnText ? -reader.hiddenColumns : 0,
                style: reader.isInRange(row: row) ? theme[.match] : style(line.part))
            for part in line.emphasis {
                let columns = part.columns.clamped(to: reader.hiddenColumns..<Int.max)
                let rect = Rect(
                    row: area.row + row, column: area.column + columns.lowerBound - reader.hiddenColumns,
                    rows: 1, columns: min(columns.count, area.size.columns))
                frame.restyle(rect) { style in
                    if part.isLink { style.foreground = theme[.link].foreground }
                    style.attributes.formUnion(part.isLink ? theme[.link].attributes : part.attributes)
                }
            }
        }
        highlight(reader, area, &frame)
        if reader.isDeleted {
            // In a long text, the title is above the screen.
            let rows = max(1, reader.lines.prefix { $0.part == .title }.count)
            frame.fill(Rect(row: area.row, column: area.column, rows: rows, columns: area.size.columns))
            let room = max(8, area.size.columns - 15)
            // A clip that was never read is in the list of a pause, or in the history.
            let row = state.list.clips.rows.first { $0.id == reader.id }
            let title =
                reader.clip?.displayTitle ?? row?.title ?? reader.id.flatMap { state.history.titles[$0] }
            let name = title.map { "“\(SafeText.cut($0, to: room))”" } ?? "This clip"
            frame.putCut("\(name) was deleted.", in: area, width: area.size.columns, style: theme[.error])
        } else if reader.id != nil, reader.clip == nil {
            drawRow(area, &frame)
        }
        if state.reader.hasFocus { frame.cursor = Position(row: area.row, column: area.column) }
    }

    private func highlight(_ reader: Reader, _ area: Rect, _ frame: inout Frame) {
        guard let highlight = state.readerHighlight else { return }
        for (row, line) in reader.lines.enumerated() where reader.hiddenColumns == 0 || line.part != .text {
            let area = indented(area, line)
            let shown = SafeText.cut(line.text, to: area.size.columns)
            // A match may begin in the line before, and end in the next one.
            let before = neighbor(reader, row - 1, line).map { $0 + " " } ?? ""
            let after = neighbor(reader, row + 1, line).map { " " + $0 } ?? ""
            let start = before.utf8.count
            let text = before + shown + after
            func index(_ index: String.Index) -> String.Index {
                let offset = text.utf8.distance(from: text.startIndex, to: index) - start
                return shown.utf8.index(shown.startIndex, offsetBy: max(0, min(offset, shown.utf8.count)))
            }
            var ranges = highlight.ranges(inText: text, of: line.part.field).map {
                index($0.lowerBound)..<index($0.upperBound)
            }
            for cell in line.cells { ranges += wrapped(highlight, cell, in: shown) }
            frame.highlight(
                ranges.filter { !$0.isEmpty }, of: shown, in: area, row: row, width: area.size.columns,
                theme[.match])
        }
    }

    /// Returns the parts of matches in a line of a wrapped cell.
    private func wrapped(
        _ highlight: ClipHighlight, _ cell: ShownText.CellPart, in shown: String
    ) -> [Range<String.Index>] {
        func index(_ offset: Int) -> String.Index {
            let offset = offset - cell.range.lowerBound + cell.offset
            return shown.utf8.index(shown.startIndex, offsetBy: min(offset, shown.utf8.count))
        }
        return highlight.ranges(inText: cell.text).compactMap { match in
            let start = cell.text.utf8.distance(from: cell.text.startIndex, to: match.lowerBound)
            let part = (start..<start + cell.text[match].utf8.count).clamped(to: cell.range)
            return part.isEmpty ? nil : index(part.lowerBound)..<index(part.upperBound)
        }
    }

    /// Returns the text of a line of the same part, without its indent; nil if there is none.
    private func neighbor(_ reader: Reader, _ row: Int, _ line: ReaderText.Line) -> String? {
        guard reader.isWrapped, reader.lines.indices.contains(row), reader.lines[row].part == line.part
        else { return nil }
        return String(reader.lines[row].text.dropFirst(reader.lines[row].indent))
    }

    /// The part of the pane at the right of a line's label.
    private func indented(_ area: Rect, _ line: ReaderText.Line) -> Rect {
        let indent = line.label.isEmpty ? 0 : state.reader.text?.indent ?? 0
        return Rect(
            row: area.row, column: area.column + indent, rows: area.size.rows,
            columns: area.size.columns - indent)
    }

    /// Draws the title from the list until the clip is loaded.
    private func drawRow(_ area: Rect, _ frame: inout Frame) {
        guard let row = state.list.clips.selectedRow, row.id == state.reader.id else { return }
        frame.putCut(row.title, in: area, width: area.size.columns, style: theme[.strong])
    }

    func drawSeparator(_ layout: Layout, in frame: inout Frame) {
        guard let separator = layout.separator else { return }
        let isVertical = separator.size.columns == 1
        let style = theme[state.reader.hasFocus ? .key : .border]
        frame.fill(separator, with: isVertical ? "│" : "─", style: style)
    }

    private func style(_ part: ReaderText.Part) -> Style {
        switch part {
        case .title: theme[.strong]
        case .url, .links: theme[.link]
        case .facts: theme[.title]
        case .tags: theme[.tag]
        case .note: theme[.note]
        case .text, .space: theme[.title]
        }
    }
}
