import ClipsCore
import Terminal

/// A key that waits for the list it was meant for.
enum TypedKey: Hashable, Sendable {
    case key(Key)
    /// Up or down while a filter is typed.
    case move(rows: Int)
    case page(Int)

    var isMove: Bool { if case .key = self { false } else { true } }
}

extension AppState {
    /// Whether the list that the person asked for, or the row they went to, is still to come: another key
    /// pressed now is meant for that, not for what the screen shows.
    var isListAwaited: Bool {
        // What cannot come is not waited for: a list that fails, or one that stands still.
        guard feed.retryAt == nil else { return false }
        if feed.isShowing || feed.isFinding { return true }
        return list.isAwaitingCursor && pause?.messages.isEmpty ?? true && pause?.isOverfull != true
    }

    /// Whether the list has the keys.
    private var isForList: Bool { screen == .list && prompt == nil && menu == nil }

    /// Half a range is neither closed nor used.
    private func isAwaited(by key: Key) -> Bool {
        guard marks.isGathering else { return isListAwaited }
        switch keys[key] {
        case .range, .mark, .star, .toggleUnread, .delete, .tag, .copy, .browse: return true
        default: return isListAwaited
        }
    }

    /// Keeps a key for later, when it acts on a list that is still to come.
    mutating func keepsForLater(_ key: Key) -> Bool {
        // Keys come in the order they were pressed; another letter makes moves in what is filtered needless.
        let isBehindKeys = feed.typedAhead.contains { !$0.isMove }
        guard isBehindKeys || isForList && !isReading else { return false }
        switch key {
        case .mouse, .resize, .unknown: return false
        default: break
        }
        switch keys[key] {
        case .redraw, .suspend: return false
        case .history where feed.typedAhead.isEmpty, .quit where feed.typedAhead.isEmpty: return false
        case .back:
            feed.typedAhead = []
            return false
        default: guard isAwaited(by: key) || !feed.typedAhead.isEmpty else { return false }
        }
        feed.typedAhead.append(.key(key))
        return true
    }

    /// Moves in what is being filtered, as soon as it is there.
    mutating func moveInFilter(_ move: TypedKey) {
        guard isListAwaited else { return perform(move) }
        // The keys that wait were pressed later.
        feed.typedAhead.insert(move, at: feed.typedAhead.prefix(while: \.isMove).count)
    }

    /// Lets the waiting keys do what they were pressed for, until one of them has to be waited for again.
    mutating func takeTypedAhead() {
        while let next = feed.typedAhead.first {
            if case .key(let key) = next {
                if isForList, isAwaited(by: key) { return }
            } else if isListAwaited {
                return
            }
            perform(feed.typedAhead.removeFirst())
            stretchRange()
            settle()
        }
    }

    private mutating func perform(_ typed: TypedKey) {
        switch typed {
        case .key(let key): take(key)
        case .move(let rows): list.move(by: rows)
        case .page(let pages): list.page(by: pages, half: false)
        }
    }
}
