import Terminal

/// The help screen: all keys and commands. Enter runs the selected one.
struct HelpScreen {
    let state: AppState
    private var theme: Theme { state.theme }

    struct Line: Hashable {
        var keys = ""
        var text: String
        /// The index of the entry; nil for headings and blank lines.
        var entry: Int?
        var isHeading = false
        /// Whether the line is the first of its entry.
        var isFirst = false
    }

    static func indent(_ columns: Int) -> Int { columns >= 40 ? 14 : 8 }

    /// Returns wrapped lines for entries, with headings unless the entries are filtered.
    static func lines(_ entries: [HelpEntry], isFiltered: Bool, columns: Int) -> [Line] {
        // A column for the scroll bar, and one before it.
        let width = max(1, columns - indent(columns) - 2)
        var lines: [Line] = []
        for (index, entry) in entries.enumerated() {
            if !isFiltered, index == 0 || entries[index - 1].group != entry.group {
                if index > 0 { lines.append(Line(text: "")) }
                lines.append(Line(text: entry.group?.rawValue ?? "Your keys", isHeading: true))
            }
            var sentence = WrappedText(entry.text, width: width)
            for (row, text) in sentence.lines(0..<16).enumerated() {
                lines.append(
                    Line(keys: row == 0 ? entry.keys : "", text: text, entry: index, isFirst: row == 0))
            }
        }
        return lines
    }

    func draw(_ layout: Layout, in frame: inout Frame) {
        let entries = state.help.entries(state.keys)
        let filter = state.help.filter
        frame.putHeader(filter.isEmpty ? "Keys and commands" : "Help on “\(filter)”", layout.header, theme)
        guard let area = layout.list else { return }
        guard !entries.isEmpty else {
            return frame.putCut(
                "No entry matches.", in: area, column: 1, width: area.size.columns - 1)
        }
        let lines = Self.lines(entries, isFiltered: !filter.isEmpty, columns: area.size.columns)
        for (row, line) in lines.dropFirst(state.help.top).prefix(area.size.rows).enumerated() {
            draw(line, of: line.entry.map { entries[$0] }, area, row, &frame)
        }
        if let bar = layout.listBar {
            frame.putScrollBar(
                bar, top: state.help.top, height: area.size.rows, count: lines.count, theme)
        }
    }

    private func draw(
        _ line: Line, of entry: HelpEntry?, _ area: Rect, _ row: Int, _ frame: inout Frame
    ) {
        let indent = Self.indent(area.size.columns)
        guard !line.isHeading else {
            return frame.putCut(
                line.text, in: area, row: row, column: 1, width: area.size.columns - 1, style: theme[.strong])
        }
        let isAvailable =
            entry.map { state.unavailabilityReason(of: $0.binding.action, on: state.help.origin) == nil }
            ?? true
        frame.putRight(
            line.keys, in: area, row: row, width: indent - 2, style: theme[isAvailable ? .key : .muted])
        frame.putCut(
            line.text, in: area, row: row, column: indent, width: area.size.columns - indent,
            style: isAvailable ? .plain : theme[.muted])
        guard line.entry == state.help.selected else { return }
        let rect = Rect(row: area.row + row, column: area.column, rows: 1, columns: area.size.columns)
        let cursor = frame.cursor
        frame.select(rect, theme)
        if !line.isFirst { frame.cursor = cursor }
    }
}
