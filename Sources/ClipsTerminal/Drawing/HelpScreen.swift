import Terminal

/// The keys, printed from the table of actions.
struct HelpScreen {
    let state: AppState

    struct Line: Hashable {
        var keys = ""
        var text: String
        var isHeading = false
    }

    static func lines(_ keys: KeyMap) -> [Line] {
        var lines: [Line] = []
        for group in ActionTable.Group.allCases {
            if !lines.isEmpty { lines.append(Line(text: "")) }
            lines.append(Line(text: group.rawValue, isHeading: true))
            for entry in ActionTable.entries where entry.group == group {
                let names = keys.keys(of: entry.action).map { KeyMap.shown($0) }.joined(separator: " ")
                lines.append(Line(keys: names, text: entry.help))
            }
        }
        return lines
    }

    func draw(_ layout: Layout, in frame: inout Frame) {
        if let header = layout.header {
            frame.fill(header, style: Theme.heading)
            frame.putCut("Keys", in: header, column: 1, width: header.size.columns - 1, style: Theme.heading)
        }
        guard let area = layout.list else { return }
        let indent = area.size.columns >= 40 ? 14 : 8
        for (row, line) in Self.lines(state.keys).dropFirst(state.help.top).prefix(area.size.rows)
            .enumerated()
        {
            if line.isHeading {
                frame.putCut(
                    line.text, in: area, row: row, column: 1, width: area.size.columns - 1, style: Theme.bold)
            } else {
                frame.putRight(line.keys, in: area, row: row, width: indent - 2, style: Theme.key)
                frame.putCut(line.text, in: area, row: row, column: indent, width: area.size.columns - indent)
            }
        }
    }
}
