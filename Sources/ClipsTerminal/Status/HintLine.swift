import Terminal

/// The line of available keys at the bottom. A narrow screen shows the most useful ones.
struct HintLine {
    let state: AppState
    private var theme: Theme { state.theme }

    private struct Hint {
        let key: String
        let label: String
        /// On a narrow screen, the lowest ranks remain.
        let rank: Int
        let columns: Int

        init(key: String, label: String, rank: Int) {
            (self.key, self.label, self.rank) = (key, label, rank)
            columns = DisplayWidth.columns(of: key) + DisplayWidth.columns(of: label) + 4
        }
    }

    func draw(_ line: Rect, _ frame: inout Frame) {
        if let completion = state.completion, !completion.candidates.isEmpty {
            return drawCandidates(completion.candidates, chosen: completion.selected, line, &frame)
        }
        var hints = hints
        var width = hints.reduce(0) { $0 + $1.columns }
        while width > line.size.columns + 1,
            let last = hints.indices.max(by: { hints[$0].rank < hints[$1].rank })
        {
            width -= hints.remove(at: last).columns
        }
        var column = 0
        for hint in hints {
            // Each key is a button.
            let button = Rect(row: line.row, column: line.column + column, rows: 1, columns: hint.columns - 1)
            frame.fill(button, style: theme.bar)
            let used = frame.put(hint.key, in: button, column: 1, style: theme.key(on: theme.bar)) + 2
            frame.put(hint.label, in: button, column: used, style: theme.bar)
            column += hint.columns
        }
    }

    /// Draws the candidates for Tab instead of the keys.
    private func drawCandidates(_ candidates: [String], chosen: Int?, _ line: Rect, _ frame: inout Frame) {
        var column = 1
        // Scrolls to the selected candidate.
        for (index, candidate) in candidates.enumerated().dropFirst(max(0, (chosen ?? 0) - 2)) {
            guard column < line.size.columns - 2 else { return }
            column += frame.put(
                SafeText.cut(candidate, to: line.size.columns - column), in: line, column: column,
                style: index == chosen ? theme.selection : theme.dim)
            column += 2
        }
    }

    private var hints: [Hint] {
        if let prompt = state.prompt { return Self.ranked(Self.keys(of: prompt.kind)) }
        if state.menu != nil {
            let last = state.screen == .conflict ? "later" : "close"
            return Self.ranked([("Enter", "choose"), ("Esc", last), ("↑ ↓", "move")])
        }
        if state.pick != nil, state.screen == .list {
            return Self.ranked(pickActions.map { (state.keys.name(of: $0.0), $0.1) })
        }
        guard state.screen == .list, !state.reader.hasFocus, state.list.marks.isEmpty else {
            let available = actions.filter { canSave || !ActionTable[$0.0].saves }
            return Self.ranked(available.map { (state.keys.name(of: $0.0), $0.1) })
        }
        return ActionTable.hinted.filter { canSave || !$0.entry.saves }.map { entry, hint in
            Hint(key: state.keys.name(of: entry.action), label: hint.label, rank: hint.rank)
        }
    }

    private var canSave: Bool { state.saving.unavailabilityReason == nil }

    private static func ranked(_ keys: [(key: String, label: String)]) -> [Hint] {
        keys.enumerated().map { Hint(key: $1.key, label: $1.label, rank: $0) }
    }

    /// Returns the keys of a prompt, in which letters are text.
    private static func keys(of kind: Prompt.Kind) -> [(key: String, label: String)] {
        switch kind {
        case .filter:
            [
                ("Enter", "keep"), ("Esc", "cancel"), ("Tab", "complete"), ("↑", "earlier"),
                ("^N ^P", "move"),
                ("^U", "clear"),
            ]
        case .text: [("Enter", "search"), ("Esc", "cancel")]
        case .add: [("Enter", "save"), ("Esc", "cancel")]
        case .tags: [("Enter", "save"), ("Esc", "cancel"), ("Tab", "complete")]
        case .command: [("Enter", "run"), ("Esc", "cancel"), ("Tab", "complete"), ("↑", "earlier")]
        case .helpFilter: [("Enter", "run"), ("Esc", "cancel"), ("↑ ↓", "move")]
        case .historyFilter: [("Enter", "filter"), ("Esc", "cancel"), ("Tab", "complete")]
        }
    }

    private var pickActions: [(Action, String)] {
        [(.pick, "print")] + (state.pick?.isSeveral == true ? [(.mark, "mark")] : [])
            + [(.filter, "filter"), (.back, "back"), (.switchPane, "read"), (.help, "help")]
    }

    private var actions: [(Action, String)] {
        switch state.screen {
        case .list where state.reader.hasFocus:
            [
                (.help, "help"), (.back, "back"), (.nextClip, "next"), (.archive, "archive"),
                (.browse, "browser"), (.filter, "search"), (.copy, "copy"), (.edit, "edit"),
                (.delete, "delete"), (.tag, "tags"), (.star, "star"), (.wrap, "wrap"), (.zoom, "zoom"),
            ] + (state.readerHighlight == nil ? [] : [(.nextMatch, "next match")])
        case .list:
            [
                (.help, "help"), (.back, "unmark"), (.delete, "delete"), (.tag, "tag"), (.star, "star"),
                (.copy, "copy"), (.browse, "browser"),
            ]
        case .history:
            [
                (.help, "help"), (.back, "back"), (.filter, "author, time"), (.switchPane, "changes"),
                (.restore, "restore"), (.consumers, "consumers"),
            ]
        case .help: [(.back, "back"), (.filter, "search"), (.open, "run"), (.down, "down")]
        case .consumers, .errors, .conflict: [(.back, "back"), (.down, "down"), (.help, "help")]
        }
    }
}
