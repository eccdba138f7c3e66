import ClipsCore
import Mirroring
import Platform
import Terminal

/// The screen of a conflict: both versions of an edit or undo.
struct ConflictScreen {
    let state: AppState
    private var theme: Theme { state.theme }

    func draw(_ layout: Layout, in frame: inout Frame) {
        guard let question = state.questions.first, let area = layout.list else { return }
        let width = area.size.columns
        frame.putHeader(heading(question), layout.header, theme)
        let rows = Self.rows(layout, question)
        let shown = lines(question, rows: rows, width: width).dropFirst(state.page.top).prefix(rows)
        for (row, line) in shown.enumerated() {
            frame.putCut(line.text, in: area, row: row, column: 1, width: width - 1, style: line.style)
        }
    }

    private func heading(_ question: OpenQuestion) -> String {
        switch question {
        case .edit(let conflict):
            "\(conflict.stored == nil ? "Deleted" : "Changed") during the edit: “\(conflict.base.displayTitle)”"
        case .undo(let question): question.heading
        case .mirror(let conflict):
            "Edited on two machines: “\(conflict.object.map { Clip($0).displayTitle } ?? "a deleted clip")”"
        }
    }

    /// The number of rows above the menu.
    static func rows(_ layout: Layout, _ question: OpenQuestion?) -> Int {
        let items = question?.menu.items.count ?? 0
        let border = MenuBox.border(rows: layout.status?.row ?? 0, items: items, isConflict: true)
        return max(1, (layout.list?.size.rows ?? 1) - items - border.top - border.bottom)
    }

    func lineCount(_ layout: Layout) -> Int {
        guard let question = state.questions.first, let area = layout.list else { return 0 }
        return lines(question, rows: Self.rows(layout, question), width: area.size.columns).count
    }

    private func lines(_ question: OpenQuestion, rows: Int, width: Int) -> [StyledRun] {
        switch question {
        case .edit(let conflict): lines(conflict, rows: rows, width: width)
        case .undo(let question): lines(question, rows: rows, width: width)
        case .mirror(let conflict): lines(conflict, rows: rows, width: width)
        }
    }

    /// Returns the values in the store, and those that the step would save over them.
    private func lines(_ question: UndoQuestion, rows: Int, width: Int) -> [StyledRun] {
        let conflict = question.conflict
        var lines: [StyledRun] = []
        let isOne = conflict.count == 1
        let share = isOne ? max(1, (rows - 1) / max(1, 3 * (conflict.clips.first?.fields.count ?? 1))) : 2
        for clip in conflict.clips {
            if !isOne { lines.append(StyledRun("“\(clip.title)”", theme[.strong])) }
            if clip.isDeletion {
                lines.append(StyledRun("You saved this clip; undo deletes it.", theme[.error]))
            }
            for field in clip.fields {
                let theirs = ChangesPane.text(field.theirs)
                let mine = ChangesPane.text(field.mine ?? field.base)
                lines.append(StyledRun(field.attribute, theme[.strong]))
                lines += side("theirs", theirs, mine, true, share, width)
                lines += side(
                    clip.isDeletion ? "yours " : question.nameOfMine, mine, theirs, true, share, width)
            }
        }
        let more = conflict.count - conflict.clips.count
        if more > 0 { lines.append(StyledRun("… and \(more.grouped) more", theme[.muted])) }
        return lines
    }

    /// Returns the value of the clip, and the one that lost to it.
    private func lines(_ conflict: MirrorConflict, rows: Int, width: Int) -> [StyledRun] {
        let current = conflict.current.map(ChangesPane.text) ?? ""
        let lost = ChangesPane.text(conflict.value)
        let share = max(1, (rows - 2) / 2)
        let time = Age(of: conflict.date, at: state.now).sentence
        return [StyledRun("\(conflict.attribute) — edited here and on another machine", theme[.error])]
            + side("now   ", current, lost, true, share, width)
            + side("lost  ", lost, current, true, share, width)
            + [
                StyledRun(
                    "  by \(conflict.isOwn ? "this machine" : conflict.machine ?? "another machine"), \(time)",
                    theme[.muted])
            ]
    }

    private func lines(_ conflict: EditConflict, rows: Int, width: Int) -> [StyledRun] {
        var lines: [StyledRun] = []
        if conflict.stored == nil {
            lines.append(
                StyledRun("Theirs: the clip is deleted. Yours restores it with your text.", theme[.error]))
        }
        let fields = conflict.fields
        // Long texts share the rows that headings and short texts leave.
        let long = fields.count { $0.mine.contains("\n") || $0.theirs.contains("\n") }
        let left = rows - fields.count - 2 * (fields.count - long)
        let share = max(1, left / max(1, 2 * long))
        for field in fields {
            let note =
                field.isClash
                ? " — both changed it" : field.isMine ? " — you changed it" : " — they changed it"
            lines.append(
                StyledRun(field.attribute.rawValue + note, theme[field.isClash ? .error : .strong]))
            lines += side("yours ", field.mine, field.theirs, field.isMine, share, width)
            if conflict.stored != nil {
                lines += side("theirs", field.theirs, field.mine, field.isTheirs, share, width)
            }
        }
        return lines
    }

    /// Returns lines of one version, from the first that differs from the other.
    private func side(
        _ name: String, _ text: String, _ other: String, _ isChanged: Bool, _ maxLines: Int, _ width: Int
    ) -> [StyledRun] {
        let old = other.split(separator: "\n", maxSplits: 10_000, omittingEmptySubsequences: false)
        let new = text.split(separator: "\n", maxSplits: 10_000, omittingEmptySubsequences: false)
        let first = min(zip(old, new).prefix { $0 == $1 }.count, max(0, new.count - 1))
        let shown = new.dropFirst(first).prefix(maxLines)
        let style = isChanged ? Style.plain : theme[.muted]
        return shown.enumerated().map { row, line in
            let isCut = row == maxLines - 1 && new.count - first > maxLines
            let label = row == 0 ? "  \(name)  \(first > 0 ? "… " : "")" : "          "
            return StyledRun(
                label + (line.isEmpty ? "(empty)" : line.prefix(width)) + (isCut ? " …" : ""), style)
        }
    }
}
