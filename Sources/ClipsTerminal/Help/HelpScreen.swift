import Terminal

/// The help screen: all keys and commands. Enter runs the selected one.
struct HelpScreen {
    let state: AppState
    private var theme: Theme { state.theme }

    struct Line: Hashable {
        var keys = ""
        var text: String
        var action: Action?
        var isHeading = false
        /// Whether the line is the first of its entry.
        var isFirst = false
    }

    static func indent(_ columns: Int) -> Int { columns >= 40 ? 14 : 8 }

    /// Returns wrapped lines for entries, with headings unless the entries are filtered.
    static func lines(_ entries: [ActionTable.Entry], _ keys: KeyMap, columns: Int) -> [Line] {
        // A column for the scroll bar, and one before it.
        let width = max(1, columns - indent(columns) - 2)
        let isWhole = entries.count == ActionTable.entries.count
        func entryLines(_ entry: ActionTable.Entry) -> [Line] {
            var names = keys.names(of: entry.action)
            if names.isEmpty { names = keys.name(of: entry.action) }
            var sentence = WrappedText(entry.help, width: width)
            return sentence.lines(0..<16).enumerated().map { row, text in
                Line(keys: row == 0 ? names : "", text: text, action: entry.action, isFirst: row == 0)
            }
        }
        guard isWhole else { return entries.flatMap(entryLines) }
        var lines: [Line] = []
        for group in ActionTable.Group.allCases {
            if !lines.isEmpty { lines.append(Line(text: "")) }
            lines.append(Line(text: group.rawValue, isHeading: true))
            for entry in entries where entry.group == group { lines += entryLines(entry) }
        }
        guard !keys.commands.isEmpty else { return lines }
        lines += [Line(text: ""), Line(text: "Your keys", isHeading: true)]
        return lines
            + keys.commands.map { Line(keys: KeyMap.shown($0.keys), text: $0.binding.text) }
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
        let lines = Self.lines(entries, state.keys, columns: area.size.columns)
        let selected =
            entries.indices.contains(state.help.selected) ? entries[state.help.selected].action : nil
        for (row, line) in lines.dropFirst(state.help.top).prefix(area.size.rows).enumerated() {
            draw(line, area, row, isSelected: line.action != nil && line.action == selected, &frame)
        }
        if let bar = layout.listBar {
            frame.putScrollBar(
                bar, top: state.help.top, height: area.size.rows, count: lines.count, theme)
        }
    }

    private func draw(_ line: Line, _ area: Rect, _ row: Int, isSelected: Bool, _ frame: inout Frame) {
        let indent = Self.indent(area.size.columns)
        guard !line.isHeading else {
            return frame.putCut(
                line.text, in: area, row: row, column: 1, width: area.size.columns - 1, style: theme.strong)
        }
        let isAvailable =
            line.action.map { state.unavailabilityReason(of: $0, on: state.help.origin) == nil } ?? true
        frame.putRight(
            line.keys, in: area, row: row, width: indent - 2, style: isAvailable ? theme.key : theme.muted)
        frame.putCut(
            line.text, in: area, row: row, column: indent, width: area.size.columns - indent,
            style: isAvailable ? .plain : theme.muted)
        guard isSelected else { return }
        let rect = Rect(row: area.row + row, column: area.column, rows: 1, columns: area.size.columns)
        let cursor = frame.cursor
        frame.select(rect, theme)
        if !line.isFirst { frame.cursor = cursor }
    }
}
