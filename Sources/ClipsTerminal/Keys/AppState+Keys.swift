import ClipsCore
import PersistentStore
import Terminal

extension AppState {
    mutating func take(_ key: Key) {
        switch key {
        case .mouse(let action, let place): return take(action, at: place)
        case .resize, .unknown: return
        default: break
        }
        message = nil
        if prompt != nil { return takeInPrompt(key) }
        if menu != nil { return takeInMenu(key) }
        if case .character(let character) = key, let digit = character.wholeNumberValue, character.isASCII,
            digit > 0 || typedCount != nil
        {
            typedCount = min((typedCount ?? 0) * 10 + digit, 999_999_999)
            return
        }
        let count = typedCount
        typedCount = nil
        if case .paste(let text) = key {
            if let obstacle = saving.obstacle { return tell(obstacle) }
            screen = .list
            prompt = Prompt(kind: .add, editor: LineEditor(text))
        } else if case .pasteCut = key {
            tell("The paste was too long; only its beginning was taken.", isError: true)
        } else if let action = keys[key] {
            perform(action, count: count)
        } else {
            tell("\(KeyMap.shown(key)) does nothing here · \(keys.name(of: .help)) lists the keys")
        }
    }

    private mutating func take(_ action: Key.MouseAction, at place: Position) {
        switch action {
        case .wheelDown where prompt == nil && menu == nil: perform(.down, count: 3)
        case .wheelUp where prompt == nil && menu == nil: perform(.up, count: 3)
        case .press where prompt == nil && menu == nil && screen == .list: click(place)
        default: break
        }
    }

    /// A click selects a row; one on the selected row opens the clip.
    private mutating func click(_ place: Position) {
        message = nil
        if let area = layout.list, area.contains(place) {
            let index = list.top + place.row - area.row
            guard list.row(at: index) != nil else { return }
            if index == list.selectedIndex, !isReading { return perform(.open, count: nil) }
            isReading = false
            list.moveTo(index: index)
        } else if let area = layout.detail, area.contains(place), target != nil {
            isReading = true
        }
    }

    mutating func perform(_ action: Action, count: Int?) {
        if let obstacle = obstacle(to: action) { return tell(obstacle) }
        switch action {
        case .quit: quitOrReturn()
        case .redraw: emit(.redraw)
        case .suspend: emit(.suspend)
        case .help: toggleHelp()
        case .history: toggleHistory()
        case .consumers:
            guard screen != .consumers else { return showHistory() }
            screen = .consumers
            pageOfText.moveToStart()
            emit(.loadConsumers)
        case .errors:
            screen = screen == .errors ? .list : .errors
            pageOfText.moveToStart()
        case .command: prompt = Prompt(kind: .command, clip: target?.id)
        case .set: prompt = Prompt(kind: .command, editor: LineEditor("set "))
        case .toggleMouse:
            isMouseOn.toggle()
            _ = config.set(Setting.mouse.rawValue, isMouseOn ? "on" : "off")
            emit(.setMouse(isMouseOn))
            tell(isMouseOn ? "The mouse moves the cursor." : "The mouse selects text, as in the terminal.")
        case .back: goBack(isCountOnly: count != nil)
        case .down, .up, .first, .last, .halfPageDown, .halfPageUp, .pageDown, .pageUp:
            move(action, count: count)
        default: performOnScreen(action, count: count)
        }
        if [.command, .set, .filter].contains(action) { emit(.loadNames) }
    }

    private mutating func performOnScreen(_ action: Action, count: Int?) {
        switch (screen, action) {
        case (.help, .open): runHelpEntry()
        case (.help, .filter): prompt = Prompt(kind: .helpFilter, editor: LineEditor(help.filter))
        case (.history, .filter):
            prompt = Prompt(kind: .historyFilter, editor: LineEditor(history.filter.text))
        case (.history, .open): openInHistory()
        case (.history, .switchPane): history.isInChanges.toggle()
        case (.history, .restore): restore()
        case (_, .undo): undo()
        case (_, .redo): redo()
        default: performOnList(action, count: count)
        }
    }

    private mutating func quitOrReturn() {
        if screen == .consumers {
            showHistory()
        } else if screen != .list {
            leaveScreen()
        } else if isReading {
            // The same on a wide screen as on a narrow one.
            isReading = false
        } else if saving.count > 0, !isQuitting {
            isQuitting = true
            tell("Waiting for the last save; \(keys.name(of: .quit)) again leaves at once and may lose it.")
        } else {
            emit(.quit)
        }
    }

    private mutating func leaveScreen() {
        if screen == .help { screen = help.origin } else { screen = .list }
        if screen == .conflict { screen = .list }
    }

    private mutating func toggleHistory() {
        if screen == .history { screen = .list } else { showHistory() }
    }

    private mutating func showHistory() {
        screen = .history
        emit(.loadHistory(history.filter))
    }

    private mutating func toggleHelp() {
        if screen == .help { return leaveScreen() }
        help.origin = screen
        help.clip = target?.id
        help.filter = ""
        help.moveToStart()
        screen = .help
    }

    /// Runs an entry where the help was opened; what cannot be done there is told, and the help stays.
    mutating func runHelpEntry() {
        let entries = help.entries(keys)
        guard entries.indices.contains(help.selected) else { return }
        let action = entries[help.selected].action
        if let obstacle = obstacle(to: action, on: help.origin) { return tell(obstacle) }
        leaveScreen()
        if action.actsOnClip, screen == .list, !isStill(on: help.clip) { return }
        if action != .help { perform(action, count: nil) }
    }

    private mutating func goBack(isCountOnly: Bool) {
        if isCountOnly { return }
        switch screen {
        case .consumers: showHistory()
        case .history where history.isInChanges: history.isInChanges = false
        case .history where !history.filter.isEmpty: filterHistory("")
        case .help where !help.filter.isEmpty: help.filter = ""
        case .help, .history, .errors, .conflict: leaveScreen()
        case .list: goBackInList()
        }
    }

    private mutating func goBackInList() {
        if marks.range != nil {
            marks.dropRange()
        } else if isReading {
            isReading = false
        } else if !marks.isEmpty {
            marks.clear()
        } else if isZoomed {
            isZoomed = false
        } else if !query.filter.isEmpty {
            show(ClipQuery(sort: query.sort), around: list.selectedRow?.position)
        } else {
            tell("\(keys.name(of: .quit)) leaves the program.")
        }
    }
}
