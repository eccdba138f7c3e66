import Foundation
import Terminal
import TestSupport

@testable import ClipsCore
@testable import ClipsTerminal

extension AppState {
    fileprivate var heldID: Int64? { list.soughtID ?? list.selectedID }
    fileprivate var heldRow: Int { list.selectedIndex - list.top }
}

/// What must hold however a person and the others get into each other's way.
extension LiveSession {
    /// An event that is none of the person's doing leaves alone what they are at.
    mutating func undisturbed(by event: AppEvent, rows news: [ClipRow]? = nil) throws(Broken) {
        let before = state
        let beforeRows = rows
        _ = handle(event)
        if drawsAll { try checkFrame() }
        if let news, case .message(let message) = event, isOfThisList(message, before) {
            rows = state.pause == nil ? news : nil
        }
        if state.feed.isShowing || state.pause != nil { rows = nil }
        // Keys that waited have done their part in it.
        guard before.feed.typedAhead.isEmpty, before.saving.waiting.isEmpty else { return }
        try checkQuestions(before)
        try checkReading(before, event)
        try checkMarks(before, event)
        guard before.list.isLoaded, !before.feed.isShowing, before.feed.wanted == nil, !before.feed.isFinding
        else { return }
        if case .resized = event { return }
        if before.pause != nil { return try checkPause(before, event) }
        if case .message(let message) = event, let beforeRows, let rows {
            try checkCursor(before, message, beforeRows, rows)
        } else if case .worked = event {
            return
        } else if beforeRows != nil, rows != nil {
            try check(state.heldID == before.heldID, "the cursor left clip \(before.heldID ?? 0)")
        }
    }

    private func isOfThisList(_ message: ClipListMessage, _ before: AppState) -> Bool {
        switch message {
        case .window(_, before.feed.generation), .more(_, _, _, _, before.feed.generation),
            .count(_, before.feed.generation), .changes(_, before.feed.generation):
            true
        default: false
        }
    }

    /// What is typed or chosen, and the clips that it is about.
    private func checkQuestions(_ before: AppState) throws(Broken) {
        if let prompt = before.prompt {
            try check(
                state.prompt?.kind == prompt.kind, "the question changed: \(String(describing: state.prompt))"
            )
            try check(state.prompt?.editor.text == prompt.editor.text, "what was typed changed")
            try check(
                state.prompt?.editor.cursor == prompt.editor.cursor, "the place in what was typed changed")
            try check(state.prompt?.clip == prompt.clip, "the question is about another clip")
        } else {
            try check(state.prompt == nil, "a question opened by itself")
        }
        if let menu = before.menu {
            try check(
                state.menu?.title == menu.title && state.menu?.clips == menu.clips
                    && state.menu?.selected == menu.selected, "the menu changed")
        } else if state.screen != .conflict {
            try check(state.menu == nil, "a menu opened by itself")
        }
        try check(state.typedCount == before.typedCount, "the number that was typed changed")
        try check(
            state.screen == before.screen || state.screen == .conflict, "the screen became \(state.screen)")
        try check(state.history.filter == before.history.filter, "the history's filter changed")
    }

    private func checkReading(_ before: AppState, _ event: AppEvent) throws(Broken) {
        if case .matchFound = event { return }
        try check(state.isReading == before.isReading, "reading began or ended by itself")
        guard state.isReading else { return }
        try check(state.detail.id == before.detail.id, "another clip is read")
    }

    private func checkMarks(_ before: AppState, _ event: AppEvent) throws(Broken) {
        var gone: Set<Int64> = []
        if case .message(.transactions(let transactions)) = event {
            gone = Set(transactions.flatMap(\.deletedClips))
        }
        if case .worked(let result) = event, case .delete(let ids, _) = result.work {
            if case .done = result.outcome { gone = Set(ids) }
        }
        try check(
            state.marks.ids == before.marks.ids.subtracting(gone), "the marks became \(state.marks.ids)")
        guard let range = before.marks.range else {
            return try check(state.marks.range == nil, "a range began")
        }
        guard !before.marks.isGathering, !state.marks.isGathering else { return }
        try check(state.marks.range?.ids == range.ids.subtracting(gone), "the range changed")
    }

    /// Nothing moves while the list is held still, but for the person's own work.
    private func checkPause(_ before: AppState, _ event: AppEvent) throws(Broken) {
        if case .message(.transactions(let transactions)) = event, transactions.contains(where: \.isOwn) {
            return
        }
        if case .worked = event { return }
        guard case .message(.changes) = event else { return }
        try check(
            state.list.selectedIndex == before.list.selectedIndex && state.list.top == before.list.top
                && state.list.rows == before.list.rows, "the list moves while it is held")
    }

    /// The same clip on the same row, or its neighbour; back when it returns.
    private func checkCursor(
        _ before: AppState, _ message: ClipListMessage, _ old: [ClipRow], _ new: [ClipRow]
    ) throws(Broken) {
        let follows = before.list.isFollowing
        guard before.list.pendingIndex == nil, let held = before.heldID else { return }
        if let lost = before.list.lostID, !old.contains(where: { $0.id == lost }),
            new.contains(where: { $0.id == lost })
        {
            return try check(follows || state.heldID == lost, "does not go back to clip \(lost)")
        }
        if new.contains(where: { $0.id == held }) {
            if follows { return }
            try check(state.heldID == held, "the cursor went from clip \(held) to \(state.heldID ?? 0)")
            let (was, now) = (before.heldRow, state.heldRow)
            // Only the top of the list cannot be anywhere else.
            try check(now == was || (state.list.top == 0 && now < was), "screen row \(was) became \(now)")
        } else if case .changes = message, let place = old.first(where: { $0.id == held })?.position {
            let index = min(new.count { $0.position < place }, max(0, new.count - 1))
            if follows { return }
            try check(
                state.list.selectedIndex == index,
                "the cursor is at \(state.list.selectedIndex), not beside at \(index)")
            try check(new.isEmpty || state.list.lostID != nil, "forgets the clip that went")
        }
    }
}

extension LiveSession {
    /// Each key does what it is for, to the clips that it is for.
    mutating func press(_ key: Key) throws(Broken) {
        let before = state
        let effects = handle(.key(key))
        if drawsAll { try checkFrame() }
        if state.list.selectedIndex != before.list.selectedIndex || state.feed.isShowing {
            rows = state.feed.isShowing ? nil : rows
        }
        if state.pause == nil, before.pause != nil { rows = nil }
        let works = effects.compactMap { if case .work(let work) = $0 { work } else { nil } }
        if let prompt = before.prompt { return try checkTyped(key, prompt, works) }
        if let menu = before.menu {
            for case .gather(let ids, _, _) in effects { try check(ids == menu.clips, "copies other clips") }
            return
        }
        if state.feed.typedAhead.count == before.feed.typedAhead.count + 1 {
            return try check(
                state.heldID == before.heldID && works.isEmpty, "a waiting key did something")
        }
        guard before.feed.typedAhead.isEmpty, before.screen == .list, let action = before.keys[key] else {
            return
        }
        if case .mouse = key { return }
        try checkDone(action, before, works)
    }

    private func checkTyped(_ key: Key, _ prompt: Prompt, _ works: [Work]) throws(Broken) {
        switch key {
        case .character(let character):
            var text = prompt.editor.characters
            text.insert(character, at: prompt.editor.cursor)
            try check(state.prompt?.editor.characters == text, "“\(character)” was lost")
        case .backspace where prompt.editor.cursor > 0:
            var text = prompt.editor.characters
            text.remove(at: prompt.editor.cursor - 1)
            try check(state.prompt?.editor.characters == text, "a backspace was lost")
        case .enter:
            guard case .tags(let ids, _) = prompt.kind else { return }
            for case .tag(let tagged, _, _) in works {
                try check(Set(tagged).isSubset(of: ids), "tags \(tagged), asked about \(ids)")
            }
        default: return
        }
    }

    private func checkDone(_ action: Action, _ before: AppState, _ works: [Work]) throws(Broken) {
        let list = before.list
        let id = before.isReading ? before.detail.id : list.selectedID
        let marked = before.marks.all
        let chosen = marked.isEmpty || before.isReading ? id.map { [$0] } ?? [] : marked.sorted()
        let last = max(0, list.count - 1)
        let count = before.typedCount ?? 1
        switch action {
        case .down where !before.isReading:
            try check(state.list.selectedIndex == min(list.selectedIndex + count, last), "did not go down")
        case .up where !before.isReading:
            try check(state.list.selectedIndex == max(list.selectedIndex - count, 0), "did not go up")
        case .first where !before.isReading:
            try check(state.list.selectedIndex == 0, "did not go to the first")
        case .last where !before.isReading && before.typedCount == nil && list.isCounted:
            try check(state.list.selectedIndex == last, "did not go to the last")
        case .mark where !chosen.isEmpty && count == 1:
            guard let id, before.marks.range == nil else { return }
            try check(state.marks.ids == before.marks.ids.symmetricDifference([id]), "did not mark \(id)")
        case .delete where !chosen.isEmpty:
            guard case .delete(let ids, _)? = works.first else { throw Broken(sentence: "deletes nothing") }
            try check(ids == chosen, "deletes \(ids), not \(chosen)")
        case .star where !chosen.isEmpty:
            switch works.first {
            case .update(let starred, _, _)?:
                try check([starred] == chosen, "stars \(starred), not \(chosen)")
            case .toggle(_, let ids)?: try check(ids == chosen, "stars \(ids), not \(chosen)")
            default: throw Broken(sentence: "stars nothing")
            }
        case .tag where !chosen.isEmpty:
            guard case .tags(let ids, _)? = state.prompt?.kind else {
                throw Broken(sentence: "does not ask for tags")
            }
            try check(ids == chosen, "asks about \(ids), not \(chosen)")
        case .copy where !chosen.isEmpty: try check(state.menu?.clips == chosen, "offers other clips to copy")
        case .filter: try check(state.prompt?.kind == .filter, "does not ask what to filter for")
        case .command: try check(state.prompt?.kind == .command, "takes no command")
        case .sort: try check(state.menu != nil, "does not ask how to sort")
        case .help: try check(state.screen == .help, "shows no help")
        case .history: try check(state.screen == .history, "shows no history")
        default: return
        }
    }
}
