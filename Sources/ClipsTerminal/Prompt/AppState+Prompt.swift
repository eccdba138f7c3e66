import ClipsCore
import LiveQuery
import Platform
import Terminal

extension AppState {
    mutating func handleInPrompt(_ key: Key) {
        guard var prompt else { return }
        switch key {
        case .escape where pick != nil && prompt.kind == .filter: emit(.quit)
        case .escape, .control("c"): cancel(prompt)
        case .enter:
            self.prompt = nil
            accept(prompt)
        case .control("z"): emit(.suspend)
        case .control("l"): emit(.redraw)
        case .tab where pick?.isSeveral == true && prompt.kind == .filter: moveInFilter(.mark)
        case .tab: complete(isForward: true)
        case .backTab: complete(isForward: false)
        case .down, .control("n"), .up, .control("p"), .pageDown, .pageUp: moveInPrompt(key)
        case .pasteCut: report("The paste was too long and was cut off.", isError: true)
        case .backspace where prompt.editor.characters.isEmpty: cancel(prompt)
        default:
            let former = prompt.editor.characters
            guard prompt.editor.edit(with: key) else { return reportPromptKeys() }
            (prompt.completion, prompt.recalled) = (nil, nil)
            self.prompt = prompt
            // A character that was cut off, of which a paste may have thousands, changes nothing.
            if prompt.editor.characters != former { textChanged(in: prompt) }
            if prompt.editor.isCut {
                report(
                    "The text was cut off after \(prompt.editor.maxCharacters.grouped) characters.",
                    isError: true)
            }
        }
    }

    private mutating func reportPromptKeys() {
        let isPick = pick != nil && prompt?.kind == .filter
        report(isPick ? "Enter prints, \(wayOut)" : "Enter accepts the text, Esc cancels.")
    }

    /// Shows the matches of the text as it changes.
    mutating func textChanged(in prompt: Prompt) {
        if prompt.kind == .filter { filter(prompt.editor.text) }
        if prompt.kind == .helpFilter { help.filter = prompt.editor.text }
        guard case .text(let top) = prompt.kind else { return }
        reader.searched = prompt.editor.text
        reader.moveTo(index: top)
        if !prompt.editor.text.isEmpty { searchText(isForward: true, from: top) }
    }

    private mutating func cancel(_ prompt: Prompt) {
        self.prompt = nil
        typing.endActions()
        if prompt.kind == .filter { cancelFilter() }
        if case .text(let top) = prompt.kind {
            reader.searched = ""
            reader.moveTo(index: top)
        }
        if prompt.kind == .helpFilter { help.filter = "" }
    }

    /// - Parameter isByClick: Whether a click into the list ends the prompt.
    mutating func accept(_ prompt: Prompt, isByClick: Bool = false) {
        let text = prompt.editor.text
        switch prompt.kind {
        case .filter:
            list.beforeFilter = nil
            list.query.filter = text.trimmed
            remember(text.trimmed)
            // Waits for the list of the last letter.
            if let pick, !pick.isSeveral || !isByClick { typing.ahead.append(.key(.enter)) }
        // Repeats the message that there is no match, which the key removed.
        case .text(let top): if !text.isEmpty { searchText(isForward: true, from: top) }
        case .add: add(text)
        case .tags(let ids, _, let title) where prompt.isOfReplaced: report(Work.deleted(ids, title))
        case .tags(let ids, _, let title):
            if !text.trimmed.isEmpty { tag(ids, title: title, by: TagChange(text)) }
        case .command: run(text, on: prompt.clip)
        case .note(let clip): save(note: text.trimmed, of: clip)
        case .quoteNote(let quote, let clip): if text != quote.note { start(.noteQuote(text, quote, clip)) }
        case .helpFilter: runHelpEntry()
        case .historyFilter: filterHistory(text)
        }
    }

    /// Moves in the list below the prompt, or in earlier commands.
    private mutating func moveInPrompt(_ key: Key) {
        let isUp = key == .up || key == .control("p") || key == .pageUp
        let isPage = key == .pageUp || key == .pageDown
        switch prompt?.kind {
        case .filter where pick == nil && (key == .up || key == .down): recall(isUp: isUp)
        case .filter where isPage: moveInFilter(.page(isUp ? -1 : 1))
        case .filter: moveInFilter(.move(rows: isUp ? -1 : 1))
        case .helpFilter where isPage: help.page(by: isUp ? -1 : 1, half: false)
        case .helpFilter: help.move(by: isUp ? -1 : 1)
        case .command: recall(isUp: isUp)
        case .add, .tags, .text, .historyFilter, .note, .quoteNote, nil: reportPromptKeys()
        }
    }

    private mutating func recall(isUp: Bool) {
        let index = (prompt?.recalled ?? -1) + (isUp ? 1 : -1)
        guard index >= 0 else { return prompt?.recalled == nil ? () : recall("", at: nil) }
        let filters = typing.filters.typed
        if prompt?.kind == .command {
            if let line = typing.commands.line(index) { recall(line, at: index) }
        } else if index < filters.count {
            recall(filters[filters.count - 1 - index], at: index)
        }
    }

    private mutating func recall(_ line: String, at index: Int?) {
        prompt?.fill(line)
        prompt?.recalled = index
        prompt?.completion = nil
        if let prompt { textChanged(in: prompt) }
    }
}

/// Filtering.
extension AppState {
    /// - Parameter text: The text after the present filter.
    mutating func beginFilter(_ text: String = "") {
        switch screen {
        case .help: prompt = Prompt(kind: .helpFilter, text: help.filter)
        case .history: prompt = Prompt(kind: .historyFilter, text: history.filter.text)
        case .list where reader.hasFocus, .output: prompt = Prompt(kind: .text(top: reader.index))
        case .list, .consumers, .errors, .conflict:
            list.beforeFilter = list.origin
            // More words leave a cursor that the user has put on a match there.
            list.feed.hasMoved =
                list.query.isRanked && !list.clips.staysAtStart && list.clips.selectedIndex > 0
            let earlier = list.query.filter.trimmed
            // More words can be typed immediately.
            prompt = Prompt(kind: .filter, text: (earlier.isEmpty ? "" : earlier + " ") + text)
        }
        emit(.loadNames)
    }

    /// Filters by the argument of a command; an empty one shows all clips.
    mutating func filter(byArgument text: String) {
        if screen != .list, text.isEmpty { return beginFilter() }
        if screen == .output {
            reader.searched = text
            return searchText(isForward: true, from: reader.index)
        }
        if screen == .history { return filterHistory(text) }
        if screen == .help {
            help.filter = text
            return
        }
        list.beforeFilter = nil
        list.feed.hasMoved = false
        reader.hasFocus = false
        filter(text)
        remember(text)
    }

    /// Shows the clips of a saved search.
    mutating func show(_ query: ClipQuery) {
        list.beforeFilter = nil
        list.feed.hasMoved = false
        reader.hasFocus = false
        if !query.filter.isEmpty { list.lastWords = query.filter }
        list.feed.jumpsToFirstMatch = true
        show(query, around: nil)
    }

    private mutating func remember(_ filter: String) {
        guard !filter.isEmpty else { return }
        list.lastWords = filter
        typing.filters.apply(.typed(filter))
        emit(.remember(.typed(filter)))
    }

    private mutating func filter(_ text: String) {
        var query = list.query
        query.filter = text
        query.ranksWords = settings.config.ranksWords
        guard !query.hasSameFilter(as: list.query) else {
            list.query = query
            return
        }
        list.feed.jumpsToFirstMatch = !text.isEmpty
        // The cursor stays on the clip on which the user put it, wherever that is among the matches.
        let stays = list.feed.hasMoved || !query.isRanked && !list.clips.staysAtStart
        show(
            query,
            aroundClip: text.isEmpty
                ? list.beforeFilter?.selection?.id : stays ? list.clips.selectedID : nil)
        if text.isEmpty { list.feed.pendingSelection = list.beforeFilter?.selection }
    }

    /// Returns to the earlier list, and to the clip that was selected.
    private mutating func cancelFilter() {
        guard let origin = list.beforeFilter else { return }
        list.beforeFilter = nil
        if origin.query != list.query { show(origin) }
    }
}

/// Adding and editing.
extension AppState {
    /// Adds a URL, or any other text as a clip named by its first line.
    mutating func add(_ input: String) {
        let content = input.trimmed
        guard !content.isEmpty else { return emit(.edit(form: ClipForm().text, nil)) }
        guard !WebAddress.lacksHost(content) || content.contains(where: \.isWhitespace) else {
            prompt = Prompt(kind: .add, text: content)
            return report("The URL has no host; add one, such as example.org.", isError: true)
        }
        var draft = ClipDraft()
        guard let url = WebAddress.url(content) else {
            draft.text = content
            return start(.add(draft, form: nil))
        }
        draft.url = url
        switch settings.config[.duplicates] {
        case "ask": start(.addPage(draft, merges: false))
        case "merge": start(.addPage(draft, merges: true))
        default: start(.add(draft, form: nil))
        }
    }

    /// Saves the changes of a form that the user edited.
    mutating func save(_ edited: EditedForm) {
        func end(_ reason: String) {
            emit(.removeFile(edited.path))
            guard let clip = edited.clip else { return report("Nothing was saved\(reason)") }
            let sentence = "\(Clip.quoted(clip.displayTitle)) is unchanged\(reason)"
            start(.nothing([clip.id], title: clip.displayTitle, sentence))
        }
        guard edited.text.contains(where: { !$0.isWhitespace }) else { return end(": the form was empty.") }
        do throws(ClipForm.Problem) {
            let form = try ClipForm(reading: edited.text)
            guard let clip = edited.clip else {
                let draft = try form.newClip()
                return draft.isEmpty ? end(": the form was empty.") : start(.add(draft, form: edited.path))
            }
            let changes = try form.changes(from: clip)
            guard !changes.isEmpty else { return end(".") }
            let title = form[.title].isEmpty ? clip.displayTitle : form[.title]
            start(.edit(clip, changes, "edited \(Clip.quoted(title))", form: edited.path))
        } catch {
            let title = edited.clip.map { "Your edit of \(Clip.quoted($0.displayTitle))" } ?? "Your clip"
            report(
                "\(error.sentence) \(title) was not saved. Your text is in \(edited.path).", isError: true)
        }
    }
}
