import ClipsCore
import Terminal

/// The line of available keys at the bottom, which are buttons for the mouse. A narrow screen shows the most
/// useful ones.
struct HintLine {
    let state: AppState
    private var theme: Theme { state.theme }

    /// The effect of a click.
    enum Button: Hashable, Sendable {
        case action(Action)
        case key(Key)
        /// Completes the typed word.
        case candidate(Int)
    }

    private struct Hint {
        let button: Button
        let key: String
        let label: String
        /// On a narrow screen, the lowest ranks remain.
        let rank: Int
        var columns: Int { DisplayWidth.columns(of: key) + DisplayWidth.columns(of: label) + 4 }
    }

    /// Returns the button at a column of a line.
    func button(at column: Int, width: Int) -> Button? {
        if let completion = candidates {
            return Self.spans(completion, width: width).first { $0.columns.contains(column) }
                .map { .candidate($0.index) }
        }
        return spans(width: width).first { $0.columns.contains(column) }?.hint.button
    }

    func draw(_ line: Rect, _ frame: inout Frame) {
        if let completion = candidates {
            for (index, columns) in Self.spans(completion, width: line.size.columns) {
                frame.put(
                    SafeText.cut(completion.candidates[index], to: columns.count), in: line,
                    column: columns.lowerBound,
                    style: theme[index == completion.selected ? .selection : .muted])
            }
            return
        }
        for (hint, columns) in spans(width: line.size.columns) {
            let button = Rect(
                row: line.row, column: line.column + columns.lowerBound, rows: 1, columns: columns.count)
            frame.fill(button, style: theme[.bar])
            let used = frame.put(hint.key, in: button, column: 1, style: theme.key(on: theme[.bar])) + 2
            frame.put(hint.label, in: button, column: used, style: theme[.bar])
        }
    }

    /// The columns of the hints that fit.
    private func spans(width: Int) -> [(hint: Hint, columns: Range<Int>)] {
        var hints = hints
        var left = width + 1 - hints.reduce(0) { $0 + $1.columns }
        while left < 0, let last = hints.indices.max(by: { hints[$0].rank < hints[$1].rank }) {
            left += hints.remove(at: last).columns
        }
        var column = 0
        return hints.map { hint in
            defer { column += hint.columns }
            return (hint, column..<column + hint.columns - 1)
        }
    }

    private var candidates: Completion? {
        state.completion.flatMap { $0.candidates.isEmpty ? nil : $0 }
    }

    /// The columns of the candidates for Tab, from two before the selected one.
    private static func spans(_ completion: Completion, width: Int) -> [(index: Int, columns: Range<Int>)] {
        var column = 1
        var spans: [(index: Int, columns: Range<Int>)] = []
        for index in max(0, (completion.selected ?? 0) - 2)..<completion.candidates.count
        where column < width - 2 {
            let used = min(DisplayWidth.columns(of: completion.candidates[index]), width - column)
            spans.append((index, column..<column + used))
            column += used + 2
        }
        return spans
    }

    private var hints: [Hint] {
        if let prompt = state.prompt { return ranked(keys(of: prompt.kind)) }
        if state.menu != nil {
            let last = state.screen == .conflict ? "later" : "close"
            return ranked([([.enter], "choose"), ([.escape], last), ([.down, .up], "move")])
        }
        if !state.typing.pressed.isEmpty { return ranked([([.escape], "cancel")]) }
        if state.pick != nil, state.screen == .list { return ranked(pickActions) }
        guard state.screen == .list, !state.reader.hasFocus, state.list.marks.isEmpty else {
            return ranked(
                actions.filter { action, _ in
                    (canSave || !ActionTable[action].saves)
                        && (action != .restore || state.unavailabilityReason(of: action) == nil)
                        && (action != .open || state.history.selectedChange?.exists ?? true)
                })
        }
        return ActionTable.hinted.filter { entry, _ in
            (canSave || !entry.saves) && (!entry.needsClip || state.target != nil)
        }.map { entry, hint in
            self.hint(entry.action, hint.label, hint.rank)
        }
    }

    private var canSave: Bool { state.saving.unavailabilityReason == nil }

    private func hint(_ action: Action, _ label: String, _ rank: Int) -> Hint {
        Hint(button: .action(action), key: state.keys.name(of: action), label: label, rank: rank)
    }

    private func ranked(_ actions: [(Action, String)]) -> [Hint] {
        actions.enumerated().map { hint($1.0, $1.1, $0) }
    }

    /// - Parameter keys: Alternatives; a click presses the first.
    private func ranked(_ keys: [(keys: [Key], label: String)]) -> [Hint] {
        keys.enumerated().map {
            let names = $1.keys.map { KeyMap.shown($0) }.joined(separator: " ")
            return Hint(button: .key($1.keys[0]), key: names, label: $1.label, rank: $0)
        }
    }

    /// Returns the keys of a prompt, in which letters are text.
    private func keys(of kind: Prompt.Kind) -> [(keys: [Key], label: String)] {
        let (cancel, complete) = (([Key.escape], "cancel"), ([Key.tab], "complete"))
        return switch kind {
        case .filter:
            (state.pick != nil && state.target == nil && !state.actsOnMarks
                ? [] : [([.enter], state.pick == nil ? "keep" : "print")]) + [
                    ([.escape], state.pick == nil ? "cancel" : "leave"),
                    ([.tab], state.pick?.isSeveral == true ? "mark" : "complete"),
                ]
                + (state.pick == nil
                    ? [([.up], "earlier"), ([.control("n"), .control("p")], "move")]
                    : [([.down, .up], "move")]) + [([.control("u")], "clear")]
        case .text: [([.enter], "search"), cancel]
        case .add, .note, .quoteNote: [([.enter], "save"), cancel]
        case .tags: [([.enter], "save"), cancel, complete]
        case .command: [([.enter], "run"), cancel, complete, ([.up], "earlier")]
        case .helpFilter: [([.enter], "run"), cancel, ([.down, .up], "move")]
        case .historyFilter: [([.enter], "filter"), cancel, complete]
        }
    }

    private var pickActions: [(Action, String)] {
        [(.pick, "print")] + (state.pick?.isSeveral == true ? [(.mark, "mark")] : [])
            + [(.filter, "filter"), (.back, "back"), (.switchPane, "read"), (.help, "help")]
    }

    /// What Enter does in a row of the history.
    private var historyGoal: String {
        if state.history.meantChange?.exists == true { return "go to the clip" }
        return state.history.selectedRow?.isFolded == true ? "rows" : "changes"
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
        case .history where state.history.isInChanges:
            [
                (.help, "help"), (.back, "back to the rows"), (.open, "go to the clip"),
                (.restore, "restore this clip"),
            ]
        case .history:
            [
                (.help, "help"), (.back, "back"), (.filter, "author, time"), (.open, historyGoal),
                (.restore, "restore the row"), (.switchPane, "changes"),
            ]
        case .help: [(.back, "back"), (.filter, "search"), (.open, "run"), (.down, "down")]
        case .output:
            [(.back, "back"), (.filter, "search"), (.down, "down"), (.wrap, "wrap"), (.help, "help")]
                + (state.textHighlight == nil ? [] : [(.nextMatch, "next match")])
        case .consumers, .errors, .conflict: [(.back, "back"), (.down, "down"), (.help, "help")]
        }
    }
}
