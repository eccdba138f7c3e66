import ClipsCore
import Terminal

/// Both sides of an edit that met somebody else's: what was, what the person made of it, what they made of it.
struct ConflictScreen {
    let state: AppState
    private var theme: Theme { state.theme }

    init(state: AppState) { self.state = state }

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let conflict = state.conflicts.first, let area = layout.list else { return }
        let width = area.size.columns
        if let header = layout.header {
            frame.fill(header, style: theme.heading)
            let who = conflict.stored == nil ? "deleted" : "changed"
            frame.putCut(
                "“\(conflict.base.displayTitle)” was \(who) meanwhile", in: header, column: 1,
                width: width - 1, style: theme.heading)
        }
        // The menu takes the lower part.
        let rows = max(1, area.size.rows - Menu.conflict.items.count - 1)
        for (row, line) in lines(conflict, rows: rows, width: width).prefix(rows).enumerated() {
            frame.putCut(line.text, in: area, row: row, column: 1, width: width - 1, style: line.style)
        }
    }

    private func lines(_ conflict: EditConflict, rows: Int, width: Int) -> [StyledRun] {
        var lines: [StyledRun] = []
        if conflict.stored == nil {
            lines.append(
                StyledRun("Theirs: the clip is gone. Yours brings it back as you left it.", theme.error))
        }
        let fields = conflict.fields
        // Titles and headings of the fields take their rows; the texts share what is left.
        let share = fields.isEmpty ? 1 : max(1, (rows - fields.count) / max(1, fields.count * 2))
        for field in fields {
            let note =
                field.isClash
                ? " — both changed it" : field.isMine ? " — you changed it" : " — they changed it"
            lines.append(StyledRun(field.attribute.rawValue + note, field.isClash ? theme.error : theme.bold))
            lines += side("yours ", field.mine, field.base, field.isMine, share, width)
            if conflict.stored != nil {
                lines += side("theirs", field.theirs, field.base, field.isTheirs, share, width)
            }
        }
        return lines
    }

    /// The first line that is not as it was begins what is shown.
    private func side(
        _ name: String, _ text: String, _ base: String, _ isChanged: Bool, _ most: Int, _ width: Int
    ) -> [StyledRun] {
        let old = base.split(separator: "\n", omittingEmptySubsequences: false)
        let new = text.split(separator: "\n", maxSplits: 10_000, omittingEmptySubsequences: false)
        let first = isChanged ? zip(old, new).prefix { $0 == $1 }.count : 0
        let shown = new.dropFirst(min(first, max(0, new.count - 1))).prefix(most)
        let style = isChanged ? Style.plain : theme.dim
        return shown.enumerated().map { row, line in
            let isCut = row == most - 1 && new.count - first > most
            let label = row == 0 ? "  \(name)  " : "          "
            return StyledRun(
                label + (line.isEmpty ? "(empty)" : line.prefix(width)) + (isCut ? " …" : ""), style)
        }
    }
}
