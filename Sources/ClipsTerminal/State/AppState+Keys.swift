import ClipsCore
import PersistentStore
import Terminal

extension AppState {
    mutating func take(_ key: Key) {
        switch key {
        case .mouse(.wheelDown, _): return perform(.down, count: 3)
        case .mouse(.wheelUp, _): return perform(.up, count: 3)
        case .resize, .unknown, .mouse: return
        default: break
        }
        message = nil
        if prompt != nil { return takeInPrompt(key) }
        if case .character(let character) = key, let digit = character.wholeNumberValue, character.isASCII,
            digit > 0 || typedCount != nil
        {
            typedCount = min((typedCount ?? 0) * 10 + digit, 999_999_999)
            return
        }
        let count = typedCount
        typedCount = nil
        if case .paste(let text) = key {
            prompt = Prompt(kind: .add, editor: LineEditor(text))
            screen = .list
        } else if case .pasteCut = key {
            tell("The paste was too long; only its beginning was taken.", isError: true)
        } else if let action = keys[key] {
            perform(action, count: count)
        } else {
            tell("\(KeyMap.shown(key)) does nothing here · \(keys.name(of: .help)) lists the keys")
        }
    }

    mutating func perform(_ action: Action, count: Int?) {
        switch action {
        case .quit: quitOrReturn()
        case .redraw: emit(.redraw)
        case .suspend: emit(.suspend)
        case .help:
            screen = screen == .help ? .list : .help
            help.moveToStart()
        case .history: toggleHistory()
        case .back where count != nil: break
        case .back where screen != .list: screen = .list
        case .down, .up, .first, .last, .halfPageDown, .halfPageUp, .pageDown, .pageUp:
            move(action, count: count)
        default:
            guard screen == .list else {
                return tell("\(keys.name(of: .back)) goes back to the list, where that can be done.")
            }
            performOnList(action)
        }
    }

    private mutating func quitOrReturn() {
        if screen != .list {
            screen = .list
        } else if isReading, layout.arrangement == .detailOnly {
            isReading = false
        } else if saving.count > 0, !isQuitting {
            isQuitting = true
            tell("Waiting for the last save; \(keys.name(of: .quit)) again leaves at once and may lose it.")
        } else {
            emit(.quit)
        }
    }

    private mutating func toggleHistory() {
        screen = screen == .history ? .list : .history
        if screen == .history { emit(.loadHistory) }
    }

    private mutating func performOnList(_ action: Action) {
        switch action {
        case .open:
            if target != nil { isReading = true }
        case .switchPane: isReading = !isReading && target != nil
        case .back: goBack()
        case .left: detail.scrollSideways(by: -8)
        case .right: detail.scrollSideways(by: detail.isWrapped ? 0 : 8)
        case .wrap:
            detail.isWrapped.toggle()
            tell(detail.isWrapped ? "Lines are wrapped." : "Lines are shown as they are; ← → move them.")
        case .filter:
            isReading = false
            let place = list.selectedID.map { Wanted(id: $0, screenRow: list.selectedIndex - list.top) }
            beforeFilter = (query, place, list.selectedRow?.position)
            prompt = Prompt(kind: .filter, editor: LineEditor(query.filter))
        case .follow:
            list.follows.toggle()
            tell(
                list.follows
                    ? "Following: at the top, new clips come into view."
                    : "Not following: the list stays where it is.")
        case .pause: togglePause()
        case .add: prompt = Prompt(kind: .add, editor: LineEditor())
        case .undo: undo()
        case .redo: redo()
        default: performOnClip(action)
        }
    }

    private mutating func performOnClip(_ action: Action) {
        guard let (id, row) = target else {
            return tell("There is no clip here; \(keys.name(of: .add)) adds one.")
        }
        let url = row?.url ?? detail.clip?.url ?? ""
        let title = row?.title ?? detail.clip?.displayTitle ?? ""
        switch action {
        case .edit: emit(.loadForEdit(id))
        case .star:
            let isStarred = row?.isStarred ?? detail.clip?.isStarred ?? false
            change(id, .starred, to: !isStarred, isStarred ? "took the star away" : "gave a star")
        case .toggleUnread:
            let isUnread = row?.isUnread ?? detail.clip?.isUnread ?? false
            change(id, .unread, to: !isUnread, isUnread ? "marked as read" : "marked as unread")
        case .delete:
            start(.delete(id, title: title))
            if isReading, layout.arrangement == .detailOnly { isReading = false }
        case .browse:
            if url.isEmpty { tell("This clip has no address to open.") } else { emit(.open(url: url)) }
        case .copy:
            if url.isEmpty { tell("This clip has no address to copy.") } else { emit(.copy(url)) }
        default: break
        }
    }

    private mutating func change(_ id: Int64, _ attribute: ClipAttribute, to value: Bool, _ what: String) {
        start(.update(id, version: nil, [attribute: .boolean(value)], what, form: nil))
    }

    private mutating func goBack() {
        if isReading {
            isReading = false
        } else if !query.filter.isEmpty {
            show(ClipQuery(sort: query.sort), around: list.selectedRow?.position)
        } else {
            tell("\(keys.name(of: .quit)) leaves the program.")
        }
    }
}

/// What the moving keys move.
protocol Movable {
    mutating func move(by rows: Int)
    mutating func moveToStart()
    mutating func moveToEnd()
    mutating func moveTo(index: Int)
    mutating func page(by pages: Int, half: Bool)
}

extension Movable {
    mutating func take(_ action: Action, count: Int?) {
        let times = count ?? 1
        switch action {
        case .down: move(by: times)
        case .up: move(by: -times)
        case .first: moveToStart()
        case .last: if let count { moveTo(index: count - 1) } else { moveToEnd() }
        case .halfPageDown: page(by: times, half: true)
        case .halfPageUp: page(by: -times, half: true)
        case .pageDown: page(by: times, half: false)
        case .pageUp: page(by: -times, half: false)
        default: break
        }
    }
}

extension LiveList: Movable {}

extension AppState {
    private mutating func move(_ action: Action, count: Int?) {
        switch screen {
        case .help: help.take(action, count: count)
        case .history: history.take(action, count: count)
        case .list where !isReading: list.take(action, count: count)
        case .list:
            if action == .last, count == nil, let id = detail.id, let text = detail.text {
                // The end of a long text is looked for away from the keys.
                emit(.measure(id: id, text))
            } else {
                detail.take(action, count: count)
            }
        }
    }
}
