import ClipsCore
import Terminal

extension AppState {
    mutating func takeInPrompt(_ key: Key) {
        guard var prompt else { return }
        switch key {
        case .escape, .control("c"):
            self.prompt = nil
            if prompt.kind == .filter { cancelFilter() }
        case .enter:
            self.prompt = nil
            if prompt.kind == .add { add(prompt.editor.text) }
            beforeFilter = nil
        case .control("z"): emit(.suspend)
        case .control("l"): emit(.redraw)
        case .down where prompt.kind == .filter, .control("n") where prompt.kind == .filter: list.move(by: 1)
        case .up where prompt.kind == .filter, .control("p") where prompt.kind == .filter: list.move(by: -1)
        case .pageDown where prompt.kind == .filter: list.page(by: 1, half: false)
        case .pageUp where prompt.kind == .filter: list.page(by: -1, half: false)
        case .backspace where prompt.editor.characters.isEmpty:
            self.prompt = nil
            beforeFilter = nil
        default:
            guard prompt.editor.take(key) else {
                return tell("Enter takes what you typed, Esc gives it up.")
            }
            self.prompt = prompt
            if prompt.kind == .filter { filter(prompt.editor.text) }
        }
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
    private mutating func add(_ input: String) {
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
            start(.update(clip.id, version: clip.version, changes, "edited “\(title)”", form: edited.path))
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
