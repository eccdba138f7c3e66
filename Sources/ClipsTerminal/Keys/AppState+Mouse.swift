import ClipsCore
import LiveQuery
import Terminal

/// The mouse: buttons, boxes, rows, headers, and links are clickable; the wheel scrolls the pane under it.
extension AppState {
    mutating func handle(_ action: Key.MouseAction, at position: Position) {
        let layout = layout
        switch action {
        case .wheelDown: scroll(by: 3, at: position, layout)
        case .wheelUp: scroll(by: -3, at: position, layout)
        case .press: click(position, layout)
        }
    }

    private mutating func scroll(by rows: Int, at position: Position, _ layout: Layout) {
        if menu != nil, screen != .conflict {
            menu?.move(by: rows.signum())
        } else if prompt?.kind == .filter {
            moveInFilter(.move(rows: rows))
        } else if screen == .list, layout.sidebar?.contains(position) == true {
            sidebar.scroll.move(by: rows)
        } else if screen == .list, let area = layout.detail, area.contains(position) || layout.list == nil {
            reader.move(by: rows)
        } else if screen == .list {
            list.clips.move(by: rows)
        } else {
            if screen == .history { history.isInChanges = HistoryScreen.isInChanges(position, self, layout) }
            move(.rows(rows), count: nil)
        }
    }

    private mutating func click(_ position: Position, _ layout: Layout) {
        if let hints = layout.hints, hints.contains(position) {
            return press(HintLine(state: self).button(at: position.column, width: hints.size.columns))
        }
        if let box = MenuBox(state: self) { return click(box.index(at: position, layout)) }
        if let prompt {
            guard prompt.kind == .filter else { return }
            self.prompt = nil
            accept(prompt, isByClick: true)
        }
        message = nil
        switch screen {
        case .list: clickInList(position, layout)
        case .history: clickInHistory(position, layout)
        case .help: clickInHelp(position, layout)
        case .consumers, .errors, .conflict, .output: break
        }
    }

    private mutating func press(_ button: HintLine.Button?) {
        switch button {
        case .key(let key)?: handle(key)
        case .candidate(let index)?:
            guard let completion, var prompt else { return }
            prompt.editor.replace(from: completion.start, with: completion.candidates[index])
            prompt.completion = nil
            self.prompt = prompt
            textChanged(in: prompt)
        case .action(let action)?:
            message = nil
            perform(action, count: nil)
        case nil: break
        }
    }

    /// Chooses an item of the menu, or the rest of a sequence of keys; outside the box, closes it.
    private mutating func click(_ index: Int?) {
        guard let index else { return handle(.escape) }
        if let menu {
            message = nil
            return choose(menu.items[index].choice)
        }
        for key in keys.continuations(of: typing.pressed)[index].keys { handle(key) }
    }

    /// Selects the row, or opens it if it is selected; sorts by a column, or opens a link.
    private mutating func clickInList(_ position: Position, _ layout: Layout) {
        if let area = layout.list, area.contains(position) {
            let index = list.clips.top + position.row - area.row
            guard list.clips.row(at: index) != nil else { return }
            if index == list.clips.selectedIndex, !reader.hasFocus { return perform(.open, count: nil) }
            reader.hasFocus = false
            list.clips.moveTo(index: index)
        } else if let area = layout.sidebar, area.contains(position) {
            reader.hasFocus = false
            if position.row > area.row { showSidebarEntry(sidebar.scroll.top + position.row - area.row - 1) }
        } else if let header = layout.header, header.contains(position) {
            let column = columns(of: layout).column(at: position.column - header.column)
            guard let attribute = column?.name.attribute else { return }
            let usual = ClipQuery.sort(named: attribute.rawValue)
            sort(by: attribute, isReversed: list.query.sort == usual)
        } else if layout.detail?.contains(position) == true, let text = layout.text, target != nil {
            let (line, column) = (position.row - text.row, position.column - text.column)
            if let url = reader.link(line: line, column: column) {
                openPage(url)
            } else if !reader.hasFocus {
                perform(.open, count: nil)
            }
        }
    }

    private mutating func clickInHistory(_ position: Position, _ layout: Layout) {
        guard let area = layout.list, area.contains(position) else { return }
        if HistoryScreen.isInChanges(position, self, layout) {
            guard history.selectedDetail != nil else { return history.switchPane() }
            let isSelected = history.isInChanges
            history.isInChanges = true
            guard let index = HistoryScreen(state: self).change(at: position, layout) else { return }
            if isSelected, index == history.change { return openInHistory() }
            return history.moveTo(index: index)
        }
        let index = history.top + position.row - area.row
        guard history.row(at: index) != nil else { return }
        if index == history.selected, !history.isInChanges { return openInHistory() }
        history.isInChanges = false
        history.moveTo(index: index)
    }

    private mutating func clickInHelp(_ position: Position, _ layout: Layout) {
        guard let area = layout.list, area.contains(position) else { return }
        let entries = help.entries(keys)
        let lines = HelpScreen.lines(entries, keys, columns: area.size.columns)
            .dropFirst(help.top + position.row - area.row)
        guard let index = entries.firstIndex(where: { $0.action == lines.first?.action }) else { return }
        if index == help.selected { return runHelpEntry() }
        help.moveTo(index: index)
    }
}
