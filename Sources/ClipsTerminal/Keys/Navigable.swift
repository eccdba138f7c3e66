import LiveQuery

/// A movement of a cursor or of text on the screen.
enum Motion: Sendable {
    case rows(Int)
    case halfPages(Int)
    case pages(Int)
    case start, end
}

/// A list or text in which the keys of the group "Moving" move.
protocol Navigable {
    /// The selected row, or the first visible line.
    var index: Int { get }
    var height: Int { get }
    /// Moves to an index, or to the nearest valid one.
    mutating func moveTo(index: Int)
    mutating func move(by rows: Int)
    mutating func moveToStart()
    mutating func moveToEnd()
    mutating func page(by pages: Int, half: Bool)
}

extension Navigable {
    mutating func move(by rows: Int) { moveTo(index: index + rows) }
    mutating func moveToStart() { moveTo(index: 0) }
    mutating func moveToEnd() { moveTo(index: .max) }

    mutating func page(by pages: Int, half: Bool) {
        move(by: pages * max(1, half ? height / 2 : height - 2))
    }

    mutating func move(_ motion: Motion, count: Int?) {
        let times = count ?? 1
        switch motion {
        case .rows(let rows): move(by: rows * times)
        case .halfPages(let pages): page(by: pages * times, half: true)
        case .pages(let pages): page(by: pages * times, half: false)
        case .start: moveToStart()
        case .end: if let count { moveTo(index: count - 1) } else { moveToEnd() }
        }
    }
}

extension LiveList: Navigable {
    var index: Int { selectedIndex }
}

extension AppState {
    mutating func move(_ motion: Motion, count: Int?) {
        switch screen {
        case .help: help.move(motion, count: count)
        case .history: history.move(motion, count: count)
        case .consumers, .errors: page.move(motion, count: count)
        case .conflict: break
        case .list where !reader.hasFocus: list.clips.move(motion, count: count)
        case .list, .output:
            if case .end = motion, count == nil, let id = reader.id, let text = reader.text {
                // Measuring a long text takes time, so the worker does it.
                reader.seeksEnd = true
                emit(.measure(id: id, text))
            } else {
                reader.move(motion, count: count)
            }
        }
    }
}
