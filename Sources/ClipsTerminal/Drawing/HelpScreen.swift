import Terminal

/// The keys, printed from the table of actions.
struct HelpScreen {
    let state: AppState

    struct Line: Hashable {
        var keys = ""
        var text: String
        var isHeading = false
    }

    static func indent(_ columns: Int) -> Int { columns >= 40 ? 14 : 8 }

    /// Sentences that are wider than the screen go on below.
    static func lines(_ keys: KeyMap, columns: Int) -> [Line] {
        let width = max(1, columns - indent(columns))
        var lines: [Line] = []
        for group in ActionTable.Group.allCases {
            if !lines.isEmpty { lines.append(Line(text: "")) }
            lines.append(Line(text: group.rawValue, isHeading: true))
            for entry in ActionTable.entries where entry.group == group {
                let names = keys.keys(of: entry.action).map { KeyMap.shown($0) }.joined(separator: " ")
                var sentence = WrappedText(entry.help, width: width)
                for (row, text) in sentence.lines(0..<16).enumerated() {
                    lines.append(Line(keys: row == 0 ? names : "", text: text))
                }
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
        let indent = Self.indent(area.size.columns)
        let lines = Self.lines(state.keys, columns: area.size.columns)
        for (row, line) in lines.dropFirst(state.help.top).prefix(area.size.rows)
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
