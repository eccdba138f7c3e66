import ClipsCore
import LiveQuery
import Platform
import Terminal

/// A key that waits for the list it was meant for.
enum TypedKey: Equatable, Sendable {
    case key(Key)
    case click(MouseTarget)
    /// A later action of a key with several, and the clip of the actions before it.
    case binding(Binding, of: ClipRow?)
    /// A move by rows in the list while a filter is typed.
    case move(rows: Int)
    case page(Int)
    /// A mark in the list while the filter of a pick is typed.
    case mark

    var isMove: Bool {
        switch self {
        case .key, .click, .binding: false
        case .move, .page, .mark: true
        }
    }

    var isBinding: Bool { if case .binding = self { true } else { false } }
}

extension AppState {
    /// Whether the list, the row, or the question that the user requested is still loading. A key pressed now is
    /// meant for that, not for the list on the screen.
    var isListAwaited: Bool {
        if typing.awaitedQuestion != nil || isUndoWaiting { return true }
        // A list that fails, or is paused, would let keys wait indefinitely.
        guard list.feed.retryAt == nil else { return false }
        return list.feed.isLoading || list.feed.isSearching || list.clips.isAwaitingCursor && list.isCurrent
            || choiceIsLeaving && !saving.isSlow(at: now)
    }

    /// Whether the clips that a key would act on are those that the key before it removed from the list.
    private var choiceIsLeaving: Bool {
        guard !actsOnMarks else { return !saving.leaving.isDisjoint(with: list.marks.all) }
        return target.map { saving.leaving.contains($0.id) } ?? false
    }

    /// The binding of a key after those already pressed.
    private func binding(of key: Key) -> Binding? { keys[typing.pressed + [key]] }

    private var isAsking: Bool { prompt != nil || menu != nil }

    /// Whether keys are meant for a question that opens later, on any screen.
    private var isForQuestion: Bool { (typing.awaitedQuestion != nil || isUndoWaiting) && !isAsking }

    private var listHasKeys: Bool { screen == .list && prompt == nil && menu == nil }

    /// Whether a key or click must wait. While a range is loading, only moves extend it; a key
    /// pressed after a deletion is meant for the next clip.
    private func isAwaited(by action: Action?) -> Bool {
        // The number of a link, or their list.
        if reader.hasFocus, reader.awaitsText, action == nil || action == .links { return true }
        guard !isListAwaited, let action else { return isListAwaited }
        if ActionTable[action].needsClip, choiceIsLeaving { return true }
        return list.marks.isGathering
            && (ActionTable[action].group != .moving || [.mark, .range, .pick].contains(action))
    }

    /// Stores a key that acts on a list that is still loading, and returns whether it did.
    mutating func defers(_ key: Key) -> Bool {
        // Keys run in the order they were pressed. Moves are discarded with the filter they were typed in.
        // Those for a question of an action answer it.
        if isAsking || screen == .output && !isForQuestion, typing.ahead.first?.isBinding == true {
            return false
        }
        let isBehindKeys = typing.ahead.contains { !$0.isMove }
        let isForList = listHasKeys && (!reader.hasFocus || reader.awaitsText)
        guard isBehindKeys || isForQuestion || isForList else { return false }
        switch key {
        case .mouse(let mouse, let position):
            guard !isAsking, typing.pressed.isEmpty, let target = mouseTarget(of: mouse, at: position) else {
                return false
            }
            return defers(target.typed, to: target.action)
        case .resize, .unknown: return false
        default: return defers(.key(key), to: binding(of: key)?.action)
        }
    }

    private mutating func defers(_ typed: TypedKey, to action: Action?) -> Bool {
        switch action.map({ ActionTable[$0].typeAhead }) ?? .waits {
        case .immediate: return false
        case .immediateIfFirst where typing.ahead.isEmpty && !isForQuestion: return false
        case .cancels:
            typing.ahead = []
            return false
        case .waits, .immediateIfFirst:
            guard isAwaited(by: action) || !typing.ahead.isEmpty else { return false }
        }
        // A user types no more ahead; a paste without brackets is a key for each character.
        guard typing.ahead.count < Self.maxAhead else {
            report(
                "The keys after \(Self.maxAhead.grouped) that wait for the list were discarded.",
                isError: true)
            return true
        }
        typing.ahead.append(typed)
        return true
    }

    private static let maxAhead = 1000

    /// Moves in the filtered list once it has loaded.
    mutating func moveInFilter(_ move: TypedKey) {
        list.feed.hasMoved = true
        // The mark is meant for a clip on the screen, even while more are searched.
        let isShown =
            move == .mark && typing.ahead.isEmpty && (!list.feed.isLoading || list.feed.isReload)
            && !list.clips.isAwaitingCursor
        guard isListAwaited, !isShown else { return perform(move) }
        // Other waiting keys were pressed later.
        typing.ahead.insert(move, at: typing.ahead.prefix(while: \.isMove).count)
    }

    /// Runs the waiting keys up to the first that must wait again.
    mutating func runTypedAhead() {
        while let index = readyIndex {
            let selected = list.clips.selectedID
            perform(typing.ahead.remove(at: index))
            if saving.count > 0, list.clips.selectedID != selected { saving.hasMoved = true }
            stretchRange()
            reconcile()
        }
        endRows()
    }

    /// The index of the waiting key to run now; nil if it must wait again.
    private var readyIndex: Int? {
        guard let next = typing.ahead.first, !isForQuestion else { return nil }
        switch next {
        case .key(let key): return listHasKeys && isAwaited(by: binding(of: key)?.action) ? nil : 0
        case .click(let target): return listHasKeys && isAwaited(by: target.action) ? nil : 0
        case .binding(let binding, _):
            // A question of the action before it is answered first, also by keys typed before it opened, and the
            // output of its program is read.
            guard !isAsking else { return typing.ahead.firstIndex { !$0.isBinding } }
            guard screen != .output, !typing.awaitsResult else { return nil }
            return listHasKeys && isAwaited(by: binding.action) ? nil : 0
        case .move, .page, .mark: return isListAwaited ? nil : 0
        }
    }

    private mutating func perform(_ typed: TypedKey) {
        switch typed {
        case .key(let key):
            // The key was typed before a failure, which is still to be read.
            let failure = message.flatMap { $0.isError ? $0 : nil }
            handle(key)
            message = message ?? failure
        // It was on a screen without the question.
        case .click(let target): if !isAsking { perform(target) }
        case .binding(let binding, let row):
            // An action before it may have removed the clip from the list, or moved it: the next clip is the one after it.
            let isToUnread = [.nextUnread, .previousUnread].contains(binding.action)
            let isOfRow = actsOnMarks ? isToUnread : isToUnread || ActionTable[binding.action].scope == .clips
            bound = isOfRow && !reader.hasFocus ? row : nil
            perform(binding, count: nil)
            bound = nil
        case .move(let rows): list.clips.move(by: rows)
        case .page(let pages): list.clips.page(by: pages, half: false)
        case .mark: mark(count: 1)
        }
    }
}
