import ClipsCore

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
    mutating func move(_ action: Action, count: Int?) {
        switch screen {
        case .help: help.take(action, count: count)
        case .history: history.take(action, count: count)
        case .consumers, .errors: pageOfText.take(action, count: count)
        case .conflict: break
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

    /// Puts the cursor on a clip, wherever in the list it is.
    mutating func goTo(_ id: Int64) {
        isReading = false
        guard !list.select(id: id) else { return }
        show(query, aroundClip: id)
        feed.wanted = Wanted(id: id)
    }

    /// With a filter every row matches; without one, the last words are looked for among all clips.
    mutating func goToMatch(isForward: Bool, count: Int) {
        let words = query.filter.isEmpty ? lastWords : query.filter
        if isReading {
            if !detail.moveToLine(containing: words, isForward: isForward) {
                tell("“\(words)” is not in the text \(isForward ? "below" : "above").")
            }
        } else if !query.filter.isEmpty {
            list.move(by: isForward ? count : -count)
        } else {
            let wanted = ClipQuery(filter: words, sort: query.sort)
            feed.isFinding = true
            emit(.findMatch(wanted, from: list.selectedRow?.position, isForward: isForward))
        }
    }

    mutating func takeMatch(_ id: Int64?) {
        feed.isFinding = false
        guard let id else { return tell("No clip contains “\(lastWords)”.") }
        goTo(id)
    }
}
