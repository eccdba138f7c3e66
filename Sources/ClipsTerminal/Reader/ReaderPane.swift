import ClipsCore
import Terminal

/// The clip that is read.
struct DetailPane {
    let state: AppState
    private var theme: Theme { state.theme }

    init(state: AppState) { self.state = state }

    func draw(_ layout: Layout, in frame: inout Frame) {
        if let separator = layout.separator { drawSeparator(separator, &frame) }
        guard let area = layout.detail else { return }
        let detail = state.detail
        for (row, line) in detail.lines.enumerated() {
            let isOwnText = line.part == .text || line.part == .note
            frame.put(
                line.text, in: area, row: row, column: isOwnText ? -detail.hiddenColumns : 0,
                style: style(line.part))
        }
        highlight(detail, area, &frame)
        var note: String?
        if detail.isGone {
            note = "This clip was deleted."
        } else if detail.id != nil, detail.clip == nil {
            drawRow(area, &frame)
        } else if detail.hasMore {
            note = nil
        }
        if let note {
            frame.fill(Rect(row: area.row, column: area.column, rows: 1, columns: area.size.columns))
            frame.putCut(note, in: area, width: area.size.columns, style: theme.error)
        }
        if state.isReading { frame.cursor = Position(row: area.row, column: area.column) }
    }

    private func highlight(_ detail: DetailState, _ area: Rect, _ frame: inout Frame) {
        guard let highlight = state.highlight else { return }
        for (row, line) in detail.lines.enumerated() where detail.hiddenColumns == 0 || line.part != .text {
            let shown = SafeText.cut(line.text, to: area.size.columns)
            frame.highlight(
                highlight.ranges(inText: shown), of: shown,
                at: Position(row: area.row + row, column: area.column), width: area.size.columns, theme.match)
        }
    }

    /// What the list knows already, until the clip is loaded.
    private func drawRow(_ area: Rect, _ frame: inout Frame) {
        guard let row = state.list.selectedRow, row.id == state.detail.id else { return }
        frame.putCut(row.title, in: area, width: area.size.columns, style: theme.bold)
    }

    private func drawSeparator(_ separator: Rect, _ frame: inout Frame) {
        let isVertical = separator.size.columns == 1
        let style = state.isReading ? theme.bold : theme.dim
        for place in 0..<(isVertical ? separator.size.rows : separator.size.columns) {
            frame.put(
                isVertical ? "│" : "─", in: separator, row: isVertical ? place : 0,
                column: isVertical ? 0 : place, style: style)
        }
    }

    private func style(_ part: DetailText.Part) -> Style {
        switch part {
        case .title: theme.bold
        case .address: theme.address
        case .facts, .tags: theme.dim
        case .note: theme.italic
        case .text, .space: .plain
        }
    }
}
