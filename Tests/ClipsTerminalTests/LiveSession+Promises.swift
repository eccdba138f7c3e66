import Foundation
import Terminal
import TestSupport

@testable import ClipsCore
@testable import ClipsTerminal
@testable import LiveQuery

extension AppState {
    fileprivate var heldID: Int64? { list.clips.sought?.id ?? list.clips.selectedID }
    fileprivate var heldRow: Int { list.clips.selectedIndex - list.clips.top }
}

/// The invariants of a session with concurrent commits.
extension LiveSession {
    /// Checks that an event of another process does not disturb the user.
    mutating func undisturbed(by mail: Mail) throws(Broken) {
        let event = mail.event
        let before = state
        let beforeRows = rows
        _ = handle(event)
        if drawsAll { try checkFrame() }
        if let news = mail.rows, case .message(.list(let message)) = event, isOfThisList(message, before) {
            rows = state.list.pause == nil ? news : nil
        }
        if state.list.feed.isLoading || state.list.pause != nil { rows = nil }
        // Keys that waited had their effect, too.
        guard before.typing.ahead.isEmpty, before.undoSteps.waiting.isEmpty else { return }
        try checkQuestions(before, mail)
        try checkReading(before, mail)
        try checkMarks(before, mail)
        guard before.list.clips.isLoaded, !before.list.feed.isLoading,
            before.list.feed.pendingSelection == nil, !before.list.feed.isSearching
        else { return }
        // The failure of another request ends the wait for these.
        if mail.isSearchResult { return }
        if case .resized = event { return }
        if before.list.pause != nil { return try checkPause(before, mail) }
        if case .message(.list(let message)) = event, let beforeRows, let rows {
            try checkCursor(before, message, beforeRows, rows)
        } else if case .work? = mail.answered {
            return
        } else if beforeRows != nil, rows != nil {
            try check(state.heldID == before.heldID, "the cursor left clip \(before.heldID ?? 0)")
        }
    }

    private func isOfThisList(_ message: LiveMessage<ClipRow>, _ before: AppState) -> Bool {
        switch message {
        case .window(_, before.list.feed.generation), .more(_, _, _, _, before.list.feed.generation),
            .count(_, before.list.feed.generation), .changes(_, before.list.feed.generation):
            true
        default: false
        }
    }

    /// Checks the prompt or menu, and its clips.
    private func checkQuestions(_ before: AppState, _ mail: Mail) throws(Broken) {
        if let prompt = before.prompt {
            try check(
                state.prompt?.kind == prompt.kind, "the question changed: \(String(describing: state.prompt))"
            )
            try check(state.prompt?.editor.text == prompt.editor.text, "what was typed changed")
            try check(
                state.prompt?.editor.cursor == prompt.editor.cursor, "the cursor in the prompt moved")
            try check(state.prompt?.clip == prompt.clip, "the question is about another clip")
        } else if case .note(let clip)? = state.prompt?.kind {
            guard case .loadForNote(clip.id)? = mail.answered else { throw Broken(sentence: "a note opened") }
            try check(before.typing.awaitedQuestion == .note(clip.id), "a note opened by itself")
        } else {
            try check(state.prompt == nil, "a question opened by itself")
        }
        if let menu = before.menu {
            try check(
                state.menu?.title == menu.title && state.menu?.clips == menu.clips
                    && state.menu?.selected == menu.selected, "the menu changed")
        } else if state.menu != nil, state.screen != .conflict {
            let isAnswer =
                switch (before.typing.awaitedQuestion, mail.answered) {
                case (.searches, .loadNames): true
                case (.deletion(let asked), .loadForDeletion(let read)): asked == read
                default: false
                }
            try check(isAnswer, "a menu opened by itself")
        }
        try check(state.typing.count == before.typing.count, "the number that was typed changed")
        try check(
            state.screen == before.screen || state.screen == .conflict, "the screen became \(state.screen)")
        try check(state.history.filter == before.history.filter, "the history's filter changed")
    }

    private func checkReading(_ before: AppState, _ mail: Mail) throws(Broken) {
        if mail.isSearchResult { return }
        try check(state.reader.hasFocus == before.reader.hasFocus, "reading began or ended by itself")
        guard state.reader.hasFocus else { return }
        try check(state.reader.id == before.reader.id, "another clip is read")
    }

    private func checkMarks(_ before: AppState, _ mail: Mail) throws(Broken) {
        if case .gatherList? = mail.answered { return }
        var gone = mail.deleted
        if case .message(.list(.transactions(let transactions))) = mail.event {
            gone = Set(transactions.flatMap(\.deletedClips))
        }
        // A clip that the user's own change took out of the list.
        if case .findHidden? = mail.answered {
            gone.formUnion(before.list.marks.changed.subtracting(state.list.marks.ids))
        }
        try check(
            state.list.marks.ids == before.list.marks.ids.subtracting(gone),
            "the marks became \(state.list.marks.ids)")
        guard let range = before.list.marks.range else {
            return try check(state.list.marks.range == nil, "a range began")
        }
        guard !before.list.marks.isGathering, !state.list.marks.isGathering else { return }
        try check(state.list.marks.range?.ids == range.ids.subtracting(gone), "the range changed")
    }

    /// Checks that nothing moves in a pause, except by the user's own work.
    private func checkPause(_ before: AppState, _ mail: Mail) throws(Broken) {
        if case .message(.list(.transactions(let transactions))) = mail.event,
            transactions.contains(where: \.isOwn)
        {
            return
        }
        if case .work? = mail.answered { return }
        guard case .message(.list(.changes)) = mail.event else { return }
        try check(
            state.list.clips.selectedIndex == before.list.clips.selectedIndex
                && state.list.clips.top == before.list.clips.top
                && state.list.clips.rows == before.list.clips.rows, "the list moves while it is held")
    }

    /// Checks that the cursor stays on its clip and row, or moves to a neighbor until the clip returns.
    private func checkCursor(
        _ before: AppState, _ message: LiveMessage<ClipRow>, _ old: [ClipRow], _ new: [ClipRow]
    ) throws(Broken) {
        let follows = before.list.clips.isFollowing
        guard before.list.clips.pendingIndex == nil, !before.list.clips.staysAtStart, let held = before.heldID
        else { return }
        if let lost = before.list.clips.lostID, !old.contains(where: { $0.id == lost }),
            new.contains(where: { $0.id == lost })
        {
            return try check(follows || state.heldID == lost, "does not go back to clip \(lost)")
        }
        if new.contains(where: { $0.id == held }) {
            if follows { return }
            try check(state.heldID == held, "the cursor went from clip \(held) to \(state.heldID ?? 0)")
            let (was, now) = (before.heldRow, state.heldRow)
            // Only the top and the end of the list cannot be anywhere else.
            let list = state.list.clips
            let isAtEnd = list.isCounted && list.top == max(0, list.count - list.height)
            try check(
                now == was || (list.top == 0 && now < was) || (isAtEnd && now > was),
                "screen row \(was) became \(now)")
        } else if case .changes = message, let position = old.first(where: { $0.id == held })?.position {
            let index = min(new.count { $0.position < position }, max(0, new.count - 1))
            if follows { return }
            try check(
                state.list.clips.selectedIndex == index,
                "the cursor is at \(state.list.clips.selectedIndex), not at \(index)")
            try check(new.isEmpty || state.list.clips.lostID != nil, "forgets the clip that went")
        }
    }
}

extension LiveSession {
    /// Checks that a key has its effect, on the right clips.
    mutating func press(_ key: Key) throws(Broken) {
        let before = state
        let effects = handle(.key(key))
        if drawsAll { try checkFrame() }
        if state.list.clips.selectedIndex != before.list.clips.selectedIndex || state.list.feed.isLoading {
            rows = state.list.feed.isLoading ? nil : rows
        }
        if state.list.pause == nil, before.list.pause != nil { rows = nil }
        let works = effects.compactMap { if case .work(let work) = $0 { work } else { nil } }
        if let prompt = before.prompt { return try checkTyped(key, prompt, works) }
        if let menu = before.menu {
            for case .gather(let ids, _, _) in effects { try check(ids == menu.clips, "copies other clips") }
            return
        }
        if state.typing.ahead.count == before.typing.ahead.count + 1 {
            return try check(
                state.heldID == before.heldID && works.isEmpty, "a waiting key did something")
        }
        guard before.typing.ahead.isEmpty, before.screen == .list, let action = before.keys[key]?.action
        else {
            return
        }
        if case .mouse = key { return }
        try checkDone(action, before, effects, works)
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
            guard case .tags(let ids, _, _) = prompt.kind else { return }
            for case .tag(let tagged, _, _, _) in works {
                try check(Set(tagged).isSubset(of: ids), "tags \(tagged), asked about \(ids)")
            }
        default: return
        }
    }

    private func checkDone(
        _ action: Action, _ before: AppState, _ effects: [Effect], _ works: [Work]
    ) throws(Broken) {
        let list = before.list.clips
        let id = before.reader.hasFocus ? before.reader.id : list.selectedID
        let marked = before.list.marks.all
        let actsOnMarks = !marked.isEmpty && !before.reader.hasFocus
        var chosen = actsOnMarks ? marked.sorted() : id.map { [$0] } ?? []
        let last = max(0, list.count - 1)
        let count = before.typing.count ?? 1
        if count > 1, marked.isEmpty, !before.reader.hasFocus, ActionTable[action].scope == .clips {
            let rows = list.rows.drop { $0.id != id }.prefix(count)
            // The others are loaded first.
            guard rows.count == min(count, list.count - list.selectedIndex) else { return }
            chosen = rows.map(\.id).sorted()
        }
        switch action {
        case .down where !before.reader.hasFocus:
            try check(
                state.list.clips.selectedIndex == min(list.selectedIndex + count, last), "did not go down")
        case .up where !before.reader.hasFocus:
            try check(state.list.clips.selectedIndex == max(list.selectedIndex - count, 0), "did not go up")
        case .first where !before.reader.hasFocus:
            try check(state.list.clips.selectedIndex == 0, "did not go to the first")
        case .last where !before.reader.hasFocus && before.typing.count == nil && list.isCounted:
            try check(state.list.clips.selectedIndex == last, "did not go to the last")
        case .mark where !chosen.isEmpty && count == 1 && !before.reader.hasFocus:
            guard let id, before.list.marks.range == nil else { return }
            try check(
                state.list.marks.ids == before.list.marks.ids.symmetricDifference([id]), "did not mark \(id)")
        case .delete where !chosen.isEmpty:
            let asks = chosen.count > ClipStore.fewClips || actsOnMarks && !before.list.marks.hidden.isEmpty
            guard let ids = asks ? deletionAsked(effects) : works.first?.deleted else {
                throw Broken(sentence: asks ? "does not ask before it deletes" : "deletes nothing")
            }
            try check(ids == chosen, "deletes \(ids), not \(chosen)")
        case .note where id != nil:
            guard case .loadForNote(id)? = effects.first(where: { $0.isAwaited }) else {
                throw Broken(sentence: "does not read the note")
            }
        case .star where !chosen.isEmpty:
            guard case .toggle(.starred, _, let ids, _)? = works.first else {
                throw Broken(sentence: "stars nothing")
            }
            try check(ids == chosen, "stars \(ids), not \(chosen)")
        case .archive where !chosen.isEmpty:
            guard case .toggle(.archived, _, let ids, _)? = works.first else {
                throw Broken(sentence: "archives nothing")
            }
            try check(ids == chosen, "archives \(ids), not \(chosen)")
        case .tag where !chosen.isEmpty:
            guard case .tags(let ids, _, _)? = state.prompt?.kind else {
                throw Broken(sentence: "does not ask for tags")
            }
            try check(ids == chosen, "asks about \(ids), not \(chosen)")
        case .copy where !chosen.isEmpty: try check(state.menu?.clips == chosen, "offers other clips to copy")
        case .filter where !before.reader.hasFocus:
            try check(state.prompt?.kind == .filter, "does not ask what to filter for")
        case .command: try check(state.prompt?.kind == .command, "takes no command")
        case .sort: try check(state.menu != nil, "does not ask how to sort")
        case .help: try check(state.screen == .help, "shows no help")
        case .history: try check(state.screen == .history, "shows no history")
        default: return
        }
    }

    /// The clips that the app asks about before it deletes them, or reads for the question.
    private func deletionAsked(_ effects: [Effect]) -> [Int64]? {
        if case .delete(let ids, _)? = state.menu?.items.first?.choice { return ids }
        for case .loadForDeletion(let id) in effects { return [id] }
        return nil
    }
}

extension Work {
    fileprivate var deleted: [Int64]? { if case .delete(let ids, _) = self { ids } else { nil } }
}

extension SimulatedWorker.Mail {
    fileprivate var isSearchResult: Bool {
        switch answered {
        case .findMatch?, .findUnread?: true
        default: false
        }
    }
}
