import ClipsCore
import Terminal

extension AppState {
    mutating func takeInPrompt(_ key: Key) {
        guard var prompt else { return }
        switch key {
        case .escape, .control("c"): give(up: prompt)
        case .enter:
            self.prompt = nil
            accept(prompt)
        case .control("z"): emit(.suspend)
        case .control("l"): emit(.redraw)
        case .tab: complete(isForward: true)
        case .backTab: complete(isForward: false)
        case .down, .control("n"), .up, .control("p"), .pageDown, .pageUp: moveInPrompt(key)
        case .backspace where prompt.editor.characters.isEmpty: give(up: prompt)
        default:
            guard prompt.editor.take(key) else {
                return tell("Enter takes what you typed, Esc gives it up.")
            }
            (prompt.completion, prompt.recalled) = (nil, nil)
            self.prompt = prompt
            typedTextChanged(prompt)
        }
    }

    /// Shows what fits the text of the line, whichever way it came there.
    mutating func typedTextChanged(_ prompt: Prompt) {
        if prompt.kind == .filter { filter(prompt.editor.text) }
        if prompt.kind == .helpFilter { help.filter = prompt.editor.text }
    }

    private mutating func give(up prompt: Prompt) {
        self.prompt = nil
        if prompt.kind == .filter { cancelFilter() }
        if prompt.kind == .helpFilter { help.filter = "" }
    }

    private mutating func accept(_ prompt: Prompt) {
        let text = prompt.editor.text
        switch prompt.kind {
        case .filter:
            beforeFilter = nil
            if !text.isEmpty { lastWords = text }
        case .add: add(text)
        case .tags(let ids, of: let tags?): for id in ids { tag(id, from: tags, to: text) }
        case .tags(let ids, of: nil): if !text.trimmed.isEmpty { tag(ids, by: text) }
        case .command: run(text, on: prompt.clip)
        case .helpFilter: runHelpEntry()
        case .historyFilter: filterHistory(text)
        }
    }

    /// The keys that move in what the prompt is about.
    private mutating func moveInPrompt(_ key: Key) {
        let isUp = key == .up || key == .control("p") || key == .pageUp
        let isPage = key == .pageUp || key == .pageDown
        switch prompt?.kind {
        case .filter where isPage: moveInFilter(.page(isUp ? -1 : 1))
        case .filter: moveInFilter(.move(rows: isUp ? -1 : 1))
        case .helpFilter where isPage: help.page(by: isUp ? -1 : 1, half: false)
        case .helpFilter: help.move(by: isUp ? -1 : 1)
        case .command: recall(isUp: isUp)
        default: tell("Enter takes what you typed, Esc gives it up.")
        }
    }

    private mutating func recall(isUp: Bool) {
        let place = (prompt?.recalled ?? -1) + (isUp ? 1 : -1)
        guard place >= 0 else {
            prompt?.editor = LineEditor()
            prompt?.recalled = nil
            return
        }
        guard let line = commands.line(place) else { return }
        prompt?.editor = LineEditor(line)
        prompt?.recalled = place
    }

    /// Shows what contains the words, as `/` does.
    mutating func filter(by text: String) {
        beforeFilter = nil
        if !text.isEmpty { lastWords = text }
        isReading = false
        filter(text)
    }

    private mutating func filter(_ text: String) {
        var wanted = query
        wanted.filter = text
        guard !wanted.hasSameFilter(as: query) else {
            query = wanted
            return
        }
        feed.jumpsToFirstMatch = !text.isEmpty
        show(wanted, around: text.isEmpty ? beforeFilter?.position : nil)
        if text.isEmpty { feed.wanted = beforeFilter?.place }
    }

    /// Back to what was shown, and to the clip the person was on.
    private mutating func cancelFilter() {
        guard let before = beforeFilter else { return }
        beforeFilter = nil
        guard before.query != query else { return }
        show(before.query, around: before.position)
        feed.wanted = before.place
    }

    /// An address alone is an address, anything else is a text that is called by its first line.
    mutating func add(_ input: String) {
        let trimmed = input.trimmingPrefix { $0.isWhitespace }
        guard let end = trimmed.lastIndex(where: { !$0.isWhitespace }) else {
            emit(.edit(form: ClipForm().text, nil))
            return
        }
        let content = String(trimmed[...end])
        var draft = ClipDraft()
        if Self.isAddress(content) { draft.url = content } else { draft.text = content }
        start(.add(draft, form: nil))
    }

    private static func isAddress(_ text: String) -> Bool {
        guard !text.contains(where: \.isWhitespace), let colon = text.firstIndex(of: ":") else {
            return false
        }
        let scheme = text[..<colon]
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == ".")
            })
        else { return false }
        return text[colon...].hasPrefix("://") || scheme == "mailto"
    }

    /// Takes a form back from the editor.
    mutating func take(_ edited: EditedForm) {
        let form = ClipForm(reading: edited.text)
        if let clip = edited.clip {
            let changes = form.changes(from: clip)
            guard !changes.isEmpty else {
                emit(.removeFile(edited.path))
                return tell("Nothing was changed.")
            }
            let title = String((form.title.isEmpty ? clip.displayTitle : form.title).prefix(40))
            start(.edit(clip, changes, "edited “\(title)”", form: edited.path))
        } else if form.draft.isEmpty {
            emit(.removeFile(edited.path))
            tell("Nothing was saved: the form was empty.")
        } else {
            start(.add(form.draft, form: edited.path))
        }
    }
}

extension String {
    fileprivate func trimmingPrefix(_ drops: (Character) -> Bool) -> Substring { drop(while: drops) }
}
