import ClipsCore
import LiveQuery
import Terminal

/// The part of the screen under the mouse, by which a click or a turn of the wheel that waits retains its meaning in a
/// list that loads later.
enum MouseTarget: Equatable, Sendable {
    case button(Action)
    case row(Int64)
    case rows(by: Int)
    /// Nil on a heading.
    case sidebar(Sidebar.Row?)
    case header(ClipAttribute)
    case link(String)
    case text
    /// A part of a screen that does not load.
    case position(Key.MouseAction, Position)

    /// The action that waits for the same.
    var action: Action? {
        switch self {
        case .button(let action): action
        case .row, .rows, .position: .down
        case .sidebar: .searches
        case .header: .sort
        case .link: .browse
        case .text: .open
        }
    }

    var typed: TypedKey { if case .rows(let rows) = self { .move(rows: rows) } else { .click(self) } }
}

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
            // In a pick, Enter follows the click.
            if pick == nil, defers(.mouse(.press, position)) { return }
        }
        message = nil
        switch screen {
        case .list: if let target = listTarget(at: position, layout) { perform(target) }
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
        case .action(let action)?: perform(.button(action))
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

    /// Returns the target of a mouse event that may have to wait; nil for a pane that scrolls by itself.
    func mouseTarget(of action: Key.MouseAction, at position: Position) -> MouseTarget? {
        let layout = layout
        if action == .press, let hints = layout.hints, hints.contains(position) {
            let button = HintLine(state: self).button(at: position.column, width: hints.size.columns)
            guard case .action(let action)? = button else { return nil }
            return .button(action)
        }
        guard screen == .list else { return .position(action, position) }
        guard action != .press else { return listTarget(at: position, layout) }
        guard layout.list?.contains(position) == true else { return nil }
        return .rows(by: action == .wheelDown ? 3 : -3)
    }

    private func listTarget(at position: Position, _ layout: Layout) -> MouseTarget? {
        if let area = layout.list, area.contains(position) {
            return list.clips.row(at: list.clips.top + position.row - area.row).map { .row($0.id) }
        } else if let area = layout.sidebar, area.contains(position) {
            let (rows, index) = (sidebarRows, sidebar.scroll.top + position.row - area.row - 1)
            return .sidebar(position.row > area.row && index < rows.count ? rows[index] : nil)
        } else if let header = layout.header, header.contains(position) {
            let column = columns(of: layout).column(at: position.column - header.column)
            return (column?.name.attribute).map { .header($0) }
        } else if layout.detail?.contains(position) == true, let text = layout.text, target != nil {
            let (line, column) = (position.row - text.row, position.column - text.column)
            return reader.link(line: line, column: column).map { .link($0) } ?? .text
        }
        return nil
    }

    /// Selects a row, or opens it if it is selected; sorts by a column, or opens a link.
    mutating func perform(_ target: MouseTarget) {
        message = nil
        switch target {
        case .button(let action): perform(action, count: nil)
        case .row(let id):
            if id == list.clips.selectedID, !reader.hasFocus { return perform(.open, count: nil) }
            reader.hasFocus = false
            _ = list.clips.select(id: id)
        case .rows(let rows): list.clips.move(by: rows)
        case .sidebar(let row):
            reader.hasFocus = false
            guard let row else { return }
            // Its number may have changed since.
            let index = sidebarRows.firstIndex {
                ($0.query, $0.section, $0.isHeading) == (row.query, row.section, row.isHeading)
            }
            if let index { showSidebarEntry(index) }
        case .header(let attribute):
            sort(by: attribute, isReversed: list.query.sort == ClipQuery.sort(named: attribute.rawValue))
        case .link(let url): openPage(url)
        case .text: if !reader.hasFocus { perform(.open, count: nil) }
        case .position(let action, let position): handle(action, at: position)
        }
    }

    private mutating func clickInHistory(_ position: Position, _ layout: Layout) {
        guard let area = layout.list, area.contains(position) else { return }
        if HistoryScreen.isInChanges(position, self, layout) {
            guard history.selectedTransaction != nil, history.selectedDetail != nil else {
                return history.switchPane()
            }
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
        let lines = HelpScreen.lines(
            help.entries(keys), isFiltered: !help.filter.isEmpty, columns: area.size.columns)
        guard let index = lines.dropFirst(help.top + position.row - area.row).first?.entry else { return }
        if index == help.selected { return runHelpEntry() }
        help.moveTo(index: index)
    }
}
