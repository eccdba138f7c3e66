import ClipsCore
import Terminal

extension AppState {
    mutating func handleInPrompt(_ key: Key) {
        guard var prompt else { return }
        switch key {
        case .escape, .control("c"): cancel(prompt)
        case .enter:
            self.prompt = nil
            accept(prompt)
        case .control("z"): emit(.suspend)
        case .control("l"): emit(.redraw)
        case .tab: complete(isForward: true)
        case .backTab: complete(isForward: false)
        case .down, .control("n"), .up, .control("p"), .pageDown, .pageUp: moveInPrompt(key)
        case .backspace where prompt.editor.characters.isEmpty: cancel(prompt)
        default:
            guard prompt.editor.edit(with: key) else { return reportPromptKeys() }
            (prompt.completion, prompt.recalled) = (nil, nil)
            self.prompt = prompt
            textChanged(in: prompt)
        }
    }

    private mutating func reportPromptKeys() { report("Enter accepts the text, Esc cancels.") }

    /// Shows the matches of the text as it changes.
    mutating func textChanged(in prompt: Prompt) {
        if prompt.kind == .filter { filter(prompt.editor.text) }
        if prompt.kind == .helpFilter { help.filter = prompt.editor.text }
    }

    private mutating func cancel(_ prompt: Prompt) {
        self.prompt = nil
        if prompt.kind == .filter { cancelFilter() }
        if prompt.kind == .helpFilter { help.filter = "" }
    }

    private mutating func accept(_ prompt: Prompt) {
        let text = prompt.editor.text
        switch prompt.kind {
        case .filter:
            list.beforeFilter = nil
            if !text.isEmpty { list.lastWords = text }
            // Waits for the list of the last letter.
            if pick?.isSeveral == false { typing.ahead.append(.key(.enter)) }
        case .add: add(text)
        case .tags(let ids, of: let tags?): for id in ids { tag(id, from: tags, to: text) }
        case .tags(let ids, of: nil): if !text.trimmed.isEmpty { tag(ids, by: text) }
        case .command: run(text, on: prompt.clip)
        case .helpFilter: runHelpEntry()
        case .historyFilter: filterHistory(text)
        }
    }

    /// Moves in the list below the prompt, or in earlier commands.
    private mutating func moveInPrompt(_ key: Key) {
        let isUp = key == .up || key == .control("p") || key == .pageUp
        let isPage = key == .pageUp || key == .pageDown
        switch prompt?.kind {
        case .filter where isPage: moveInFilter(.page(isUp ? -1 : 1))
        case .filter: moveInFilter(.move(rows: isUp ? -1 : 1))
        case .helpFilter where isPage: help.page(by: isUp ? -1 : 1, half: false)
        case .helpFilter: help.move(by: isUp ? -1 : 1)
        case .command: recall(isUp: isUp)
        case .add, .tags, .historyFilter, nil: reportPromptKeys()
        }
    }

    private mutating func recall(isUp: Bool) {
        let index = (prompt?.recalled ?? -1) + (isUp ? 1 : -1)
        guard index >= 0 else {
            prompt?.editor = LineEditor()
            prompt?.recalled = nil
            return
        }
        guard let line = typing.commands.line(index) else { return }
        prompt?.editor = LineEditor(line)
        prompt?.recalled = index
    }
}

/// Filtering.
extension AppState {
    mutating func beginFilter() {
        switch screen {
        case .help: prompt = Prompt(kind: .helpFilter, editor: LineEditor(help.filter))
        case .history: prompt = Prompt(kind: .historyFilter, editor: LineEditor(history.filter.text))
        case .list, .consumers, .errors, .conflict:
            reader.hasFocus = false
            list.beforeFilter = list.origin
            prompt = Prompt(kind: .filter, editor: LineEditor(list.query.filter))
        }
        emit(.loadNames)
    }

    /// Filters by the argument of a command; an empty one shows all clips.
    mutating func filter(byArgument text: String) {
        if screen != .list, text.isEmpty { return beginFilter() }
        if screen == .history { return filterHistory(text) }
        if screen == .help {
            help.filter = text
            return
        }
        list.beforeFilter = nil
        if !text.isEmpty { list.lastWords = text }
        reader.hasFocus = false
        filter(text)
    }

    private mutating func filter(_ text: String) {
        var query = list.query
        query.filter = text
        guard !query.hasSameFilter(as: list.query) else {
            list.query = query
            return
        }
        list.feed.jumpsToFirstMatch = !text.isEmpty
        show(query, around: text.isEmpty ? list.beforeFilter?.position : nil)
        if text.isEmpty { list.feed.pendingSelection = list.beforeFilter?.selection }
    }

    /// Returns to the earlier list, and to the clip that was selected.
    private mutating func cancelFilter() {
        guard let origin = list.beforeFilter else { return }
        list.beforeFilter = nil
        guard origin.query != list.query else { return }
        show(origin.query, around: origin.position)
        list.feed.pendingSelection = origin.selection
    }
}

/// Adding and editing.
extension AppState {
    /// Adds a URL, or any other text as a clip named by its first line.
    mutating func add(_ input: String) {
        let content = input.trimmed
        guard !content.isEmpty else { return emit(.edit(form: ClipForm().text, nil)) }
        var draft = ClipDraft()
        if let url = WebAddress.url(content) { draft.url = url } else { draft.text = content }
        start(.add(draft, form: nil))
    }

    /// Saves the changes of a form that the user edited.
    mutating func save(_ edited: EditedForm) {
        let form = ClipForm(reading: edited.text)
        if let clip = edited.clip {
            let changes = form.changes(from: clip)
            guard !changes.isEmpty else {
                emit(.removeFile(edited.path))
                return report("Nothing was changed.")
            }
            let title = String((form.title.isEmpty ? clip.displayTitle : form.title).prefix(40))
            start(.edit(clip, changes, "edited “\(title)”", form: edited.path))
        } else if form.draft.isEmpty {
            emit(.removeFile(edited.path))
            report("Nothing was saved: the form was empty.")
        } else {
            start(.add(form.draft, form: edited.path))
        }
    }
}
